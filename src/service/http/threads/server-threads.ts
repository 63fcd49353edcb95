/** Server threads as the ledger thread sees them. */
import { MessageChannel, type MessagePort, type Worker } from 'node:worker_threads'
import type { Accounts } from '../../../billing/accounts/accounts.ts'
import { SHUTDOWN_GRACE_MS } from '../../../platform/limits.ts'
import { finishesWithin } from '../../../platform/promises.ts'
import { tryPort } from '../../../platform/server-address.ts'
import type { LentIndex } from '../../../postal/index/loans.ts'
import type { PostalIndex } from '../../../postal/index/postal-index.ts'
import type { WorkerPool } from '../../workers/workers.ts'
import type { ActivityNotes } from '../activity/activity-writer.ts'
import { ProcessCounts, ThreadCounts } from '../counts.ts'
import type { ReportError } from '../replies.ts'
import type { FromThread, ThreadSettings, ThreadStart, ToThread } from './thread-messages.ts'

/** Time in which a server thread must end after its last reply. */
const THREAD_END_MS_MAX = 2000

interface ThreadEvents {
  report: ReportError
  noted(notes: ActivityNotes): void
  /** Called when the thread has ended, or is about to end, without a request. */
  died(error: Error): void
}

interface ThreadsParts extends ThreadSettings {
  launched: readonly Worker[]
  pool: WorkerPool | undefined
  events: ThreadEvents
}

export function serverThreads({ launched, pool, events, ...settings }: ThreadsParts) {
  const counts: readonly ThreadCounts[] = launched.map(() => new ThreadCounts())
  const sharedCounts = new ProcessCounts()
  const threads = launched.map((worker, number) => threadHandle(worker, number, pool, events))

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

type ThreadHandle = ReturnType<typeof threadHandle>

function threadHandle(worker: Worker, number: number, pool: WorkerPool | undefined, events: ThreadEvents) {
  const leaving = new Map<number, () => void>()
  let death: Error | undefined
  let listening: (port: number | null) => void = () => {}
  let notListening: (error: Error) => void = () => {}
  let isClosing = false

  worker.on('message', receive)
  worker.on('error', died)
  const ended = new Promise<void>(resolve => {
    worker.on('exit', code => {
      if (!isClosing) died(new Error(`exit code ${code}`))
      notListening(death ?? new Error('the server is stopping'))
      for (const left of leaving.values()) left()
      resolve()
    })
  })

  function lend(
    index: PostalIndex,
    message: (lent: LentIndex) => ToThread,
    transfer: readonly MessagePort[] = [],
  ): void {
    void index.loans.lend(lent => {
      post(message(lent), transfer)
      return new Promise<void>(resolve => leaving.set(lent.id, resolve))
    })
  }

  function receive(message: FromThread): void {
    switch (message.kind) {
      case 'listening':
        return listening(message.port)
      case 'indexLeft':
        leaving.get(message.indexId)?.()
        leaving.delete(message.indexId)
        return
      case 'task':
        return void run(message)
      case 'requestFailed':
        return events.report(message.error, message.id)
      case 'activity':
        return events.noted(message.notes)
      case 'failed':
        return died(asError(message.error))
      default:
        message satisfies never
    }
  }

  async function run({ id, task }: Extract<FromThread, { kind: 'task' }>): Promise<void> {
    try {
      if (pool === undefined) throw new Error('there is no bulk worker')
      const result = await pool.run(task)
      const buffers = result.error === null ? [result.bytes.buffer as ArrayBuffer] : []
      post({ kind: 'taskDone', id, result }, buffers)
    } catch (error) {
      post({ kind: 'taskFailed', id, error: asError(error) })
    }
  }

  function died(error: Error): void {
    // Later errors follow from the first.
    if (death !== undefined) return
    death = new Error(`server thread ${number} died: ${error.message}`, { cause: error })
    events.died(death)
  }

  function post(message: ToThread, transfer: readonly (ArrayBuffer | MessagePort)[] = []): void {
    worker.postMessage(message, transfer)
  }

  return {
    /** Lets the thread answer. Returns the port; null if it cannot listen. @throws Error if it dies first */
    serve(start: ThreadStart, index: PostalIndex, host: string, port: number): Promise<number | null> {
      return new Promise((resolve, reject) => {
        listening = resolve
        notListening = reject
        lend(index, lent => ({ kind: 'serve', start, index: lent, host, port }), [start.accountsPort])
      })
    },
    /** Lets the thread answer from `index`. The previous index is on loan until the thread has left it. */
    replaceIndex(index: PostalIndex): void {
      lend(index, lent => ({ kind: 'index', index: lent }))
    },
    /** Lets the thread answer its requests and end. Returns false if it has not ended within `ms`. */
    close(ms: number): Promise<boolean> {
      isClosing = true
      post({ kind: 'close' })
      return finishesWithin(ended, ms)
    },
  }
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error))
}
