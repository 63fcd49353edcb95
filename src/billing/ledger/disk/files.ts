import { basename, dirname, join } from 'node:path'
import type * as z from 'zod'
import { expectShape } from '../event.ts'
import { damage } from '../ledger-error.ts'
import type { FileSystem, OpenFile } from './file-system.ts'

/** Maximum bytes of a file that is read whole: a segment with its last batch, or the meter. */
const WHOLE_FILE_BYTES_MAX = 1024 * 1024 * 1024
const TORN_KEPT = 16

export const LEDGER_FOLDER = 'ledger'
export const LOCK_NAME = 'lock'
export const METER_NAME = 'meter'
/** Files that a crash left half written. */
const TEMPORARY = /^(meter|moved|\d{16}\.(segment|snapshot))\.new$/
/** Bytes cut from torn tails. */
const TORN = /^\d{16}\.torn-\d+$/

/** Segment with its first sequence number, or snapshot with its last one. */
export type NumberedFile = { path: string; sequence: number }

export type LedgerFiles = { segments: NumberedFile[]; snapshots: NumberedFile[] }

export function ledgerFolder(dir: string): string {
  return join(dir, LEDGER_FOLDER)
}

/** @param kind `segment`, by its first sequence; `snapshot`, by its last; `torn-<time>`, by its first */
export function numberedPath(folder: string, sequence: number, kind: string): string {
  return join(folder, `${String(sequence).padStart(16, '0')}.${kind}`)
}

export async function listLedger(fs: FileSystem, folder: string): Promise<LedgerFiles> {
  const names = await fs.list(folder)
  const numbered = (suffix: string): NumberedFile[] =>
    names
      .filter(name => name.length === 16 + suffix.length && name.endsWith(suffix) && /^\d{16}/.test(name))
      .sort()
      .map(name => ({ path: join(folder, name), sequence: Number(name.slice(0, 16)) }))
  return { segments: numbered('.segment'), snapshots: numbered('.snapshot').reverse() }
}

/** Removes unfinished files and old torn tails. Only the holder of the lock may call it. */
export async function removeUnfinished(fs: FileSystem, folder: string): Promise<void> {
  const names = await fs.list(folder)
  const torn = names.filter(name => TORN.test(name))
  const removed = [...names.filter(name => TEMPORARY.test(name)), ...torn.slice(0, -TORN_KEPT)]
  for (const name of removed) await fs.remove(join(folder, name))
  if (removed.length > 0) await fs.syncFolder(folder)
}

/** Reads from `position` to the end. @throws LedgerError DAMAGED beyond WHOLE_FILE_BYTES_MAX */
export async function readRest(file: OpenFile, path: string, position = 0): Promise<Buffer> {
  const size = await file.size()
  if (size - position > WHOLE_FILE_BYTES_MAX)
    throw damage(path, position, `${size - position} bytes`, `at most ${WHOLE_FILE_BYTES_MAX}`)
  const bytes = Buffer.allocUnsafe(Math.max(0, size - position))
  return bytes.subarray(0, await readFully(file, bytes, position))
}

export async function withFile<T>(
  fs: FileSystem,
  path: string,
  access: 'read' | 'write' | 'create',
  use: (file: OpenFile) => Promise<T>,
): Promise<T> {
  const file = access === 'create' ? await fs.create(path) : await fs.open(path, access)
  try {
    return await use(file)
  } finally {
    await file.close()
  }
}

/** Fills `target` from `position` on. Returns the number of bytes up to the end of the file. */
export async function readFully(file: OpenFile, target: Uint8Array, position: number): Promise<number> {
  let length = 0
  while (length < target.length) {
    const read = await file.read(target.subarray(length), position + length)
    if (read === 0) break
    length += read
  }
  return length
}

/** Writes all of `bytes`. After a short write, the next one either continues or throws the cause. */
export async function writeAll(file: OpenFile, bytes: Uint8Array, position: number): Promise<void> {
  let written = 0
  while (written < bytes.length) {
    const count = await file.write(bytes.subarray(written), position + written)
    if (count === 0) throw new Error('the file system wrote 0 bytes and gave no reason')
    written += count
  }
}

/** Reads a file of JSON; null if there is none. @throws `refuse(flaw)` if the content is malformed */
export async function readJson<T>(
  fs: FileSystem,
  path: string,
  schema: z.ZodType<T>,
  refuse: (flaw: string) => Error,
): Promise<T | null> {
  if (!(await fs.list(dirname(path))).includes(basename(path))) return null
  const bytes = await withFile(fs, path, 'read', file => readRest(file, path))
  try {
    const value = JSON.parse(bytes.toString())
    expectShape(schema, value, 'its content')
    return value
  } catch (error) {
    throw refuse((error as Error).message)
  }
}

export function writeJson(fs: FileSystem, path: string, value: object): Promise<void> {
  const bytes = Buffer.from(`${JSON.stringify(value, null, 2)}\n`)
  return rewriteFile(fs, path, file => writeAll(file, bytes, 0))
}

/** Writes under a temporary name, syncs and renames. A crash leaves the old file or the new one. */
export async function rewriteFile(
  fs: FileSystem,
  path: string,
  write: (file: OpenFile) => Promise<void>,
): Promise<void> {
  const temporary = `${path}.new`
  try {
    await withFile(fs, temporary, 'create', async file => {
      await write(file)
      await file.sync()
    })
    await fs.rename(temporary, path)
  } catch (error) {
    // A second failure would hide the first. The next start removes the file.
    await fs.remove(temporary).catch(() => {})
    throw error
  }
  await fs.syncFolder(dirname(path))
}
