/** What a server thread does from the first request to the last: an app of its own over the index and the accounts of the process. */
import type { us_listen_socket } from 'uWebSockets.js'
import type { SharedCharging } from '../../accounts/charging/shared-charging.ts'
import type { Service } from '../../api/service.ts'
import { BulkPool } from '../../bulk/pool.ts'
import type { BulkTasks } from '../../bulk/tasks.ts'
import type { PostalIndex } from '../../index/postal-index.ts'
import { SHUTDOWN_GRACE_MS } from '../../limits.ts'
import { bodyBounds } from '../body.ts'
import { takeCensus } from '../census.ts'
import type { Clients } from '../clients.ts'
import { type ConnectionBounds, Connections } from '../connections.ts'
import type { Observers } from '../observers.ts'
import { reasonsNotReady } from '../readiness.ts'
import type { ReportError } from '../reply.ts'
import { createApp, type DataApp } from '../routes.ts'
import type { Counts } from '../shared/counts.ts'
import { listen, portOf, stopListening } from './listen.ts'
import { practise } from './practice.ts'
import { watchThread } from './thread-watch.ts'
import { within } from './within.ts'

export interface ServingParts {
  index: PostalIndex
  meter: SharedCharging
  /** Of all threads. */
  threads: number
  tasks: BulkTasks | undefined
  bounds: ConnectionBounds
  clients: Clients
  counts: Counts
  observers: Observers
  report: ReportError
}

export class Serving {
  readonly #service: Service
  readonly #meter: SharedCharging
  readonly #threads: number
  readonly #bulk: BulkPool
  readonly #parts: DataApp
  readonly #unwatch: () => void
  #endPractice = (): void => {}
  #socket: us_listen_socket | undefined
  #port = 0
  #isDraining = false

  constructor({ index, meter, threads, tasks, bounds, clients, counts, observers, report }: ServingParts) {
    this.#meter = meter
    this.#threads = threads
    this.#service = { index, meter }
    this.#bulk = new BulkPool(index, tasks)
    this.#parts = createApp({
      service: this.#service,
      bulk: this.#bulk,
      connections: new Connections(bounds, () => takeCensus(this.#port), counts.shared),
      report,
      notReady: () => reasonsNotReady(this.#service, this.#isDraining),
      counts,
      observers,
      clients,
      bodyBounds: bodyBounds(threads),
    })
    this.#unwatch = watchThread(counts.thread, () => observers.activity?.followClock())
  }

  /** Begins to accept connections. @returns the port @throws Error when nobody can listen there */
  async listen(host: string, port: number): Promise<number> {
    this.#socket = await listen(this.#parts.app, host, port, this.#threads > 1)
    this.#port = portOf(this.#socket)
    this.#endPractice = practise(() => this.#service.index)
    return this.#port
  }

  /** Answers from `index` from now on. @returns resolves when nobody on this thread or for it reads the previous one */
  replaceIndex(index: PostalIndex): Promise<void> {
    const previous = this.#service.index
    this.#service.index = index
    this.#bulk.replaceIndex(index)
    return previous.loans.retire()
  }

  /** Stops accepting, answers what is in progress on open connections, closes them, and releases everything. */
  async close(): Promise<void> {
    this.#isDraining = true
    if (this.#socket !== undefined) stopListening(this.#socket)
    await within(this.#parts.replies.finished(), SHUTDOWN_GRACE_MS)
    await this.abandon()
    await this.#service.index.loans.retire()
  }

  /** Closes every connection at once, so that the thread can end. */
  async abandon(): Promise<void> {
    this.#unwatch()
    this.#endPractice()
    this.#parts.close()
    await this.#meter.close()
  }
}
