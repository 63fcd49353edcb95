/** From the files of a dead process to a book: snapshot, segments, torn tail, meter. */
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { TORN_KEPT } from '../limits.ts'
import type { Book } from './book/book.ts'
import type { FileSystem } from './disk/file-system.ts'
import {
  type LedgerFiles,
  leftoversIn,
  listLedger,
  readFully,
  syncFolder,
  tornPath,
  writeAll,
} from './disk/files.ts'
import { LedgerError } from './errors.ts'
import { decodeFileHeader, FILE_HEADER_BYTES, SEGMENT_MAGIC } from './log/file-header.ts'
import { type TornTail, type Walked, walkLedger } from './log/walk.ts'
import type { MeterImage } from './meter/meter-image.ts'
import { readMeter } from './meter/meter-reader.ts'
import { usageAhead } from './meter/reconcile.ts'
import { applyTo, expectSegments, newestBook } from './starting-book.ts'

export interface Recovered {
  book: Book
  walked: Walked
  ledgerId: Buffer
  /** Usage that only the meter knows; to be appended before anything else. */
  rowsAhead: number[]
  meter: MeterImage | null
  /** What an operator should know: a cut tail, a snapshot passed over. */
  notes: string[]
}

/**
 * Rebuilds the book. Changes nothing on the disk. Cost: that of the newest snapshot and of the frames after it.
 * @throws LedgerError DAMAGED or NEWER_FORMAT
 */
export async function recover(fs: FileSystem, folder: string): Promise<Recovered> {
  const notes: string[] = []
  const files = await listLedger(fs, folder)
  expectSegments(files)
  const meter = await readMeter(fs, folder)
  await expectOwnMeter(fs, files, meter)
  const { book, anchor } = await newestBook(fs, files, notes)
  const durableSequence = meter?.durableSequence ?? 0
  const walked = await walkLedger(fs, files.segments, anchor, durableSequence, applyTo(book))
  const ledgerId = walked.ledgerId ?? randomBytes(16)
  const rowsAhead = meter === null ? [] : usageAhead(meter, book, ledgerId)
  return { book, walked, ledgerId, rowsAhead, meter, notes }
}

/**
 * Compares the meter's ledger id with that of the last segment, before anything else that the meter says is believed:
 * in the meter of another ledger, the durable sequence number means nothing.
 * @throws LedgerError DAMAGED
 */
export async function expectOwnMeter(
  fs: FileSystem,
  { segments }: LedgerFiles,
  meter: MeterImage | null,
): Promise<void> {
  const last = segments.at(-1)
  if (last === undefined || meter === null) return
  const file = await fs.open(last.path, 'read')
  const head = Buffer.alloc(FILE_HEADER_BYTES)
  try {
    const header = decodeFileHeader(
      last.path,
      SEGMENT_MAGIC,
      head.subarray(0, await readFully(file, head, 0)),
    )
    // What is wrong with the segment is the business of those who read it.
    if ('found' in header || header.ledgerId.equals(meter.ledgerId)) return
    throw new LedgerError('DAMAGED', {
      file: meter.file,
      offset: 16,
      found: `the meter of another ledger, with ledger id ${meter.ledgerId.toString('hex')}`,
      expected: `${header.ledgerId.toString('hex')}, the id of ${last.path}`,
      remedy:
        'Put the meter of this ledger back; or move the file `meter` away to start from the ledger alone, which gives ' +
        'up only charges of the last moments before the last crash, in the customers’ favour.',
    })
  } finally {
    await file.close()
  }
}

/** Copies a torn tail aside, durably, and only then cuts it off. Returns a sentence for the log. */
export async function cutTail(
  fs: FileSystem,
  folder: string,
  torn: TornTail,
  sequence: number,
  timeMs: number,
): Promise<string> {
  const { file, offset, bytes, finding } = torn
  const aside = tornPath(folder, sequence, timeMs)
  if (bytes.length > 0) {
    const copy = await fs.create(aside)
    try {
      await writeAll(copy, bytes, 0)
      await copy.sync()
    } finally {
      await copy.close()
    }
  }
  if (offset === 0) {
    await fs.remove(file)
  } else {
    const segment = await fs.open(file, 'write')
    try {
      await segment.truncate(offset)
      await segment.sync()
    } finally {
      await segment.close()
    }
  }
  await syncFolder(fs, folder)
  const kept = bytes.length > 0 ? ` and kept in ${aside}` : ''
  return `a write that never finished was cut from ${file} at byte ${offset}${kept}: found ${finding.found}`
}

/**
 * Removes what dead processes left that nothing reads: files that never got their name, empty copies of torn tails, and
 * all but the newest TORN_KEPT of the others. Only the holder of the lock may call it.
 */
export async function removeLeftovers(fs: FileSystem, folder: string): Promise<void> {
  const { temporary, torn } = leftoversIn(await fs.list(folder))
  const removed = temporary.map(name => join(folder, name))
  const paths = torn.map(name => join(folder, name))
  for (const [index, path] of paths.entries()) {
    if (index < paths.length - TORN_KEPT || (await isEmpty(fs, path))) removed.push(path)
  }
  for (const path of removed) await fs.remove(path)
  if (removed.length > 0) await syncFolder(fs, folder)
}

async function isEmpty(fs: FileSystem, path: string): Promise<boolean> {
  const file = await fs.open(path, 'read')
  try {
    return (await file.size()) === 0
  } finally {
    await file.close()
  }
}
