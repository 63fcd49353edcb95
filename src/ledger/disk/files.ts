import { join } from 'node:path'
import type { FileSystem, OpenFile } from './file-system.ts'

/** Names in the ledger's folder; the number is a sequence number in 16 digits, so that names sort as numbers do. */
export const LEDGER_FOLDER = 'ledger'
export const LOCK_NAME = 'lock'
export const METER_NAME = 'meter'

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

export async function readWhole(fs: FileSystem, path: string): Promise<Buffer> {
  const file = await fs.open(path, 'read')
  try {
    const bytes = Buffer.allocUnsafe(await file.size())
    let length = 0
    while (length < bytes.length) {
      const read = await file.read(bytes.subarray(length), length)
      if (read === 0) break
      length += read
    }
    return bytes.subarray(0, length)
  } finally {
    await file.close()
  }
}

/** Writes all of `bytes`. A short write is no failure: the rest follows, and its own error tells the cause. */
export async function writeAll(file: OpenFile, bytes: Uint8Array, position: number): Promise<void> {
  let written = 0
  while (written < bytes.length) {
    const count = await file.write(bytes.subarray(written), position + written)
    if (count === 0) throw new Error('the file system wrote 0 bytes and gave no reason')
    written += count
  }
}

/** Writes a file under a temporary name, syncs it and moves it into place: a crash leaves the old file or the new. */
export async function replaceFile(
  fs: FileSystem,
  folder: string,
  path: string,
  write: (file: OpenFile) => Promise<void>,
): Promise<void> {
  const file = await fs.create(`${path}.new`)
  try {
    await write(file)
    await file.sync()
  } finally {
    await file.close()
  }
  await fs.rename(`${path}.new`, path)
  await fs.syncFolder(folder)
}

function digits(sequence: number): string {
  return String(sequence).padStart(16, '0')
}
