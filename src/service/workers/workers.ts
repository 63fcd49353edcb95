/** Threads for long requests of all server threads. Only the ledger thread loads piscina. */

import { fileURLToPath } from 'node:url'
import type { Piscina } from 'piscina'
import { HTTP_THREADS_MAX, SHUTDOWN_GRACE_MS } from '../../platform/limits.ts'
import { finishesWithin, threadsLoaded } from '../../platform/promises.ts'
import type { LentIndex } from '../../postal/index/loans.ts'
import type { WorkerResult } from './worker-result.ts'

/** Maximum number of requests that may wait for a worker. Further ones are answered 503. */
export const TASKS_WAITING_MAX = 64

export interface WorkerTask {
  /** Index on loan for the task. It must not be touched afterwards. */
  index: LentIndex
  name: string
  body: Uint8Array<ArrayBuffer>
}

export interface WorkerPool {
  readonly waiting: number
  /** Runs one task. The buffer of its body is moved away. @throws the task's error */
  run(task: WorkerTask): Promise<WorkerResult>
}

const WORKER_FILE = fileURLToPath(new URL('./worker.js', import.meta.url))

export class Workers implements WorkerPool {
  readonly #workers: number
  #starting: Promise<Piscina<WorkerTask, WorkerResult>> | undefined
  #pool: Piscina<WorkerTask, WorkerResult> | undefined
  #loaded: Promise<void> = Promise.resolve()

  /** @param workers number of threads, at least 1; they start with `start` or the first task */
  constructor(workers: number) {
    this.#workers = workers
  }

  get waiting(): number {
    return this.#pool?.queueSize ?? 0
  }

  start(): Promise<Piscina<WorkerTask, WorkerResult>> {
    this.#starting ??= this.#start()
    return this.#starting
  }

  async #start(): Promise<Piscina<WorkerTask, WorkerResult>> {
    const { Piscina } = await import('piscina')
    this.#pool = new Piscina({
      filename: WORKER_FILE,
      minThreads: this.#workers,
      maxThreads: this.#workers,
      // Threads check for room before they send a task. Several may find the same last place.
      maxQueue: TASKS_WAITING_MAX + HTTP_THREADS_MAX,
      // Without it, the first bulk request of the queue goes to the back whenever no worker is free.
      stricterFIFO: true,
    })
    this.#loaded = threadsLoaded(this.#pool.threads)
    return this.#pool
  }

  async run(task: WorkerTask): Promise<WorkerResult> {
    const pool = this.#pool ?? (await this.start())
    return pool.run(task, { transferList: [task.body.buffer] })
  }

  /** Finishes running tasks and ends the workers. Waits SHUTDOWN_GRACE_MS for loading ones. */
  async close(): Promise<void> {
    const pool = await this.#starting
    if (pool === undefined) return
    await finishesWithin(this.#loaded, SHUTDOWN_GRACE_MS)
    await pool.close()
  }
}
