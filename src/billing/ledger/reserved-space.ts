/** Disk space that other files leave for the ledger. */

import { stat } from 'node:fs/promises'
import { isSameDisk } from '../../platform/free-space.ts'
import { ledgerFolder, listLedger, type NumberedFile } from './disk/files.ts'
import { nodeFileSystem } from './disk/node-file-system.ts'
import { SEGMENT_BYTES_MAX } from './log/segment-log.ts'

/** Returns the bytes to leave free beside `path`: two segments and a snapshot; 0 on another disk. */
export async function reservedBytes(dataDir: string, path: string): Promise<number> {
  const folder = ledgerFolder(dataDir)
  if (!(await isSameDisk(folder, path))) return 0
  const { snapshots } = await listLedger(nodeFileSystem, folder)
  // The next snapshot is expected to be as large as the newest one.
  return 2 * SEGMENT_BYTES_MAX + (await bytesOf(snapshots.slice(0, 1)))
}

export async function ledgerBytes(folder: string): Promise<number> {
  const { segments, snapshots } = await listLedger(nodeFileSystem, folder)
  return bytesOf([...segments, ...snapshots])
}

async function bytesOf(files: readonly NumberedFile[]): Promise<number> {
  let bytes = 0
  // The service may remove a file meanwhile.
  for (const { path } of files) bytes += (await stat(path).catch(() => undefined))?.size ?? 0
  return bytes
}
