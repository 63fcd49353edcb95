/** Copies a ledger file by file, while a service may be writing it. */
import { join } from 'node:path'
import type { FileSystem, OpenFile } from '../disk/file-system.ts'
import { listLedger, readWhole, segmentPath, snapshotPath, syncFolder, writeAll } from '../disk/files.ts'
import { decodeFileHeader, FILE_HEADER_BYTES, SEGMENT_MAGIC } from '../log/file-header.ts'
import { readFrames } from '../log/frame.ts'

/** Bytes that are copied at a time. */
const CHUNK_BYTES = 4 * 1024 * 1024
/** Copies that are begun again because the service removed a file that a snapshot had come to cover. */
const TRIES_MAX = 4

export interface CopyReport {
  segments: number
  snapshots: number
  bytes: number
}

/**
 * Copies the snapshots and segments of one ledger's folder into another, empty one, durably. Complete files never change;
 * the segment that grows is copied up to its last sound frame. The meter is left out: it would have to be read at one
 * moment with the segments. A failure leaves no file behind. @throws the system's error
 */
export async function copyLedger(fs: FileSystem, from: string, to: string): Promise<CopyReport> {
  for (let tries = 1; ; tries++) {
    const copied: string[] = []
    try {
      return await copyOnce(fs, from, to, copied)
    } catch (error) {
      for (const path of copied) await fs.remove(path)
      const isGone = (error as NodeJS.ErrnoException).code === 'ENOENT'
      if (!isGone || tries === TRIES_MAX) throw error
    }
  }
}

async function copyOnce(fs: FileSystem, from: string, to: string, copied: string[]): Promise<CopyReport> {
  const { segments, snapshots } = await listLedger(fs, from)
  let bytes = 0
  const copy = async (path: string, write: (file: OpenFile) => Promise<number>): Promise<void> => {
    const file = await fs.create(path)
    copied.push(path)
    try {
      bytes += await write(file)
      await file.sync()
    } finally {
      await file.close()
    }
  }
  for (const { path, sequence } of snapshots) {
    await copy(snapshotPath(to, sequence), file => copyAll(fs, path, file))
  }
  for (const [index, { path, sequence }] of segments.entries()) {
    const isLast = index === segments.length - 1
    await copy(segmentPath(to, sequence), file =>
      isLast ? copySound(fs, path, file) : copyAll(fs, path, file),
    )
  }
  await syncFolder(fs, to)
  await syncFolder(fs, join(to, '..'))
  return { segments: segments.length, snapshots: snapshots.length, bytes }
}

async function copyAll(fs: FileSystem, path: string, target: OpenFile): Promise<number> {
  const source = await fs.open(path, 'read')
  const chunk = Buffer.allocUnsafe(CHUNK_BYTES)
  let position = 0
  try {
    for (;;) {
      const length = await source.read(chunk, position)
      if (length === 0) return position
      await writeAll(target, chunk.subarray(0, length), position)
      position += length
    }
  } finally {
    await source.close()
  }
}

/** Copies a segment up to the first frame that is not sound, which in one that grows is being written. */
async function copySound(fs: FileSystem, path: string, target: OpenFile): Promise<number> {
  const bytes = await readWhole(fs, path)
  const header = decodeFileHeader(path, SEGMENT_MAGIC, bytes)
  let end = bytes.length
  if (!('found' in header)) {
    const chain = { sequence: header.sequence - 1, crc: header.chainCrc, epoch: 0 }
    end = readFrames(bytes, FILE_HEADER_BYTES, chain, () => {})?.frameOffset ?? bytes.length
  }
  await writeAll(target, bytes.subarray(0, end), 0)
  return end
}
