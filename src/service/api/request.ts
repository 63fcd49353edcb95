/** State of a thread and of the request that it answers. */
import type { Charging, Shortfall } from '../../billing/accounts/charging/charging.ts'
import type { ReachedLimit, SharedKey } from '../../billing/accounts/charging/shared-key.ts'
import type { KeyRefusal } from '../../billing/accounts/key-refusals.ts'
import { CodeQuery } from '../../postal/index/codes/code-query.ts'
import { type CountryEntry, NO_COUNTRY } from '../../postal/index/country-table.ts'
import { Output } from '../../postal/index/output.ts'
import type { PostalIndex } from '../../postal/index/postal-index.ts'
import { REQUESTED_NAMES } from '../../postal/index/record-fields.ts'
import type { PostalCodes } from '../../postal/library/postal-codes.ts'
import { ABSENT, type MemberSlots, memberNames } from '../../postal/text/json.ts'
import type { Body } from '../endpoints/endpoint.ts'
import type { ErrorStatus } from '../errors.ts'
import { BODY_BYTES_MAX } from '../limits.ts'
import { AnswerMaker } from '../workers/answer-maker.ts'
import type { WorkerPool } from '../workers/workers.ts'
import type { Clients, Connection } from './clients.ts'
import { LeaseWaits } from './lease-waits.ts'

export const NO_SECRET = new Uint8Array(0)

/** Fields that hot requests read, in the order of `HOT_FIELD_NAMES`. Fields on request follow. */
export const HOT_FIELD = { apiKey: 0, zipcode: 1, country: 2 } as const
export type HotField = (typeof HOT_FIELD)[keyof typeof HOT_FIELD]
export const HOT_FIELD_NAMES = memberNames(...Object.keys(HOT_FIELD), ...REQUESTED_NAMES)

/** Positions of the fields in a body, found without making strings. */
export class HotFields implements MemberSlots {
  /** The body. A fixed buffer, so that no request makes a view. */
  readonly bytes: Buffer = Buffer.alloc(BODY_BYTES_MAX)
  readonly kinds: Uint8Array = new Uint8Array(HOT_FIELD_NAMES.length)
  readonly starts: Uint32Array = new Uint32Array(HOT_FIELD_NAMES.length)
  readonly ends: Uint32Array = new Uint32Array(HOT_FIELD_NAMES.length)

  text(field: HotField): string {
    const end = this.kinds[field] === ABSENT ? 0 : this.ends[field]
    return this.bytes.toString('latin1', this.starts[field], end)
  }
}

/** Index, charging and workers of a thread. */
export class ThreadContext {
  readonly charging: Charging
  /** Undefined if this thread answers every request. */
  readonly pool: WorkerPool | undefined
  readonly leaseWaits: LeaseWaits
  index: PostalIndex
  maker: AnswerMaker

  constructor(index: PostalIndex, charging: Charging, pool?: WorkerPool) {
    this.charging = charging
    this.pool = pool
    this.leaseWaits = new LeaseWaits(charging.waitForLease)
    this.index = index
    this.maker = new AnswerMaker(index)
  }

  replaceIndex(index: PostalIndex): void {
    this.index = index
    this.maker = new AnswerMaker(index)
  }

  get codes(): PostalCodes {
    return this.maker.codes
  }
}

/**
 * State of the request that is being answered. One per thread: a thread answers one request at a time. All of
 * it, with the bytes of the answer, is valid until the next `begin`. Balance and limits in `key` are those of
 * the last call of `charging`.
 */
export class ApiRequest {
  readonly context: ThreadContext
  readonly fields = new HotFields()
  readonly query = new CodeQuery()
  readonly output = new Output()
  readonly #clients: Clients
  /** Connection of the request, set before it begins. */
  connection: Connection | undefined
  status: ErrorStatus | 200 = 200
  error: string | null = null
  /** Seconds for `Retry-After`; 0: without that header. */
  retryAfter = 0
  /** The whole answer, once it is made. */
  body: string | Uint8Array = ''
  country: CountryEntry = NO_COUNTRY
  /** Parsed body of a cold request, empty if it is not a JSON object; null for others. */
  parsed: Body | null = null
  /** Answer without its ending: an object, or a `WorkerAnswer`. Null for one that is written to `output`. */
  answer: object | null = null
  /** Bytes of the key that was sent; `secretStart` equals `secretEnd` without one. */
  secret: Uint8Array = NO_SECRET
  secretStart = 0
  secretEnd = 0
  /** Milliseconds on the monotonic clock, after each step. */
  startedMs = 0
  authenticatedMs = 0
  limitedMs = 0
  /** Time of the answer; 0 before it. */
  endedMs = 0
  /** Key of the request, also of a malformed one; undefined until it has been found. */
  key: SharedKey | undefined
  /** Price, in queries. */
  queries = 1
  chargedQueries = 0
  /** Time of a worker, with its wait; 0 without one. */
  workerMs = 0
  /** Lease that a fleet's node needs to answer the request; null for nearly every request. */
  shortfall: Shortfall | null = null
  /** Limit or cap that has refused the request; null: nothing, or something else. */
  reachedLimit: ReachedLimit | null = null
  keyRefusal: KeyRefusal | null = null

  constructor(context: ThreadContext, clients: Clients) {
    this.context = context
    this.#clients = clients
  }

  /**
   * Forgets the request before, for one that began at `startedMs`: it may be another account's. A test proves
   * that no field survives. Assigning each costs 0.1 µs, `Object.assign` of one object 0.6 µs more.
   */
  begin(startedMs: number): void {
    this.startedMs = startedMs
    this.authenticatedMs = 0
    this.limitedMs = 0
    this.status = 200
    this.error = null
    this.retryAfter = 0
    this.body = ''
    this.parsed = null
    this.answer = null
    // A worker may have taken the bytes.
    this.secret = NO_SECRET
    this.secretStart = 0
    this.secretEnd = 0
    this.endedMs = 0
    this.key = undefined
    this.country = undefined
    this.queries = 1
    this.chargedQueries = 0
    this.workerMs = 0
    this.shortfall = null
    this.reachedLimit = null
    this.keyRefusal = null
    this.output.length = 0
    this.fields.kinds.fill(ABSENT)
  }

  /** Key from a header, used when the body has none; '' for none. */
  get headerKey(): string {
    return this.connection?.notes?.key ?? ''
  }

  /** Returns the client's address in the form of `networks.ts`; null if unknown. A system call. */
  clientAddress(): Int32Array | null {
    return this.connection === undefined ? null : this.#clients.address(this.connection)
  }

  /** Takes the secret of the body, or that of a header if the body has none. */
  takeSecret(inBody: Uint8Array): void {
    this.secret = inBody.length > 0 ? inBody : Buffer.from(this.headerKey)
    this.secretStart = 0
    this.secretEnd = this.secret.length
  }

  /** Finds the key for the request log, of a request that is refused for something else. */
  noteKey(): void {
    const found = this.context.charging.findKey(this.secret, this.secretStart, this.secretEnd)
    if (typeof found !== 'string') this.key = found
  }
}
