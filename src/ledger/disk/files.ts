import { join } from 'node:path'
import { WHOLE_FILE_BYTES_MAX } from '../../limits.ts'
import { LedgerError, REMEDY_RESTORE } from '../errors.ts'
import type { FileSystem, OpenFile } from './file-system.ts'

/** Names in the ledger's folder; the number is a sequence number in 16 digits, so that names sort like numbers. */
export const LEDGER_FOLDER = 'ledger'
/** A secret of the dashboard next to that folder, made once there is a ledger: alone, it says that the ledger was lost. */
export const DASHBOARD_KEY_NAME = 'dashboard.key'
export const LOCK_NAME = 'lock'
export const METER_NAME = 'meter'
/** The next segment before it has its number, and whatever is written before it is moved into place. */
export const SPARE_NAME = 'next.new'
const TEMPORARY = /^(next|meter|\d{16}\.snapshot)\.new$/
const TORN = /^\d{16}\.torn-\d+$/

/** A segment and the first sequence number in it, or a snapshot and the last one it includes. */
export interface NumberedFile {
  path: string
  sequence: number
}

export interface LedgerFiles {
  /** Ascending. */
  segments: NumberedFile[]
  /** Newest first. */
  snapshots: NumberedFile[]
}

export function ledgerFolder(dir: string): string {
  return join(dir, LEDGER_FOLDER)
}

export function segmentPath(folder: string, firstSequence: number): string {
  return join(folder, `${digits(firstSequence)}.segment`)
}

export function snapshotPath(folder: string, lastSequence: number): string {
  return join(folder, `${digits(lastSequence)}.snapshot`)
}

/** A name for the bytes cut from a torn tail; the time keeps a second cut at the same place apart. */
export function tornPath(folder: string, sequence: number, timeMs: number): string {
  return join(folder, `${digits(sequence)}.torn-${Math.floor(timeMs)}`)
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

/** What a dead process may have left in a ledger's folder that no start reads. */
export function leftoversIn(names: readonly string[]): { temporary: string[]; torn: string[] } {
  return {
    temporary: names.filter(name => TEMPORARY.test(name)),
    torn: names.filter(name => TORN.test(name)),
  }
}

/** The bytes of a whole file. @throws LedgerError DAMAGED beyond WHOLE_FILE_BYTES_MAX, which no writer reaches */
export async function readWhole(fs: FileSystem, path: string): Promise<Buffer> {
  const file = await fs.open(path, 'read')
  try {
    const size = await file.size()
    if (size > WHOLE_FILE_BYTES_MAX) {
      const expected = `at most ${WHOLE_FILE_BYTES_MAX}`
      const finding = { file: path, offset: 0, found: `${size} bytes`, expected, remedy: REMEDY_RESTORE }
      throw new LedgerError('DAMAGED', finding)
    }
    const bytes = Buffer.allocUnsafe(size)
    return bytes.subarray(0, await readFully(file, bytes, 0))
  } finally {
    await file.close()
  }
}

/** Fills `target` from `position` on. Returns how many bytes there were before the end of the file. */
export async function readFully(file: OpenFile, target: Uint8Array, position: number): Promise<number> {
  let length = 0
  while (length < target.length) {
    const read = await file.read(target.subarray(length), position + length)
    if (read === 0) break
    length += read
  }
  return length
}

/** Writes all of `bytes`. A short write is not a failure: the rest follows, and an error of its own names the cause. */
export async function writeAll(file: OpenFile, bytes: Uint8Array, position: number): Promise<void> {
  let written = 0
  while (written < bytes.length) {
    const count = await file.write(bytes.subarray(written), position + written)
    if (count === 0) throw new Error('the file system wrote 0 bytes and gave no reason')
    written += count
  }
}

/**
 * Writes a file under a temporary name, syncs it and moves it into place: a crash leaves the old file or the new. A
 * failure removes what was written.
 */
export async function replaceFile(
  fs: FileSystem,
  folder: string,
  path: string,
  write: (file: OpenFile) => Promise<void>,
): Promise<void> {
  const temporary = `${path}.new`
  const file = await fs.create(temporary)
  try {
    try {
      await write(file)
      await file.sync()
    } finally {
      await file.close()
    }
    await fs.rename(temporary, path)
  } catch (error) {
    // Its own failure would hide the first one, and the next start removes what is left.
    await fs.remove(temporary).catch(() => {})
    throw error
  }
  await syncFolder(fs, folder)
}

/** Makes the names in a folder durable: after `create`, `rename` and `remove`. */
export async function syncFolder(fs: FileSystem, folder: string): Promise<void> {
  const handle = await fs.openFolder(folder)
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

function digits(sequence: number): string {
  return String(sequence).padStart(16, '0')
}
