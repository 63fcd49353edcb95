import type { MessagePort, Worker } from 'node:worker_threads'
import { finishesWithin } from '../../../platform/time.ts'
import type { LentIndex } from '../../../postal/index/loans.ts'
import type { PostalIndex } from '../../../postal/index/postal-index.ts'
import type { WorkerTasks } from '../../workers/workers.ts'
import type { ActivityNotes } from '../activity/activity-writer.ts'
import type { ReportError } from '../replies.ts'
import type { FromThread, ThreadStart, ToThread } from './messages.ts'

export interface ThreadEvents {
  report: ReportError
  noted(notes: ActivityNotes): void
  /** Called when the thread has ended, or is about to end, without a request. */
  died(error: Error): void
}

export type ThreadHandle = ReturnType<typeof threadHandle>

export function threadHandle(
  worker: Worker,
  number: number,
  tasks: WorkerTasks | undefined,
  events: ThreadEvents,
) {
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

  async function run({ task, work }: Extract<FromThread, { kind: 'task' }>): Promise<void> {
    try {
      if (tasks === undefined) throw new Error('there is no bulk worker')
      const result = await tasks.run(work)
      const buffers = result.error === null ? [result.bytes.buffer as ArrayBuffer] : []
      post({ kind: 'taskDone', task, result }, buffers)
    } catch (error) {
      post({ kind: 'taskFailed', task, error: asError(error) })
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
