import type { FileSystem } from '../disk/file-system.ts'
import { listLedger } from '../disk/files.ts'

/** Complete segments kept beyond what snapshots cover: 4 GiB, for `ledger show` and for people. */
export const SEGMENTS_KEPT = 64
/** The newest may turn out to be damaged; then the one before it saves the day. */
export const SNAPSHOTS_KEPT = 2

export interface Removed {
  segments: number
  bytes: number
}

/** Removes all but the newest `kept` snapshots. */
export async function pruneSnapshots(fs: FileSystem, folder: string, kept = SNAPSHOTS_KEPT): Promise<void> {
  const { snapshots } = await listLedger(fs, folder)
  const old = snapshots.slice(kept)
  for (const { path } of old) await fs.remove(path)
  if (old.length > 0) await fs.syncFolder(folder)
}

/**
 * Removes the oldest segments until `segmentsKept` are left, but only those that every snapshot covers, and only when
 * `snapshotsMin` of these exist. Oldest first, so that a crash leaves no gap.
 */
export async function removeCovered(
  fs: FileSystem,
  folder: string,
  segmentsKept: number,
  snapshotsMin: number,
): Promise<Removed> {
  const { segments, snapshots } = await listLedger(fs, folder)
  const oldest = snapshots.at(-1)
  const removed = { segments: 0, bytes: 0 }
  if (oldest === undefined || snapshots.length < snapshotsMin) return removed
  for (const [index, segment] of segments.entries()) {
    const next = segments[index + 1]
    if (next === undefined || next.sequence > oldest.sequence + 1 || segments.length - index <= segmentsKept)
      break
    removed.bytes += await fileBytes(fs, segment.path)
    await fs.remove(segment.path)
    removed.segments++
  }
  if (removed.segments > 0) await fs.syncFolder(folder)
  return removed
}

async function fileBytes(fs: FileSystem, path: string): Promise<number> {
  const file = await fs.open(path, 'read')
  try {
    return await file.size()
  } finally {
    await file.close()
  }
}
