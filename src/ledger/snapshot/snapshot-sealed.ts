import type { FileSystem } from '../disk/file-system.ts'
import { listLedger } from '../disk/files.ts'
import { walkLedger } from '../log/walk.ts'
import { applyTo, newestBook } from '../recover.ts'
import { writeSnapshot } from './snapshot.ts'

/** Replays all segments but the growing last one, from the newest snapshot on, and writes what they add up to. */
export async function snapshotSealed(fs: FileSystem, folder: string): Promise<void> {
  const files = await listLedger(fs, folder)
  const { book, anchor } = await newestBook(fs, files, [])
  const walked = await walkLedger(fs, files.segments.slice(0, -1), anchor, 0, applyTo(book))
  if (walked.sequence > anchor.sequence) await writeSnapshot(fs, folder, walked, book, Date.now())
}
