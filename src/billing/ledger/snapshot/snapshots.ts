/** Takes snapshots and removes the files that they cover. */

import { stat } from 'node:fs/promises'
import { Worker } from 'node:worker_threads'
import { expectSpace } from '../../../platform/free-space.ts'
import { inTurn } from '../../../platform/promises.ts'
import type { Book } from '../book/book.ts'
import type { FileSystem } from '../disk/file-system.ts'
import { type LedgerFiles, listLedger, type NumberedFile, withFile } from '../disk/files.ts'
import { nodeFileSystem } from '../disk/node-file-system.ts'
import { LedgerError } from '../ledger-error.ts'
import { SEGMENT_BYTES_MAX } from '../log/segment-log.ts'
import { type Anchor, walkLedger } from '../log/walk.ts'
import { applyTo, newestBook } from '../recover.ts'
import { proveSnapshot, writeSnapshot } from './snapshot.ts'

/** Time after which the snapshot of a closing ledger is given up. */
const CLOSING_SNAPSHOT_MS_MAX = 1000
/** Complete segments that are kept although snapshots cover them: 4 GiB, for `ledger show`. */
const SEGMENTS_KEPT = 64
/** Snapshots kept. The older one is used when the newest is damaged. */
const SNAPSHOTS_KEPT = 2

type OnNotice = (notice: string) => void

export type SnapshotWork = { folder: string; segmentsKept: number }

/** @param onNotice called with a sentence if a snapshot fails, which only slows the next start */
export function snapshotsOf(
  fs: FileSystem,
  folder: string,
  onNotice: OnNotice,
  segmentsKept = SEGMENTS_KEPT,
) {
  const taking = inTurn()
  /** True while a snapshot waits for the one in progress. It includes all segments sealed until then. */
  let isWaiting = false
  let isStopping = false
  let worker: Worker | null = null

  const runWorker = (workerData: SnapshotWork): Promise<void> =>
    new Promise((resolve, reject) => {
      worker = new Worker(new URL('./snapshot-worker.js', import.meta.url), { workerData })
      worker.on('message', onNotice)
      worker.once('error', reject)
      worker.once('exit', code => {
        worker = null
        if (code === 0) resolve()
        else reject(new Error(`the snapshot worker ended with ${code}`))
      })
    })

  /** Lets a worker take a snapshot of the sealed segments and remove covered files. */
  const takeInBackground = (): void => {
    if (isWaiting) return
    isWaiting = true
    taking(async () => {
      isWaiting = false
      if (isStopping) return
      const work = { folder, segmentsKept }
      await (fs === nodeFileSystem ? runWorker(work) : takeSealedSnapshot(fs, work, onNotice))
    }).catch(error => {
      if (!isStopping) onNotice(`a snapshot failed, the next start will take longer: ${String(error)}`)
    })
  }

  return {
    takeInBackground,
    async tidyInBackground(): Promise<void> {
      const { snapshots } = await listLedger(fs, folder)
      if (snapshots.length > SNAPSHOTS_KEPT) takeInBackground()
    },
    /** Gives up a snapshot in progress. The next full segment begins another. */
    async stop(): Promise<void> {
      isStopping = true
      await worker?.terminate()
      await taking(async () => {})
    },
    /** Takes a snapshot of the book, which must not change meanwhile. Deletes nothing. */
    async takeNow(book: Book, anchor: Anchor, nowMs: number): Promise<void> {
      const endMs = performance.now() + CLOSING_SNAPSHOT_MS_MAX
      try {
        await writeSnapshot(fs, folder, anchor, book, nowMs, () => performance.now() > endMs)
      } catch (error) {
        onNotice(`the closing snapshot failed, the next start will take longer: ${String(error)}`)
      }
    },
  }
}

/** Takes a snapshot of all segments but the growing last one, and removes covered files. */
export async function takeSealedSnapshot(
  fs: FileSystem,
  { folder, segmentsKept }: SnapshotWork,
  onNotice: OnNotice,
): Promise<void> {
  const { snapshots, segments } = await listLedger(fs, folder)
  const sealedSequence = (segments.at(-1)?.sequence ?? 1) - 1
  const newest = snapshots[0]
  if ((newest?.sequence ?? 0) < sealedSequence) {
    if (fs === nodeFileSystem) {
      const bytes = newest === undefined ? 0 : (await stat(newest.path)).size
      await expectSpace('A snapshot', folder, bytes, SEGMENT_BYTES_MAX)
    }
    await ensureSnapshot(fs, folder, { snapshots, segments: segments.slice(0, -1) })
  }
  await removeCovered(fs, folder, segmentsKept, onNotice)
}

/** Writes a snapshot of `files` unless there is one. Returns its sequence number. */
export async function ensureSnapshot(fs: FileSystem, folder: string, files: LedgerFiles): Promise<number> {
  const { book, anchor } = await newestBook(fs, files, [])
  const walked = await walkLedger(fs, files.segments, anchor, null, applyTo(book))
  if (walked.sequence > anchor.sequence) await writeSnapshot(fs, folder, walked, book, Date.now())
  return walked.sequence
}

/** Removes all but `snapshotsKept` proved snapshots, and covered segments. Oldest first, without gaps. */
export async function removeCovered(
  fs: FileSystem,
  folder: string,
  segmentsKept: number,
  onNotice: OnNotice,
  snapshotsKept = SNAPSHOTS_KEPT,
) {
  const removed = { segments: 0, bytes: 0 }
  const { segments, snapshots } = await listLedger(fs, folder)
  if (snapshots.length <= snapshotsKept && segments.length <= segmentsKept) return removed
  const kept: NumberedFile[] = []
  for (const snapshot of snapshots) {
    if (kept.length === snapshotsKept) break
    try {
      await proveSnapshot(fs, snapshot)
      kept.push(snapshot)
    } catch (error) {
      if (!(error instanceof LedgerError) || error.code !== 'DAMAGED') throw error
      // It stays for inspection.
      onNotice(`a snapshot is damaged, so the files that it covers are kept: ${error.message}`)
    }
  }
  const oldest = kept.at(-1)
  if (oldest === undefined || kept.length < snapshotsKept) return removed
  const old = snapshots.filter(({ sequence }) => sequence < oldest.sequence)
  for (const { path } of old) await fs.remove(path)
  for (const [index, { path }] of segments.entries()) {
    const next = segments[index + 1]
    const isCovered = next !== undefined && next.sequence <= oldest.sequence + 1
    if (!isCovered || segments.length - index <= segmentsKept) break
    removed.bytes += await withFile(fs, path, 'read', file => file.size())
    await fs.remove(path)
    removed.segments++
  }
  if (old.length + removed.segments > 0) await fs.syncFolder(folder)
  return removed
}
