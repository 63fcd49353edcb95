/** The server threads together: started, given the index, counted and ended as one. */
import { MessageChannel, type Worker } from 'node:worker_threads'
import type { Accounts } from '../../accounts/accounts.ts'
import type { BulkTasks } from '../../bulk/pool.ts'
import { NO_PROXIES, type ProxySettings } from '../../forwarded.ts'
import type { PostalIndex } from '../../index/postal-index.ts'
import { SHUTDOWN_GRACE_MS, THREAD_END_MS_MAX } from '../../limits.ts'
import { tryPort } from '../../platform/try-port.ts'
import { ProcessCounts, ThreadCounts } from '../counts.ts'
import type { ObserverSettings } from '../observers.ts'
import type { ThreadStart } from './messages.ts'
import { type ThreadEvents, ThreadHandle } from './thread-handle.ts'

export interface ThreadsParts {
  workers: readonly Worker[]
  bulkWorkers: number
  connectionsMax: number
  proxies?: ProxySettings
  observers: ObserverSettings
  /** Bulk workers; undefined: each thread does without. */
  tasks: BulkTasks | undefined
  events: ThreadEvents
}

export class ServerThreads {
  readonly counts: readonly ThreadCounts[]
  readonly sharedCounts = new ProcessCounts()
  readonly #threads: readonly ThreadHandle[]
  readonly #parts: ThreadsParts

  constructor(parts: ThreadsParts) {
    const { workers, tasks, events } = parts
    this.#parts = parts
    this.counts = workers.map(() => new ThreadCounts())
    this.#threads = workers.map((worker, number) => new ThreadHandle(worker, number, tasks, events))
  }

  /**
   * Has every thread answer from `index` on `host:port`, and charge `accounts`.
   * @returns the port
   * @throws Error when it is taken
   */
  async serve(accounts: Accounts, index: PostalIndex, host: string, port: number): Promise<number> {
    // A single thread takes its port for itself. Several share one, which the kernel would let a second server share as well.
    const wanted = this.#threads.length > 1 ? await tryPort(host, port) : port
    const ports = await Promise.all(
      this.#threads.map((thread, i) => thread.serve(this.#startOf(i, accounts), index, host, wanted)),
    )
    if (ports.includes(null)) {
      // uWebSockets.js does not say why. The system does, if nothing has changed meanwhile.
      await tryPort(host, wanted)
      throw new Error(`cannot listen on ${host}:${wanted}: set HOST or PORT`)
    }
    return ports[0] ?? wanted
  }

  #startOf(thread: number, accounts: Accounts): ThreadStart {
    const { bulkWorkers, connectionsMax, proxies = NO_PROXIES, observers } = this.#parts
    const { port1, port2 } = new MessageChannel()
    return {
      threads: this.#threads.length,
      bulkWorkers,
      connectionsMax,
      proxies,
      share: accounts.attach(port1),
      accountsPort: port2,
      counts: this.counts[thread].memory,
      sharedCounts: this.sharedCounts.memory,
      observers,
    }
  }

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
