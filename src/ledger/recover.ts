/** From the files of a dead process to a book: snapshot, segments, torn tail, meter. */
import { randomBytes } from 'node:crypto'
import { Book } from './book/book.ts'
import type { FileSystem } from './disk/file-system.ts'
import { type LedgerFiles, listLedger, tornPath, writeAll } from './disk/files.ts'
import { LedgerError } from './errors.ts'
import type { LedgerEvent } from './event.ts'
import { type Anchor, GENESIS, type TornTail, type Visit, type Walked, walkLedger } from './log/walk.ts'
import { type MeterImage, readMeter } from './meter/meter-image.ts'
import { usageAhead } from './meter/reconcile.ts'
import { readSnapshot } from './snapshot/snapshot.ts'

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
  const meter = await readMeter(fs, folder)
  const { book, anchor } = await newestBook(fs, files, notes)
  const durableSequence = meter?.durableSequence ?? 0
  const walked = await walkLedger(fs, files.segments, anchor, durableSequence, applyTo(book))
  const ledgerId = walked.ledgerId ?? randomBytes(16)
  const rowsAhead = meter === null ? [] : usageAhead(meter, book, ledgerId)
  return { book, walked, ledgerId, rowsAhead, meter, notes }
}

/** A visitor that applies every event to a book. */
export function applyTo(book: Book): Visit {
  return (sequence, _epoch, payload) => {
    // No destructuring: it would copy the events, which costs a tenth of a replay.
    for (let index = 1; index < payload.length; index++) {
      book.apply(payload[index] as LedgerEvent, payload[0], sequence)
    }
  }
}

/** The newest snapshot that can be read; a damaged one is passed over, since the segments may reach back further. */
export async function newestBook(
  fs: FileSystem,
  files: LedgerFiles,
  notes: string[],
): Promise<{ book: Book; anchor: Anchor }> {
  for (const snapshot of files.snapshots) {
    try {
      return await readSnapshot(fs, snapshot)
    } catch (error) {
      if (!(error instanceof LedgerError) || error.code !== 'DAMAGED') throw error
      notes.push(`snapshot passed over: ${error.message}`)
    }
  }
  return { book: new Book(), anchor: GENESIS }
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
  const copy = await fs.create(aside)
  await writeAll(copy, bytes, 0)
  await copy.sync()
  await copy.close()
  if (offset === 0) {
    await fs.remove(file)
  } else {
    const segment = await fs.open(file, 'write')
    await segment.truncate(offset)
    await segment.sync()
    await segment.close()
  }
  await fs.syncFolder(folder)
  return `a write that never finished was cut from ${file} at byte ${offset} and kept in ${aside}: found ${finding.found}`
}
