/** Appends to the numbered files of the audit log, reads them, and removes the oldest. store/FORMAT.md describes a file. */
import { mkdir, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { openStoreFile, type StoreFile } from '../store/store-file.ts'

export const LINE_BYTES_MAX = 8 * 1024
const AUDIT_FILE_BYTES_MAX = 4 * 1024 * 1024
const AUDIT_FILES_MAX = 16
const IF_LOST = 'the entries of this file are then lost'

interface NumberedFile {
  number: number
  file: StoreFile
}

/** Number of a file times FILE_SPAN, plus an offset in its lines. */
export type Position = number

/** Lines of one file. */
export interface Content {
  start: Position
  bytes: Buffer
}

const FILE_SPAN = 2 ** 32

/** Opens the files of a folder. @param onFile gets the content of each, oldest first @throws Error if a file is not private or damaged */
export async function openAuditFiles(
  folder: string,
  onFile: (content: Content) => void,
  fileBytesMax = AUDIT_FILE_BYTES_MAX,
  filesMax = AUDIT_FILES_MAX,
) {
  const files: NumberedFile[] = []
  const path = (number: number) => join(folder, `${String(number).padStart(8, '0')}.jsonl`)
  const open = async (number: number): Promise<void> => {
    const { file, lines } = await openStoreFile(path(number), IF_LOST)
    files.push({ number, file })
    onFile({ start: number * FILE_SPAN, bytes: lines })
  }
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const numbers = (await readdir(folder)).flatMap(name => /^(\d{8})\.jsonl$/.exec(name)?.[1] ?? [])
  for (const number of numbers.sort().map(Number)) await open(number)
  if (numbers.length === 0) await open(1)
  /** True if a file was removed since the last successful append. */
  let hasRemoved = false
  const last = () => files[files.length - 1]

  const makeRoom = async (): Promise<void> => {
    if (last().file.bytes < fileBytesMax) return
    await open(last().number + 1)
    for (const oldest of files.splice(0, Math.max(0, files.length - filesMax))) {
      hasRemoved = true
      await rm(path(oldest.number), { force: true })
    }
  }

  return {
    get firstPosition(): Position {
      return files[0].number * FILE_SPAN
    },
    /**
     * Appends whole lines and syncs. Returns their position; `hasRemoved` is true if files were removed since the last append.
     * @throws the system's error; readers then see none of the lines
     */
    async append(text: Buffer): Promise<{ start: Position; hasRemoved: boolean }> {
      await makeRoom()
      const { number, file } = last()
      const start = number * FILE_SPAN + file.bytes
      await file.append(text)
      const appended = { start, hasRemoved }
      hasRemoved = false
      return appended
    },
    /** Reads the line at a position, without its line break; `''` if its file was removed. */
    async readLine(position: Position): Promise<string> {
      const found = files.find(({ number }) => number === Math.floor(position / FILE_SPAN))
      const bytes = await found?.file.read(position % FILE_SPAN, LINE_BYTES_MAX)
      return bytes?.toString('utf8', 0, bytes.indexOf('\n')) ?? ''
    },
    async *read(positions: readonly Position[]): AsyncGenerator<Content> {
      const numbers = new Set(positions.map(position => Math.floor(position / FILE_SPAN)))
      for (const { number, file } of files.filter(({ number }) => numbers.has(number)))
        yield { start: number * FILE_SPAN, bytes: await file.read(0, file.bytes) }
    },
  }
}
