import type { LentIndex } from '../../postal/index/loans.ts'
import type { PostalIndex } from '../../postal/index/postal-index.ts'
import type { Endpoint } from '../endpoints/endpoint.ts'
import { AnswerMaker } from './answer-maker.ts'
import type { Made } from './made.ts'

/** Maximum number of requests that may wait for a worker. Further ones are answered 503. */
export const TASKS_WAITING_MAX = 64

export interface WorkerTask {
  /** Index on loan for the task. It must not be touched afterwards. */
  index: LentIndex
  name: string
  body: Uint8Array<ArrayBuffer>
}

export interface WorkerTasks {
  /** Number of waiting tasks of all threads. */
  readonly waiting: number
  /** Runs one task. The buffer of its body is moved away. @throws the task's error */
  run(task: WorkerTask): Promise<Made>
}

/** Answers small bulk requests on the calling thread, and large ones and other long requests in workers. */
export class WorkerPool {
  readonly #tasks: WorkerTasks | undefined
  #index: PostalIndex
  #reader: AnswerMaker

  /** @param tasks workers; without them, every body is read on the calling thread */
  constructor(index: PostalIndex, tasks?: WorkerTasks) {
    this.#index = index
    this.#reader = new AnswerMaker(index)
    this.#tasks = tasks
  }

  /** Uses another index for further bulk requests. */
  replaceIndex(index: PostalIndex): void {
    this.#index = index
    this.#reader = new AnswerMaker(index)
  }

  /** Returns true if a bulk request of this size is read at once, without a worker. */
  isImmediate({ workerBytes }: Endpoint, bodyBytes: number): boolean {
    return this.#tasks === undefined || bodyBytes < workerBytes
  }

  get isFull(): boolean {
    return (this.#tasks?.waiting ?? 0) >= TASKS_WAITING_MAX
  }

  /** Reads a bulk request on the calling thread. The next call may overwrite the bytes of the result. */
  readNow(name: string, body: Uint8Array): Made {
    return this.#reader.read(name, body)
  }

  /** Lets a worker answer a body. `body` must have an own buffer, which is moved there. */
  async readLater(name: string, body: Uint8Array<ArrayBuffer>): Promise<Made> {
    const tasks = this.#tasks
    if (tasks === undefined) return this.readNow(name, body)
    return this.#index.loans.lend(index => tasks.run({ index, name, body }))
  }
}
