import { BATCH_QUEUE_MAX } from '../../platform/limits.ts'
import type { LentIndex } from '../../postal/index/loans.ts'
import type { PostalIndex } from '../../postal/index/postal-index.ts'
import type { Endpoint } from '../endpoints/endpoint.ts'
import { BatchReader } from './batch-reader.ts'
import type { BatchResult } from './batch-result.ts'

export interface BatchTask {
  /** Index on loan for the task. It must not be touched afterwards. */
  index: LentIndex
  name: string
  body: Uint8Array<ArrayBuffer>
}

export interface BatchTasks {
  /** Number of waiting tasks of all threads. */
  readonly waiting: number
  /** Runs one task. The buffer of its body is moved away. @throws the task's error */
  run(task: BatchTask): Promise<BatchResult>
}

/** Answers small batches on the calling thread, and large ones and other long requests in workers. */
export class BatchPool {
  readonly #tasks: BatchTasks | undefined
  #index: PostalIndex
  #reader: BatchReader

  /** @param tasks workers; without them, every body is read on the calling thread */
  constructor(index: PostalIndex, tasks?: BatchTasks) {
    this.#index = index
    this.#reader = new BatchReader(index)
    this.#tasks = tasks
  }

  /** Uses another index for further batches. */
  replaceIndex(index: PostalIndex): void {
    this.#index = index
    this.#reader = new BatchReader(index)
  }

  /** Returns true if a batch of this size is read at once, without a worker. */
  isImmediate({ workerBytes }: Endpoint, bodyBytes: number): boolean {
    return this.#tasks === undefined || bodyBytes < workerBytes
  }

  get isFull(): boolean {
    return (this.#tasks?.waiting ?? 0) >= BATCH_QUEUE_MAX
  }

  /** Reads a batch on the calling thread. The next call may overwrite the bytes of the result. */
  readNow(name: string, body: Uint8Array): BatchResult {
    return this.#reader.read(name, body)
  }

  /** Lets a worker answer a body. `body` must have an own buffer, which is moved there. */
  async readLater(name: string, body: Uint8Array<ArrayBuffer>): Promise<BatchResult> {
    const tasks = this.#tasks
    if (tasks === undefined) return this.readNow(name, body)
    return this.#index.loans.lend(index => tasks.run({ index, name, body }))
  }
}
