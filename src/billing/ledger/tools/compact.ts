import type { FileSystem } from '../disk/file-system.ts'
import { ledgerFolder, listLedger } from '../disk/files.ts'
import { nodeFileSystem } from '../disk/node-file-system.ts'
import { openLedger } from '../ledger.ts'
import { LedgerError } from '../ledger-error.ts'
import { ensureSnapshot, removeCovered } from '../snapshot/snapshots.ts'

/** Opens and closes the ledger, proves a snapshot of all of it, and removes the covered segments. */
export async function compactLedger(dir: string, fs: FileSystem = nodeFileSystem) {
  const folder = ledgerFolder(dir)
  const notices: string[] = []
  const report = { snapshotSequence: 0, removedSegments: 0, removedBytes: 0, keptSegments: 0, notes: notices }
  const onNotice = (notice: string): unknown => notices.push(notice)
  const ledger = await openLedger({ dir, fs, onNotice })
  await ledger.close(async () => {
    await ledger.untilDurable()
    report.snapshotSequence = await ensureSnapshot(fs, folder, await listLedger(fs, folder)).catch(error => {
      throw error instanceof LedgerError ? error : notCompacted(folder, error.message)
    })
    const removed = await removeCovered(fs, folder, 1, onNotice, 1)
    const { segments, snapshots } = await listLedger(fs, folder)
    const isWhole = snapshots[0]?.sequence === report.snapshotSequence
    if (!isWhole || segments.length + snapshots.length > 2)
      throw notCompacted(folder, notices.join('; ') || 'no snapshot of its end could be proved')
    report.removedSegments = removed.segments
    report.removedBytes = removed.bytes
    report.keptSegments = segments.length
  })
  return report
}

function notCompacted(folder: string, why: string): LedgerError {
  const message = `${folder} was not compacted, and no needed file was removed: ${why}. Free some space or check the disk, and try again.`
  return new LedgerError('UNUSABLE', message)
}
