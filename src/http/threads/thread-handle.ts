import type { MessagePort, Worker } from 'node:worker_threads'
import type { BulkResult } from '../../bulk/bulk-result.ts'
import type { BulkTasks } from '../../bulk/pool.ts'
import type { LentIndex } from '../../index/loans.ts'
import type { PostalIndex } from '../../index/postal-index.ts'
import { finishesWithin } from '../../platform/time.ts'
import type { ActivityBatch } from '../activity/activity-writer.ts'
import type { ReportError } from '../replies.ts'
import type { FromThread, ThreadStart, ToThread } from './messages.ts'

export interface ThreadEvents {
  report: ReportError
  noted(batch: ActivityBatch): void
  /** Called when the thread has ended, or is about to end, without a request. */
  died(error: Error): void
}

/** Server thread, on the ledger thread. */
export class ThreadHandle {
  readonly #number: number
  readonly #worker: Worker
  readonly #tasks: BulkTasks | undefined
  readonly #events: ThreadEvents
  readonly #ended: Promise<void>
  readonly #leaving = new Map<number, () => void>()
  #death: Error | undefined
  #listening: (port: number | null) => void = () => {}
  #notListening: (error: Error) => void = () => {}
  #isClosing = false

  constructor(worker: Worker, number: number, tasks: BulkTasks | undefined, events: ThreadEvents) {
    this.#number = number
    this.#tasks = tasks
    this.#events = events
    this.#worker = worker
    this.#worker.on('message', (message: FromThread) => this.#receive(message))
    this.#worker.on('error', error => this.#died(error))
    this.#ended = new Promise(resolve => {
      this.#worker.on('exit', code => {
        if (!this.#isClosing) this.#died(new Error(`exit code ${code}`))
        this.#notListening(this.#death ?? new Error('the server is stopping'))
        for (const left of this.#leaving.values()) left()
        resolve()
      })
    })
  }

  /** Lets the thread answer from `index`. Returns the real port; null if it cannot listen. @throws Error if it dies first */
  serve(start: ThreadStart, index: PostalIndex, host: string, port: number): Promise<number | null> {
    return new Promise((resolve, reject) => {
      this.#listening = resolve
      this.#notListening = reject
      this.#lend(index, lent => ({ kind: 'serve', start, index: lent, host, port }), [start.accountsPort])
    })
  }

  /** Lets the thread answer from `index` from now on. The previous index is on loan until the thread has left it. */
  replaceIndex(index: PostalIndex): void {
    this.#lend(index, lent => ({ kind: 'index', index: lent }))
  }

  /** Lets the thread answer its requests in progress and end. Returns false if it has not ended within `ms`. */
  close(ms: number): Promise<boolean> {
    this.#isClosing = true
    this.#post({ kind: 'close' })
    return finishesWithin(this.#ended, ms)
  }

  #lend(
    index: PostalIndex,
    message: (lent: LentIndex) => ToThread,
    transfer: readonly MessagePort[] = [],
  ): void {
    void index.loans.lend(lent => {
      this.#post(message(lent), transfer)
      return new Promise<void>(resolve => this.#leaving.set(lent.id, resolve))
    })
  }

  #receive(message: FromThread): void {
    switch (message.kind) {
      case 'listening':
        return this.#listening(message.port)
      case 'left':
        this.#leaving.get(message.indexId)?.()
        this.#leaving.delete(message.indexId)
        return
      case 'task':
        return void this.#run(message)
      case 'report':
        return this.#events.report(message.error, message.id)
      case 'activity':
        return this.#events.noted(message.batch)
      case 'failed':
        return this.#died(asError(message.error))
      default:
        message satisfies never
    }
  }

  async #run({ task, work }: Extract<FromThread, { kind: 'task' }>): Promise<void> {
    try {
      if (this.#tasks === undefined) throw new Error('there is no bulk worker')
      const result = await this.#tasks.run(work)
      this.#post({ kind: 'done', task, result }, buffersOfResult(result))
    } catch (error) {
      this.#post({ kind: 'undone', task, error: asError(error) })
    }
  }

  #died(error: Error): void {
    // Later errors follow from the first.
    if (this.#death !== undefined) return
    this.#death = new Error(`server thread ${this.#number} died: ${error.message}`, { cause: error })
    this.#events.died(this.#death)
  }

  #post(message: ToThread, transfer: readonly (ArrayBuffer | MessagePort)[] = []): void {
    this.#worker.postMessage(message, transfer)
  }
}

function buffersOfResult(result: BulkResult): ArrayBuffer[] {
  return result.error === null ? [result.bytes.buffer as ArrayBuffer] : []
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error))
}
