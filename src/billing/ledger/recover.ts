/** Recovers the book from snapshot, segments, torn tail and meter. Only `cutTail` changes the disk. */
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { Book } from './book/book.ts'
import type { FileSystem } from './disk/file-system.ts'
import { type LedgerFiles, listLedger, METER_NAME, numberedPath, withFile, writeAll } from './disk/files.ts'
import type { KeyUsage, LedgerEvent } from './event.ts'
import { damage, LedgerError, REMEDY_RESTORE } from './ledger-error.ts'
import { HEADER } from './log/file-header.ts'
import { GENESIS, type TornTail, type Visit, type Walked, walkLedger } from './log/walk.ts'
import { lowCount, type MeterImage, readMeter, unbookedUsage } from './meter/meter-image.ts'
import { type BookAt, readSnapshot } from './snapshot/snapshot.ts'

/** Rebuilds the book. Only the meter has `unbookedRows`. `notes` are for the operator. @throws LedgerError */
export async function recover(fs: FileSystem, folder: string) {
  const notes: string[] = []
  const files = await listLedger(fs, folder)
  expectSegments(files)
  const meter = await readMeter(fs, folder)
  const { book, anchor } = await newestBook(fs, files, notes)
  const walked = await walkLedger(fs, files.segments, anchor, meter, applyTo(book))
  notes.push(...(await meterNotes(fs, folder, meter, walked, book)))
  const ledgerId = walked.ledgerId ?? randomBytes(16)
  const unbookedRows: KeyUsage[] = meter === null ? [] : unbookedUsage(meter, book)
  return { book, walked, ledgerId, meter, unbookedRows, notes }
}

/** Reads the newest undamaged snapshot. */
export async function newestBook(fs: FileSystem, files: LedgerFiles, notes: string[]): Promise<BookAt> {
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

/** Reads the oldest snapshot that all frames follow, or returns an empty book. @throws LedgerError DAMAGED */
export async function earliestBook(fs: FileSystem, files: LedgerFiles): Promise<BookAt> {
  expectSegments(files)
  const { segments, snapshots } = files
  const first = segments[0]?.sequence ?? Number.POSITIVE_INFINITY
  if (first === 1 || segments.length + snapshots.length === 0) return { book: new Book(), anchor: GENESIS }
  const last = snapshots[0]?.sequence ?? 0
  const start = snapshots.findLast(({ sequence }) => sequence >= Math.min(first - 1, last))
  if (start !== undefined) return readSnapshot(fs, start)
  throw damage(
    segments[0]?.path ?? 'the ledger',
    HEADER.sequence,
    `a first segment from sequence ${first} and no snapshot`,
    'a segment from sequence 1, or a snapshot of the earlier entries',
    'Restore the missing segments or the snapshot from a backup.',
  )
}

/** @throws LedgerError DAMAGED for a snapshot without a segment: a ledger always keeps the last segment */
function expectSegments({ segments, snapshots: [newest] }: LedgerFiles): void {
  if (segments.length > 0 || newest === undefined) return
  const remedy = `Entries after the snapshot are missing. ${REMEDY_RESTORE}`
  const expected = 'the last segment of the ledger'
  throw damage(newest.path, 0, 'a snapshot and no segment', expected, remedy)
}

export function applyTo(book: Book): Visit {
  return (sequence, _epoch, payload) => {
    // Destructuring would copy the events, a tenth of a replay.
    for (let index = 1; index < payload.length; index++)
      book.apply(payload[index] as LedgerEvent, payload[0], sequence)
  }
}

/**
 * Returns a note if the meter is missing or lacks charges of the ledger. A power cut loses its pages in any
 * order, and somebody may have put an old one there. @throws LedgerError DAMAGED if it lacks charges,
 * although it is not old and the machine has not started since
 */
export async function meterNotes(
  fs: FileSystem,
  folder: string,
  meter: MeterImage | null,
  { notedSequence, sequence }: Walked,
  book: Book,
): Promise<string[]> {
  if (meter === null) return notedSequence > 0 ? [missingMeterNote(folder)] : []
  const { file, durableSequence, bootId } = meter
  // The ledger proves a sync that the meter has not noted.
  if (durableSequence < notedSequence)
    return [oldMeterNote(file, `ends with sequence ${durableSequence}, the ledger with ${sequence}`)]
  const low = lowCount(meter, book)
  if (low === null) return []
  if (bootId.equals(await fs.bootId())) throw low
  return [oldMeterNote(file, `has ${low.finding?.found}, expected ${low.finding?.expected}`)]
}

function oldMeterNote(file: string, why: string): string {
  return (
    `${file} is older than the ledger: it ${why}. Charges that only a newer meter knew are not counted, in the customers’ ` +
    'favour. After a power cut, only charges of the last moments are missing. Otherwise somebody replaced the meter. If you ' +
    'have the newer one, stop the service and put it back.'
  )
}

/** Returns a note for a ledger that proves a meter. A backup has none, since its ledger has all charges. */
function missingMeterNote(folder: string): string {
  return (
    `${join(folder, METER_NAME)} is missing: charges that only it knew are not counted, in the customers’ favour. A backup has ` +
    'no meter, and after a restore no charges are missing. Otherwise find out who removed it. If you have it, stop the service ' +
    'and put it back.'
  )
}

/** Copies a torn tail aside, durably, and then cuts it off. Returns a sentence for the log. */
export async function cutTail(
  fs: FileSystem,
  folder: string,
  { path, bytes, flaw: { frameOffset, found } }: TornTail,
  sequence: number,
  timeMs: number,
): Promise<string> {
  // The time distinguishes a second cut at the same place.
  const aside = numberedPath(folder, sequence, `torn-${Math.floor(timeMs)}`)
  if (bytes.length > 0)
    await withFile(fs, aside, 'create', async copy => {
      await writeAll(copy, bytes, 0)
      await copy.sync()
    })
  if (frameOffset === 0) await fs.remove(path)
  else
    await withFile(fs, path, 'write', async segment => {
      await segment.truncate(frameOffset)
      await segment.sync()
    })
  await fs.syncFolder(folder)
  const kept = bytes.length > 0 ? ` and kept in ${aside}` : ''
  return `a write that never finished was cut from ${path} at byte ${frameOffset}${kept}: found ${found}`
}
