/** The server threads together: started, given the index, counted and ended as one. */
import { MessageChannel } from 'node:worker_threads'
import type { Accounts } from '../../accounts/accounts.ts'
import type { BulkTasks } from '../../bulk/workers.ts'
import type { PostalIndex } from '../../index/postal-index.ts'
import { SHUTDOWN_GRACE_MS, THREAD_END_MS_MAX } from '../../limits.ts'
import type { ConnectionBounds } from '../connections.ts'
import { ProcessCounts } from '../shared/process-counts.ts'
import { ThreadCounts } from '../shared/thread-counts.ts'
import { freePort, portTaken, whilePortIsFree } from './port-guard.ts'
import { type ThreadEvents, ThreadHandle } from './thread-handle.ts'

export interface ThreadsParts {
  /** How many threads, at least 1. */
  threads: number
  bulkWorkers: number
  bounds: ConnectionBounds
  accounts: Accounts
  /** Bulk workers; undefined: each thread does without. */
  tasks: BulkTasks | undefined
  events: ThreadEvents
}

export class ServerThreads {
  /** What each thread counts. */
  readonly counts: readonly ThreadCounts[]
  /** What they count together. */
  readonly sharedCounts = new ProcessCounts()
  readonly #threads: readonly ThreadHandle[]

  /** Starts the threads; they load their code while the caller opens the index. */
  constructor({ threads, bulkWorkers, bounds, accounts, tasks, events }: ThreadsParts) {
    this.counts = Array.from({ length: threads }, () => new ThreadCounts())
    this.#threads = this.counts.map((counts, number) => {
      const { port1, port2 } = new MessageChannel()
      const share = accounts.attach(port1)
      const memory = { counts: counts.memory, sharedCounts: this.sharedCounts.memory }
      return new ThreadHandle(
        { number, threads, bulkWorkers, bounds, share, port: port2, ...memory },
        tasks,
        events,
      )
    })
  }

  /** Has every thread answer from `index` on `host:port`. @returns the port @throws Error when it is taken */
  async serve(index: PostalIndex, host: string, port: number): Promise<number> {
    const isShared = this.#threads.length > 1
    // uWebSockets.js does not let others share a port that the kernel has chosen.
    const wanted = isShared && port === 0 ? await freePort(host) : port
    const listen = async () => {
      const ports = await Promise.all(this.#threads.map(thread => thread.serve(index, host, wanted)))
      if (ports.includes(null)) throw portTaken(host, wanted)
      return ports[0] ?? wanted
    }
    // A single thread takes its port for itself.
    return isShared ? whilePortIsFree(host, wanted, listen) : listen()
  }

  /** Has every thread answer from `index` from now on. */
  replaceIndex(index: PostalIndex): void {
    for (const thread of this.#threads) thread.replaceIndex(index)
  }

  /** Answers what is in progress and ends the threads. @throws Error when one of them does not end: only the process can end it */
  async close(): Promise<void> {
    const ended = await Promise.all(
      this.#threads.map(thread => thread.close(SHUTDOWN_GRACE_MS + THREAD_END_MS_MAX)),
    )
    const stuck = ended.filter(hasEnded => !hasEnded).length
    if (stuck > 0) throw new Error(`${stuck} of ${ended.length} server threads do not end`)
  }
}
