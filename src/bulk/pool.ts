/** Decides where a batch is read: small bodies on the calling thread, large ones by a pool of workers. */
import type { LentIndex } from '../index/loans.ts'
import type { PostalIndex } from '../index/postal-index.ts'
import { BULK_QUEUE_MAX, BULK_THRESHOLD_BYTES } from '../limits.ts'
import { BatchReader } from './batch-reader.ts'
import type { BulkResult } from './bulk-result.ts'

export interface BulkTask {
  /** Stays in memory until the task has ended, and must not be touched after that. */
  index: LentIndex
  name: string
  body: Uint8Array<ArrayBuffer>
}

export interface BulkTasks {
  /** Tasks that wait for a worker, of all threads that share the workers. */
  readonly waiting: number
  /** Does one task. The buffer of its body is moved away. @throws what the task threw */
  run(task: BulkTask): Promise<BulkResult>
}

export class BulkPool {
  readonly #tasks: BulkTasks | undefined
  #index: PostalIndex
  #reader: BatchReader

  /** @param tasks workers; without them every body is read on the calling thread */
  constructor(index: PostalIndex, tasks?: BulkTasks) {
    this.#index = index
    this.#reader = new BatchReader(index)
    this.#tasks = tasks
  }

  /** Uses a newly built index for the batches that are added from now on. */
  replaceIndex(index: PostalIndex): void {
    this.#index = index
    this.#reader = new BatchReader(index)
  }

  /** True if a body of this many bytes is read at once, without a worker. */
  isImmediate(bodyBytes: number): boolean {
    return this.#tasks === undefined || bodyBytes < BULK_THRESHOLD_BYTES
  }

  get isFull(): boolean {
    return (this.#tasks?.waiting ?? 0) >= BULK_QUEUE_MAX
  }

  /** Reads a batch on the calling thread. The next call may overwrite the bytes of the result. */
  readNow(name: string, body: Uint8Array): BulkResult {
    return this.#reader.read(name, body)
  }

  /** Has a worker read a batch. `body` is moved there and must have a buffer of its own. */
  async readLater(name: string, body: Uint8Array<ArrayBuffer>): Promise<BulkResult> {
    const tasks = this.#tasks
    if (tasks === undefined) return this.readNow(name, body)
    return this.#index.loans.lend(index => tasks.run({ index, name, body }))
  }
}
