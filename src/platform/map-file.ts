/** Maps a file into memory. The only file of the reader that knows how. */
import { closeSync, fstatSync, openSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'

const PROT_READ = 1
const MAP_SHARED = 1

export interface MappedFile {
  bytes: Uint8Array
  /** False where mmap is missing and the file was read into memory instead. */
  mapped: boolean
}

/**
 * The bytes of the file at `path`, read-only by agreement: a write ends the process. The mapping lives as long as the
 * process and is shared with every other process and worker that maps the file. Never truncate a mapped file: reading
 * past its end ends the process.
 * @throws the system's error when the file cannot be opened
 */
export function mapFile(path: string): MappedFile {
  const file = openSync(path, 'r')
  try {
    const { size } = fstatSync(file)
    // An empty file cannot be mapped; what reads the header says what is wrong with it.
    const bytes = size === 0 || process.platform === 'win32' ? undefined : mmap(file, size)
    if (bytes !== undefined) return { bytes, mapped: true }
    return { bytes: readFileSync(file), mapped: false }
  } finally {
    closeSync(file)
  }
}

function mmap(file: number, size: number): Uint8Array | undefined {
  // Loaded here and not at the top, because koffi costs milliseconds that only this call is worth.
  const koffi = createRequire(import.meta.url)('koffi') as typeof import('koffi')
  const libc = koffi.load(process.platform === 'darwin' ? 'libSystem.dylib' : null)
  const call = libc.func(
    'void *mmap(void *address, size_t length, int protection, int flags, int file, int64_t offset)',
  )
  const address = call(null, size, PROT_READ, MAP_SHARED, file, 0)
  if (address === null || koffi.address(address) === 0xffff_ffff_ffff_ffffn) return undefined
  return new Uint8Array(koffi.view(address, size))
}
