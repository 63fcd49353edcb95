/** Threads for batches of all server threads. Apart from `pool.ts`, because server threads load no piscina. */
import { fileURLToPath } from 'node:url'
import type { Piscina } from 'piscina'
import { BATCH_QUEUE_MAX, HTTP_THREADS_MAX, SHUTDOWN_GRACE_MS } from '../../platform/limits.ts'
import { threadsLoaded } from '../../platform/pool-threads.ts'
import { finishesWithin } from '../../platform/time.ts'
import type { BatchResult } from './batch-result.ts'
import type { BatchTask, BatchTasks } from './pool.ts'

const WORKER_FILE = fileURLToPath(new URL('./worker.js', import.meta.url))

export class BatchWorkers implements BatchTasks {
  readonly #workers: number
  #starting: Promise<Piscina<BatchTask, BatchResult>> | undefined
  #pool: Piscina<BatchTask, BatchResult> | undefined
  #loaded: Promise<void> = Promise.resolve()

  /** @param workers number of threads, at least 1; they start with `start` or the first task */
  constructor(workers: number) {
    this.#workers = workers
  }

  get waiting(): number {
    return this.#pool?.queueSize ?? 0
  }

  /** Loads piscina and starts the threads. */
  start(): Promise<Piscina<BatchTask, BatchResult>> {
    this.#starting ??= this.#start()
    return this.#starting
  }

  async #start(): Promise<Piscina<BatchTask, BatchResult>> {
    const { Piscina } = await import('piscina')
    this.#pool = new Piscina({
      filename: WORKER_FILE,
      minThreads: this.#workers,
      maxThreads: this.#workers,
      // Threads check for room before they send a task. Several may find the same last place.
      maxQueue: BATCH_QUEUE_MAX + HTTP_THREADS_MAX,
      // Without it, the first batch of the queue goes to the back whenever no worker is free.
      stricterFIFO: true,
    })
    this.#loaded = threadsLoaded(this.#pool.threads)
    return this.#pool
  }

  async run(task: BatchTask): Promise<BatchResult> {
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
