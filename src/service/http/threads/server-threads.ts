import { MessageChannel, type Worker } from 'node:worker_threads'
import type { Accounts } from '../../../billing/accounts/accounts.ts'
import { SHUTDOWN_GRACE_MS } from '../../../platform/limits.ts'
import { tryPort } from '../../../platform/try-port.ts'
import type { PostalIndex } from '../../../postal/index/postal-index.ts'
import type { WorkerTasks } from '../../workers/workers.ts'
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

export type ServerThreads = ReturnType<typeof serverThreads>

export function serverThreads({ workers, tasks, events, ...settings }: ThreadsParts) {
  const counts: readonly ThreadCounts[] = workers.map(() => new ThreadCounts())
  const sharedCounts = new ProcessCounts()
  const threads = workers.map((worker, number) => threadHandle(worker, number, tasks, events))

  /** Lets every thread answer on `host:port`. Returns the port. @throws Error if it is taken */
  async function serve(accounts: Accounts, index: PostalIndex, host: string, port: number): Promise<number> {
    // Several threads share a port, and the kernel would also let a second server share it.
    const wanted = threads.length > 1 ? await tryPort(host, port) : port
    const start = (thread: ThreadHandle, i: number) => {
      const { port1, port2: accountsPort } = new MessageChannel()
      const share = accounts.attach(port1)
      const memory = { threadCounts: counts[i].memory, processCounts: sharedCounts.memory }
      const started = { ...settings, ...memory, threads: threads.length, share, accountsPort }
      return thread.serve(started, index, host, wanted)
    }
    const ports = await Promise.all(threads.map(start))
    if (ports.includes(null)) {
      // uWebSockets.js does not report the cause. The system does, if nothing has changed meanwhile.
      await tryPort(host, wanted)
      throw new Error(`cannot listen on ${host}:${wanted}. Set HOST or PORT`)
    }
    return ports[0] ?? wanted
  }

  function replaceIndex(index: PostalIndex): void {
    for (const thread of threads) thread.replaceIndex(index)
  }

  /** Answers requests in progress and ends the threads. @throws Error if one does not end */
  async function close(): Promise<void> {
    const ended = await Promise.all(
      threads.map(thread => thread.close(SHUTDOWN_GRACE_MS + THREAD_END_MS_MAX)),
    )
    const stuck = ended.filter(hasEnded => !hasEnded).length
    if (stuck > 0) throw new Error(`${stuck} of ${ended.length} server threads do not end`)
  }

  return { counts, sharedCounts, serve, replaceIndex, close }
}
