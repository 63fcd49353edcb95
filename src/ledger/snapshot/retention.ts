/** What is deleted because a snapshot holds it, and what must be known of the snapshot before. */
import { SNAPSHOTS_KEPT } from '../../limits.ts'
import type { FileSystem } from '../disk/file-system.ts'
import { listLedger, type NumberedFile, syncFolder } from '../disk/files.ts'
import { LedgerError } from '../errors.ts'
import { proveSnapshot } from './snapshot.ts'

export interface Removed {
  segments: number
  bytes: number
}

export interface RetentionOptions {
  /** Complete segments that are kept although snapshots cover them. */
  segmentsKept: number
  snapshotsKept?: number
  onNotice: (notice: string) => void
}

/**
 * Reads snapshots back, newest first, until `snapshotsKept` are proved. Only then are older snapshots removed, and the
 * oldest segments that all of the proved ones cover, until `segmentsKept` are left. Oldest first, so that a crash leaves
 * no gap. Costs reading the kept snapshots; run it where nobody waits.
 */
export async function removeCovered(
  fs: FileSystem,
  folder: string,
  { segmentsKept, snapshotsKept = SNAPSHOTS_KEPT, onNotice }: RetentionOptions,
): Promise<Removed> {
  const removed = { segments: 0, bytes: 0 }
  const { segments, snapshots } = await listLedger(fs, folder)
  const hasOld = snapshots.length > snapshotsKept
  if (!hasOld && segments.length <= segmentsKept) return removed
  const kept = await provedSnapshots(fs, snapshots, snapshotsKept, onNotice)
  const oldest = kept.at(-1)
  if (oldest === undefined || kept.length < snapshotsKept) return removed
  const old = snapshots.filter(({ sequence }) => sequence < oldest.sequence)
  for (const { path } of old) await fs.remove(path)
  for (const [index, segment] of segments.entries()) {
    const next = segments[index + 1]
    const isCovered = next !== undefined && next.sequence <= oldest.sequence + 1
    if (!isCovered || segments.length - index <= segmentsKept) break
    removed.bytes += await fileBytes(fs, segment.path)
    await fs.remove(segment.path)
    removed.segments++
  }
  if (old.length + removed.segments > 0) await syncFolder(fs, folder)
  return removed
}

/** The newest `count` snapshots that can be proved, newest first. A damaged one stays, for people to see. */
async function provedSnapshots(
  fs: FileSystem,
  snapshots: readonly NumberedFile[],
  count: number,
  onNotice: (notice: string) => void,
): Promise<NumberedFile[]> {
  const proved: NumberedFile[] = []
  for (const snapshot of snapshots) {
    if (proved.length === count) break
    try {
      await proveSnapshot(fs, snapshot)
      proved.push(snapshot)
    } catch (error) {
      if (!(error instanceof LedgerError) || error.code !== 'DAMAGED') throw error
      onNotice(`a snapshot cannot be relied on, so what it covers is kept: ${error.message}`)
    }
  }
  return proved
}

async function fileBytes(fs: FileSystem, path: string): Promise<number> {
  const file = await fs.open(path, 'read')
  try {
    return await file.size()
  } finally {
    await file.close()
  }
}
