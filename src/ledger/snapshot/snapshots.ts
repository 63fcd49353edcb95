/** When snapshots are taken and by whom. */
import { Worker } from 'node:worker_threads'
import { SEGMENTS_KEPT, SNAPSHOT_GRACE_MS, SNAPSHOTS_KEPT } from '../../limits.ts'
import type { Book } from '../book/book.ts'
import type { FileSystem } from '../disk/file-system.ts'
import { listLedger } from '../disk/files.ts'
import { nodeFileSystem } from '../disk/node-file-system.ts'
import { type Anchor, walkLedger } from '../log/walk.ts'
import { applyTo, newestBook } from '../starting-book.ts'
import { removeCovered } from './retention.ts'
import { writeSnapshot } from './snapshot.ts'

type OnNotice = (notice: string) => void

/** What the worker thread is asked to do. */
export interface SnapshotWork {
  folder: string
  segmentsKept: number
}

export class Snapshots {
  readonly #fs: FileSystem
  readonly #folder: string
  readonly #segmentsKept: number
  /** Called with a sentence when a snapshot fails, which costs time at the next start and nothing else. */
  readonly #onNotice: OnNotice
  #inProgress: Promise<void> = Promise.resolve()
  /** True while one round waits for the present one to end: it will see every segment sealed until then. */
  #isWaiting = false
  #isStopping = false
  #worker: Worker | null = null

  constructor(fs: FileSystem, folder: string, onNotice: OnNotice, segmentsKept = SEGMENTS_KEPT) {
    this.#fs = fs
    this.#folder = folder
    this.#segmentsKept = segmentsKept
    this.#onNotice = onNotice
  }

  /**
   * Takes a snapshot of all sealed segments and removes what snapshots cover. Sealed segments no longer change, so a
   * worker can replay them from the disk, and the thread that answers requests neither waits nor shares its memory.
   */
  takeInBackground(): void {
    if (this.#isWaiting) return
    this.#isWaiting = true
    this.#inProgress = this.#inProgress
      .then(() => {
        this.#isWaiting = false
        if (this.#isStopping) return
        const work = { folder: this.#folder, segmentsKept: this.#segmentsKept }
        if (this.#fs === nodeFileSystem) return this.#runWorker(work)
        return snapshotSealed(this.#fs, work, this.#onNotice)
      })
      .catch(error => {
        if (this.#isStopping) return
        this.#onNotice(`a snapshot failed, the next start will take longer: ${String(error)}`)
      })
  }

  /** As `takeInBackground`, when starts and ends have left more snapshots than are kept. */
  async tidyInBackground(): Promise<void> {
    const { snapshots } = await listLedger(this.#fs, this.#folder)
    if (snapshots.length > SNAPSHOTS_KEPT) this.takeInBackground()
  }

  /**
   * Begins no other snapshot, and ends one that is being taken, unless it ends by itself within SNAPSHOT_GRACE_MS. That
   * leaves nothing but an unfinished file, which the next start removes.
   */
  async stop(): Promise<void> {
    this.#isStopping = true
    const timer = setTimeout(() => this.#worker?.terminate(), SNAPSHOT_GRACE_MS)
    await this.#inProgress
    clearTimeout(timer)
  }

  /**
   * Takes a snapshot of the whole book, which must not change meanwhile, and gives it up after `msMax`. Nobody waits to read
   * it back, so nothing is deleted on its account yet. False when it failed.
   */
  async takeNow(
    book: Book,
    anchor: Anchor,
    nowMs: number,
    msMax = Number.POSITIVE_INFINITY,
  ): Promise<boolean> {
    await this.#inProgress
    const endMs = performance.now() + msMax
    const expectTime = (): void => {
      if (performance.now() > endMs) throw new Error(`it was given up after ${msMax} ms`)
    }
    try {
      await writeSnapshot(this.#fs, this.#folder, anchor, book, nowMs, expectTime)
      return true
    } catch (error) {
      this.#onNotice(`the closing snapshot failed, the next start will take longer: ${String(error)}`)
      return false
    }
  }

  #runWorker(work: SnapshotWork): Promise<void> {
    return new Promise((resolve, reject) => {
      const worker = new Worker(new URL('./snapshot-worker.js', import.meta.url), { workerData: work })
      this.#worker = worker
      worker.on('message', this.#onNotice)
      worker.once('error', reject)
      worker.once('exit', code => {
        this.#worker = null
        if (code === 0) resolve()
        else reject(new Error(`the snapshot worker ended with ${code}`))
      })
    })
  }
}

/** Replays all segments but the growing last one, from the newest snapshot on, and writes what they add up to. */
export async function snapshotSealed(
  fs: FileSystem,
  { folder, segmentsKept }: SnapshotWork,
  onNotice: OnNotice,
): Promise<void> {
  const { snapshots, segments } = await listLedger(fs, folder)
  const sealedSequence = (segments.at(-1)?.sequence ?? 1) - 1
  const isCovered = (snapshots[0]?.sequence ?? 0) >= sealedSequence
  if (!isCovered) await snapshotOf(fs, folder, { snapshots, segments: segments.slice(0, -1) })
  await removeCovered(fs, folder, { segmentsKept, onNotice })
}

/** Writes a snapshot of what `files` add up to, unless there is one. Returns its sequence number. */
export async function snapshotOf(
  fs: FileSystem,
  folder: string,
  files: Awaited<ReturnType<typeof listLedger>>,
): Promise<number> {
  const { book, anchor } = await newestBook(fs, files, [])
  const walked = await walkLedger(fs, files.segments, anchor, 0, applyTo(book))
  if (walked.sequence > anchor.sequence) await writeSnapshot(fs, folder, walked, book, Date.now())
  return walked.sequence
}
