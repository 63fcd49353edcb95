/** The threads that do bulk tasks: one pool serves every server thread. Apart from `pool.ts`, because those load no piscina. */
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { Piscina } from 'piscina'
import { BULK_QUEUE_MAX, HTTP_THREADS_MAX, SHUTDOWN_GRACE_MS } from '../limits.ts'
import { type BulkTasks, buffersOf, type Task, type TaskResult } from './tasks.ts'

const WORKER_FILE = fileURLToPath(new URL('./worker.js', import.meta.url))

/** Between two looks at whether the workers have loaded, which takes some tens of milliseconds. */
const LOADING_MS = 5

export class BulkWorkers implements BulkTasks {
  readonly sparesMax = BULK_QUEUE_MAX
  readonly #workers: number
  /** How many workers have loaded. */
  readonly #loaded = new Int32Array(new SharedArrayBuffer(4))
  #starting: Promise<Piscina<Task, TaskResult>> | undefined
  #pool: Piscina<Task, TaskResult> | undefined

  /** @param workers threads, at least 1; they start with `start` or the first task */
  constructor(workers: number) {
    this.#workers = workers
  }

  get waiting(): number {
    return this.#pool?.queueSize ?? 0
  }

  /** Loads piscina and starts the threads, which takes processor time from whatever else is starting. */
  start(): Promise<Piscina<Task, TaskResult>> {
    this.#starting ??= this.#start()
    return this.#starting
  }

  async #start(): Promise<Piscina<Task, TaskResult>> {
    const { Piscina } = await import('piscina')
    this.#pool = new Piscina({
      filename: WORKER_FILE,
      workerData: { loaded: this.#loaded },
      minThreads: this.#workers,
      maxThreads: this.#workers,
      // Who has a task looks first whether there is room. Several threads may find the same last place.
      maxQueue: BULK_QUEUE_MAX + HTTP_THREADS_MAX,
      // Without it a batch at the front of the queue goes to the back whenever no worker is free.
      stricterFIFO: true,
    })
    return this.#pool
  }

  async run(task: Task): Promise<TaskResult> {
    const pool = this.#pool ?? (await this.start())
    return pool.run(task, { transferList: buffersOf(task) })
  }

  /** Also ends the workers, but none that is loading: Node.js ends the process when a thread ends while it makes a module's exports. */
  async close(): Promise<void> {
    const pool = await this.#starting
    if (pool === undefined) return
    // A worker that cannot load must not keep the process.
    const endMs = performance.now() + SHUTDOWN_GRACE_MS
    while (Atomics.load(this.#loaded, 0) < this.#workers && performance.now() < endMs)
      await setTimeout(LOADING_MS)
    await pool.close()
  }
}
