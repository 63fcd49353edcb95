/** The threads that do bulk tasks, for whoever has a task: the same process-wide pool serves every server thread. */
import { fileURLToPath } from 'node:url'
import { Piscina } from 'piscina'
import { BULK_QUEUE_MAX, HTTP_THREADS_MAX } from '../limits.ts'
import type { BulkResult } from './bulk-result.ts'
import type { BulkTask, ListTask } from './worker.ts'

export type Task = BulkTask | ListTask
export type TaskResult = BulkResult | Uint8Array

/** Does tasks on other threads. */
export interface BulkTasks {
  /** Tasks that wait for a worker, of all who share the workers. */
  readonly waiting: number
  /** Buffers of answers that are worth keeping for the next ones. */
  readonly sparesMax: number
  /** Does one task. The buffers of its body and its spare are moved away. @throws what the task threw */
  run(task: Task): Promise<TaskResult>
  /** Finishes the tasks that have begun. */
  close(): Promise<void>
}

const WORKER_FILE = fileURLToPath(new URL('./worker.js', import.meta.url))

/**
 * Single requests go before batches where there are fewer cores than busy threads. While batches saturate a worker on two cores,
 * the median look-up takes 1.3 times as long as alone, and 2.4 times without this. Only on Linux can a thread have a priority of
 * its own.
 */
const NICENESS = process.platform === 'linux' ? 10 : 0

export class BulkWorkers implements BulkTasks {
  readonly sparesMax = BULK_QUEUE_MAX
  readonly #pool: Piscina<Task, TaskResult>

  /** @param workers threads, at least 1 */
  constructor(workers: number) {
    this.#pool = new Piscina({
      filename: WORKER_FILE,
      minThreads: workers,
      maxThreads: workers,
      // Who has a task looks first whether there is room. Several threads may find the same last place.
      maxQueue: BULK_QUEUE_MAX + HTTP_THREADS_MAX,
      niceIncrement: NICENESS,
      // Without it a batch at the front of the queue goes to the back whenever no worker is free.
      stricterFIFO: true,
    })
  }

  get waiting(): number {
    return this.#pool.queueSize
  }

  run(task: Task): Promise<TaskResult> {
    return this.#pool.run(task, { transferList: buffersOf(task) })
  }

  /** Also ends the workers. */
  async close(): Promise<void> {
    await this.#pool.close()
  }
}

/** What is moved with the result of a task. */
export function buffersOfResult(result: TaskResult): ArrayBuffer[] {
  if (result instanceof Uint8Array) return [result.buffer as ArrayBuffer]
  return result.error === null ? [result.bytes.buffer as ArrayBuffer] : []
}

/** What is moved with a task. */
export function buffersOf(task: Task): ArrayBuffer[] {
  if ('query' in task) return []
  const body = task.body.buffer as ArrayBuffer
  return task.spare === undefined ? [body] : [body, task.spare]
}
