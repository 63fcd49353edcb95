import { QUERY_PRICE_MICROS } from '../../limits.ts'
import type { FileSystem } from '../disk/file-system.ts'
import { ledgerFolder, listLedger } from '../disk/files.ts'
import { nodeFileSystem } from '../disk/node-file-system.ts'
import { LedgerError } from '../errors.ts'
import { Ledger } from '../ledger.ts'
import { type Removed, removeCovered } from '../snapshot/retention.ts'
import { snapshotOf } from '../snapshot/snapshots.ts'

export interface CompactReport {
  snapshotSequence: number
  removedSegments: number
  removedBytes: number
  keptSegments: number
}

/**
 * Opens the ledger as the service would, which recovers what a crash left, closes it, makes sure of a snapshot of all of
 * it, reads that back, and removes the segments that it covers. Credits, keys and balances stay; single usage entries of
 * those segments are gone. @throws LedgerError LOCKED while the service runs, UNUSABLE when the snapshot fails
 */
export async function compactLedger(dir: string, fs: FileSystem = nodeFileSystem): Promise<CompactReport> {
  const folder = ledgerFolder(dir)
  let removed: Removed = { segments: 0, bytes: 0 }
  let snapshotSequence = 0
  await onClosedLedger(dir, fs, async notices => {
    const onNotice = (notice: string): void => {
      notices.push(notice)
    }
    snapshotSequence = await snapshotOf(fs, folder, await listLedger(fs, folder)).catch(error => {
      throw notCompacted(folder, String(error))
    })
    const newest = (await listLedger(fs, folder)).snapshots[0]
    removed = await removeCovered(fs, folder, { segmentsKept: 1, snapshotsKept: 1, onNotice })
    const { segments, snapshots } = await listLedger(fs, folder)
    if (newest?.sequence === snapshotSequence && segments.length + snapshots.length === 2) return
    throw notCompacted(folder, notices.join('; ') || 'no snapshot of its end could be proved')
  })
  const keptSegments = (await listLedger(fs, folder)).segments.length
  return { snapshotSequence, removedSegments: removed.segments, removedBytes: removed.bytes, keptSegments }
}

/**
 * Recovers the ledger under its lock, as a start of the service would, closes it, and runs `work` before the lock is
 * released. `notices` is what recovery and closing reported. @throws LedgerError when the ledger cannot be written
 */
export async function onClosedLedger(
  dir: string,
  fs: FileSystem,
  work: (notices: string[]) => Promise<void>,
): Promise<void> {
  const notices: string[] = []
  const failures: Error[] = []
  const onFail = (error: Error): void => {
    failures.push(error)
  }
  const onNotice = (notice: string): void => {
    notices.push(notice)
  }
  const ledger = await Ledger.open({ dir, fs, priceMicros: QUERY_PRICE_MICROS, onFail, onNotice })
  await ledger.close(async () => {
    if (failures[0] !== undefined) throw failures[0]
    await work(notices)
  })
}

function notCompacted(folder: string, why: string): LedgerError {
  const message = `${folder} was not compacted, and nothing that is needed was removed: ${why}. Free some space or check the disk, and try again.`
  return new LedgerError('UNUSABLE', message)
}
