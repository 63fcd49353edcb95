import { QUERY_PRICE_MICROS } from '../../limits.ts'
import type { FileSystem } from '../disk/file-system.ts'
import { ledgerFolder, listLedger } from '../disk/files.ts'
import { nodeFileSystem } from '../disk/node-file-system.ts'
import { Ledger } from '../ledger.ts'
import { pruneSnapshots, removeCovered } from '../snapshot/retention.ts'
import { readSnapshot } from '../snapshot/snapshot.ts'

export interface CompactReport {
  snapshotSequence: number
  removedSegments: number
  removedBytes: number
  keptSegments: number
}

/**
 * Opens the ledger as the service would, which recovers what a crash left, closes it with a snapshot, reads that back, and
 * removes the segments that it covers. Credits, keys and balances stay; single usage entries of those segments are gone.
 * @throws LedgerError LOCKED while the service runs
 */
export async function compactLedger(dir: string, fs: FileSystem = nodeFileSystem): Promise<CompactReport> {
  const folder = ledgerFolder(dir)
  const problems: string[] = []
  const onFail = (error: Error): void => {
    problems.push(error.message)
  }
  const ledger = await Ledger.open({ dir, fs, priceMicros: QUERY_PRICE_MICROS, onFail })
  let removed = { segments: 0, bytes: 0 }
  let snapshotSequence = 0
  await ledger.close(async () => {
    const newest = (await listLedger(fs, folder)).snapshots[0]
    if (newest === undefined || problems.length > 0) return
    snapshotSequence = (await readSnapshot(fs, newest)).anchor.sequence
    await pruneSnapshots(fs, folder, 1)
    removed = await removeCovered(fs, folder, 1, 1)
  })
  const keptSegments = (await listLedger(fs, folder)).segments.length
  return { snapshotSequence, removedSegments: removed.segments, removedBytes: removed.bytes, keptSegments }
}
