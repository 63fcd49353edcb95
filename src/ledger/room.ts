/** Room that other files leave for the ledger. */
import { stat } from 'node:fs/promises'
import { SEGMENT_BYTES_MAX } from '../limits.ts'
import { isSameDisk } from '../platform/disk-space.ts'
import { ledgerFolder, listLedger, type NumberedFile } from './disk/files.ts'
import { nodeFileSystem } from './disk/node-file-system.ts'

/** Segments that fit into the room: the one that grows, and its successor. */
const SEGMENTS = 2

/** Bytes that a file at `path` must leave free: two segments and a snapshot, 0 if the ledger of `dataDir` is on another disk. */
export async function roomForLedger(dataDir: string, path: string): Promise<number> {
  const folder = ledgerFolder(dataDir)
  if (!(await isSameDisk(folder, path))) return 0
  return SEGMENTS * SEGMENT_BYTES_MAX + (await newestSnapshotBytes(folder))
}

/** Bytes of the newest snapshot, which the next one will have as well; 0 without one. */
export async function newestSnapshotBytes(folder: string): Promise<number> {
  const { snapshots } = await listLedger(nodeFileSystem, folder)
  return bytesOf(snapshots.slice(0, 1))
}

export async function ledgerBytes(folder: string): Promise<number> {
  const { segments, snapshots } = await listLedger(nodeFileSystem, folder)
  return bytesOf([...segments, ...snapshots])
}

async function bytesOf(files: readonly NumberedFile[]): Promise<number> {
  let bytes = 0
  // The service may remove one meanwhile.
  for (const { path } of files) bytes += (await stat(path).catch(() => undefined))?.size ?? 0
  return bytes
}
