import { MessageChannel, type Worker } from 'node:worker_threads'
import type { Accounts } from '../../../billing/accounts/accounts.ts'
import { SHUTDOWN_GRACE_MS } from '../../../platform/limits.ts'
import { tryPort } from '../../../platform/try-port.ts'
import type { PostalIndex } from '../../../postal/index/postal-index.ts'
import type { WorkerTasks } from '../../workers/pool.ts'
import { ProcessCounts, ThreadCounts } from '../counts.ts'
import type { ThreadSettings } from './messages.ts'
import { type ThreadEvents, type ThreadHandle, threadHandle } from './thread-handle.ts'

/** Time in which a server thread must end after its last reply. */
const THREAD_END_MS_MAX = 2000

interface ThreadsParts extends ThreadSettings {
  workers: readonly Worker[]
  tasks: WorkerTasks | undefined
  events: ThreadEvents
}

export class ServerThreads {
  readonly counts: readonly ThreadCounts[]
  readonly sharedCounts = new ProcessCounts()
  readonly #threads: readonly ThreadHandle[]
  readonly #settings: ThreadSettings

  constructor({ workers, tasks, events, ...settings }: ThreadsParts) {
    this.#settings = settings
    this.counts = workers.map(() => new ThreadCounts())
    this.#threads = workers.map((worker, number) => threadHandle(worker, number, tasks, events))
  }

  /** Lets every thread answer from `index` on `host:port` and charge `accounts`. Returns the port. @throws Error if it is taken */
  async serve(accounts: Accounts, index: PostalIndex, host: string, port: number): Promise<number> {
    const threads = this.#threads.length
    // A single thread listens exclusively. Several share a port, and the kernel would also let a second server share it.
    const wanted = threads > 1 ? await tryPort(host, port) : port
    const serve = (thread: ThreadHandle, i: number) => {
      const { port1, port2: accountsPort } = new MessageChannel()
      const share = accounts.attach(port1)
      const counts = { threadCounts: this.counts[i].memory, processCounts: this.sharedCounts.memory }
      return thread.serve({ ...this.#settings, ...counts, threads, share, accountsPort }, index, host, wanted)
    }
    const ports = await Promise.all(this.#threads.map(serve))
    if (ports.includes(null)) {
      // uWebSockets.js does not report the cause. The system does, if nothing has changed meanwhile.
      await tryPort(host, wanted)
      throw new Error(`cannot listen on ${host}:${wanted}. Set HOST or PORT`)
    }
    return ports[0] ?? wanted
  }

  replaceIndex(index: PostalIndex): void {
    for (const thread of this.#threads) thread.replaceIndex(index)
  }

  /** Answers requests in progress and ends the threads. @throws Error if a thread does not end: only the process can end it */
  async close(): Promise<void> {
    const ended = await Promise.all(
      this.#threads.map(thread => thread.close(SHUTDOWN_GRACE_MS + THREAD_END_MS_MAX)),
    )
    const stuck = ended.filter(hasEnded => !hasEnded).length
    if (stuck > 0) throw new Error(`${stuck} of ${ended.length} server threads do not end`)
  }
}
