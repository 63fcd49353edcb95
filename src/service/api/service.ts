import type { Charging, Shortfall } from '../../billing/accounts/charging/charging.ts'
import type { Bound, SharedKey } from '../../billing/accounts/charging/shared-key.ts'
import { CodeQuery } from '../../postal/index/codes/resolve.ts'
import type { CountryEntry } from '../../postal/index/country-table.ts'
import { Output } from '../../postal/index/output.ts'
import type { PostalIndex } from '../../postal/index/postal-index.ts'
import type { PostalCodes } from '../../postal/library/postal-codes.ts'
import type { Body, Endpoint } from '../endpoints/endpoint.ts'
import type { ErrorStatus } from '../errors.ts'
import { AnswerMaker } from '../workers/answer-maker.ts'
import type { Made } from '../workers/made.ts'
import { TASKS_WAITING_MAX, type WorkerTasks } from '../workers/workers.ts'
import { Fields } from './body-scanner.ts'

export const NO_SECRET = new Uint8Array(0)

/** What a thread answers from. Workers answer large bulk requests and other long requests. */
export class Service {
  readonly charging: Charging
  readonly #tasks: WorkerTasks | undefined
  #index: PostalIndex
  #maker: AnswerMaker

  /** @param tasks workers; without them, this thread answers every request */
  constructor(index: PostalIndex, charging: Charging, tasks?: WorkerTasks) {
    this.charging = charging
    this.#tasks = tasks
    this.#index = index
    this.#maker = new AnswerMaker(index)
  }

  get index(): PostalIndex {
    return this.#index
  }

  set index(index: PostalIndex) {
    this.#index = index
    this.#maker = new AnswerMaker(index)
  }

  get codes(): PostalCodes {
    return this.#maker.codes
  }

  /** Returns true if a bulk request of this size is read at once, without a worker. */
  isImmediate({ workerBytes }: Endpoint, bodyBytes: number): boolean {
    return this.#tasks === undefined || bodyBytes < workerBytes
  }

  /** True if no further request may wait for a worker. */
  get isBusy(): boolean {
    return (this.#tasks?.waiting ?? 0) >= TASKS_WAITING_MAX
  }

  /** Reads a bulk request on this thread. The next call may overwrite the bytes of the result. */
  makeNow(name: string, body: Uint8Array): Made {
    return this.#maker.read(name, body)
  }

  /** Lets a worker answer a body. `body` must have an own buffer, which is moved there. */
  async makeLater(name: string, body: Uint8Array<ArrayBuffer>): Promise<Made> {
    const tasks = this.#tasks
    if (tasks === undefined) return this.makeNow(name, body)
    return this.#index.loans.lend(index => tasks.run({ index, name, body }))
  }
}

export interface Cold {
  /** Body; empty if it is not a JSON object. */
  readonly parsed: Body
  /** True while a worker may answer the request instead. */
  readonly mayLeave: boolean
  /** Milliseconds that a worker took. */
  readonly workerMs: number
  /** The answer without its ending, once it is made. */
  answer: object
}

/** State of the request that is being answered. One per thread, reused: a thread answers each request before it takes the next. */
export class ApiRequest {
  readonly service: Service
  readonly fields = new Fields()
  readonly query = new CodeQuery()
  readonly output = new Output()
  /** Key from a header, used when the body has none; '' for none. */
  headerKey = ''
  /** Returns the client's address in the form of `networks.ts`; null if unknown. Called before the answer, and rarely. */
  clientAddress: () => Int32Array | null = () => null
  status: ErrorStatus | 200 = 200
  error: string | null = null
  /** Seconds for `Retry-After`; 0: without that header. */
  retryAfter = 0
  /** Answer of a cold endpoint or a bulk request, which is not in `output`; otherwise ''. */
  body: string | Uint8Array = ''
  country: CountryEntry = undefined
  code = -1
  /** What only a cold request has; null for others. */
  cold: Cold | null = null
  /** False if the body is not a JSON object. */
  isReadable = false
  /** Bytes of the key that was sent; `secretStart` equals `secretEnd` without one. */
  secret: Uint8Array = NO_SECRET
  secretStart = 0
  secretEnd = 0
  /** True once the request is left to a worker. It has no answer here then. */
  isLeft = false
  /** Answer of a worker, or a bulk request that has been read. */
  made: Made | null = null
  /** Milliseconds on the monotonic clock, after each step. */
  startedMs = 0
  authenticatedMs = 0
  limitedMs = 0
  /** When the answer was written; 0: not known yet. */
  endedMs = 0
  /** Key of the request, also of a malformed one; undefined until it has been found. */
  key: SharedKey | undefined
  chargedQueries = 0
  workerStartedMs = 0
  workerEndedMs = 0
  /** Lease that a fleet's node needs to answer the request; null for nearly every request. */
  shortfall: Shortfall | null = null
  /** Limit or cap that has refused the request; null: nothing, or something else. */
  bound: Bound | null = null

  constructor(service: Service) {
    this.service = service
  }

  /** Forgets the request before, for one that began at `startedMs`: it may be another account's. */
  begin(startedMs: number): void {
    this.startedMs = startedMs
    this.status = 200
    this.error = null
    this.retryAfter = 0
    this.body = ''
    this.cold = null
    this.isReadable = false
    // A worker may have taken the bytes.
    this.secret = NO_SECRET
    this.secretStart = 0
    this.secretEnd = 0
    this.isLeft = false
    this.made = null
    this.endedMs = 0
    this.authenticatedMs = 0
    this.limitedMs = 0
    this.code = -1
    this.key = undefined
    this.country = undefined
    this.chargedQueries = 0
    this.workerStartedMs = 0
    this.workerEndedMs = 0
    this.shortfall = null
    this.bound = null
    this.output.length = 0
    this.fields.clear()
  }

  /** Takes the key of the body, or else of the header. */
  takeSecret(bytes: Uint8Array, start = 0, end = bytes.length): void {
    const isInBody = end > start
    this.secret = isInBody ? bytes : Buffer.from(this.headerKey)
    this.secretStart = isInBody ? start : 0
    this.secretEnd = isInBody ? end : this.secret.length
  }
}
