/** When snapshots are taken, by whom, and which are kept. */
import { Worker } from 'node:worker_threads'
import type { Book } from '../book/book.ts'
import type { FileSystem } from '../disk/file-system.ts'
import { nodeFileSystem } from '../disk/node-file-system.ts'
import type { Anchor } from '../log/walk.ts'
import { pruneSnapshots, removeCovered, SEGMENTS_KEPT, SNAPSHOTS_KEPT } from './retention.ts'
import { writeSnapshot } from './snapshot.ts'
import { snapshotSealed } from './snapshot-sealed.ts'

export class Snapshots {
  readonly #fs: FileSystem
  readonly #folder: string
  readonly #segmentsKept: number
  /** Called with a sentence when a snapshot fails, which costs time at the next start and nothing else. */
  readonly #onNotice: (notice: string) => void
  #inProgress: Promise<void> = Promise.resolve()
  #worker: Worker | null = null
  #isStopping = false

  constructor(
    fs: FileSystem,
    folder: string,
    onNotice: (notice: string) => void,
    segmentsKept = SEGMENTS_KEPT,
  ) {
    this.#fs = fs
    this.#folder = folder
    this.#segmentsKept = segmentsKept
    this.#onNotice = onNotice
  }

  /**
   * Takes a snapshot of all sealed segments. They no longer change, so a worker can replay them from the disk, and the
   * thread that answers requests neither waits nor shares its memory. Then the oldest segments may go.
   */
  takeInBackground(): void {
    this.#inProgress = this.#inProgress
      .then(() => (this.#fs === nodeFileSystem ? this.#runWorker() : snapshotSealed(this.#fs, this.#folder)))
      .then(() => pruneSnapshots(this.#fs, this.#folder))
      .then(() => removeCovered(this.#fs, this.#folder, this.#segmentsKept, SNAPSHOTS_KEPT))
      .then(() => {})
      .catch(error => {
        if (this.#isStopping) return
        this.#onNotice(`a snapshot failed, the next start will take longer: ${String(error)}`)
      })
  }

  /** Ends a snapshot that is being taken, which leaves nothing but an unfinished file, and begins no other. */
  async stop(): Promise<void> {
    this.#isStopping = true
    await this.#worker?.terminate()
    await this.#inProgress
  }

  /** Takes a snapshot of the whole book, which must not change meanwhile. */
  async takeNow(book: Book, anchor: Anchor, nowMs: number): Promise<void> {
    await this.#inProgress
    try {
      await writeSnapshot(this.#fs, this.#folder, anchor, book, nowMs)
      await pruneSnapshots(this.#fs, this.#folder)
    } catch (error) {
      this.#onNotice(`the closing snapshot failed, the next start will take longer: ${String(error)}`)
    }
  }

  #runWorker(): Promise<void> {
    if (this.#isStopping) return Promise.resolve()
    return new Promise((resolve, reject) => {
      const worker = new Worker(new URL('./snapshot-worker.js', import.meta.url), {
        workerData: this.#folder,
      })
      this.#worker = worker
      worker.once('error', reject)
      worker.once('exit', code =>
        code === 0 ? resolve() : reject(new Error(`the snapshot worker ended with ${code}`)),
      )
    })
  }
}
