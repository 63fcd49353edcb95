/** Index and charging that requests are answered from, and the state of the request that is being answered. */
import type { Charging, Shortfall } from '../../billing/accounts/charging/charging.ts'
import type { Bound, SharedKey } from '../../billing/accounts/charging/shared-key.ts'
import { SHOWN_CHARACTERS } from '../../billing/accounts/secret.ts'
import { CodeQuery } from '../../postal/index/codes/resolve.ts'
import type { CountryEntry } from '../../postal/index/country-table.ts'
import { Output } from '../../postal/index/output.ts'
import type { PostalIndex } from '../../postal/index/postal-index.ts'
import { PostalCodes } from '../../postal/library/postal-codes.ts'
import type { Made } from '../workers/made.ts'
import { Fields } from './body-scanner.ts'

export const NO_SECRET = new Uint8Array(0)
const NO_ANSWER = {}

export class Service {
  readonly charging: Charging
  #index: PostalIndex
  #codes: PostalCodes

  constructor(index: PostalIndex, charging: Charging) {
    this.charging = charging
    this.#index = index
    this.#codes = new PostalCodes(index)
  }

  get index(): PostalIndex {
    return this.#index
  }

  set index(index: PostalIndex) {
    this.#index = index
    this.#codes = new PostalCodes(index)
  }

  get codes(): PostalCodes {
    return this.#codes
  }
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
  status = 200
  error: string | null = null
  /** Seconds for `Retry-After`; 0: without that header. */
  retryAfter = 0
  /** Answer of a cold endpoint or a bulk request, which is not in `output`; otherwise ''. */
  body: string | Uint8Array = ''
  country: CountryEntry = undefined
  code = -1
  /** Body of a cold request. */
  parsed: Readonly<Record<string, unknown>> | null = null
  /** False if the body is not a JSON object. */
  isReadable = false
  /** Bytes of the key that was sent; `secretStart` equals `secretEnd` without one. */
  secret: Uint8Array = NO_SECRET
  secretStart = 0
  secretEnd = 0
  /** True while a worker may answer the request instead. */
  mayLeave = false
  /** True once the request is left to a worker. It has no answer here then. */
  isLeft = false
  /** Answer of a worker, or a bulk request that has been read. */
  made: Made | null = null
  /** Answer of a cold endpoint, without its ending. */
  answer: object = NO_ANSWER
  /** Milliseconds that a worker took. */
  workerMs = 0
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
  /** First bytes of a key that was refused. */
  readonly failedKey = new Uint8Array(SHOWN_CHARACTERS)
  failedKeyLength = 0

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
    this.parsed = null
    this.isReadable = false
    this.secretStart = 0
    this.secretEnd = 0
    this.mayLeave = false
    this.isLeft = false
    this.made = null
    this.answer = NO_ANSWER
    this.workerMs = 0
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
    this.failedKeyLength = 0
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
