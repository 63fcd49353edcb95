import { Book } from './book/book.ts'
import type { FileSystem } from './disk/file-system.ts'
import type { LedgerFiles } from './disk/files.ts'
import { LedgerError } from './errors.ts'
import { type Anchor, GENESIS } from './log/walk.ts'
import { readSnapshot } from './snapshot/snapshot.ts'

/**
 * The earliest point from which the segments can be followed without a gap: the beginning, or the oldest snapshot after
 * which all frames are there. @throws LedgerError DAMAGED when there is none
 */
export async function earliestBook(
  fs: FileSystem,
  files: LedgerFiles,
): Promise<{ book: Book; anchor: Anchor }> {
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
