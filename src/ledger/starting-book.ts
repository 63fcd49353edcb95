/** The book from which segments are followed: that of a snapshot, or an empty one at the beginning. */
import { Book } from './book/book.ts'
import type { FileSystem } from './disk/file-system.ts'
import type { LedgerFiles } from './disk/files.ts'
import { LedgerError, REMEDY_RESTORE } from './errors.ts'
import type { LedgerEvent } from './event.ts'
import { GENESIS, type Visit } from './log/walk.ts'
import { type BookAt, readSnapshot } from './snapshot/snapshot.ts'

/** The newest snapshot that can be read; a damaged one is passed over, since the segments may reach back further. */
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

/**
 * The earliest point from which the segments can be followed without a gap: the beginning, or the oldest snapshot after
 * which all frames are there. @throws LedgerError DAMAGED when there is none
 */
export async function earliestBook(fs: FileSystem, files: LedgerFiles): Promise<BookAt> {
  const first = files.segments[0]?.sequence ?? Number.POSITIVE_INFINITY
  if (first === 1 || files.segments.length + files.snapshots.length === 0) {
    return { book: new Book(), anchor: GENESIS }
  }
  const last = files.snapshots[0]?.sequence ?? 0
  const start = files.snapshots.findLast(({ sequence }) => sequence >= Math.min(first - 1, last))
  if (start !== undefined) return readSnapshot(fs, start)
  throw new LedgerError('DAMAGED', {
    file: files.segments[0]?.path ?? 'the ledger',
    offset: 32,
    found: `a first segment from sequence ${first} and no snapshot`,
    expected: 'a segment from sequence 1, or a snapshot of what came before',
    remedy: 'Restore the missing segments or the snapshot from a backup.',
  })
}

/**
 * A ledger always keeps the segment that grows, so a snapshot alone is what is left of one.
 * @throws LedgerError DAMAGED when there is a snapshot and no segment
 */
export function expectSegments({ segments, snapshots }: LedgerFiles): void {
  const newest = snapshots[0]
  if (segments.length > 0 || newest === undefined) return
  throw new LedgerError('DAMAGED', {
    file: newest.path,
    offset: 0,
    found: 'a snapshot and no segment',
    expected: 'the segment that was growing when the service ended',
    remedy: `What was recorded after the snapshot is missing. ${REMEDY_RESTORE}`,
  })
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
