/** What every endpoint works on, and what an endpoint must provide. */
import type { ApiKey, Meter, UsageClass, Wanted } from '../accounts/types.ts'
import type { ErrorCode } from '../errors.ts'
import type { CityMatch, CityQuery } from '../index/cities/city-search.ts'
import { CodeQuery } from '../index/codes/resolve.ts'
import type { CountryEntry } from '../index/country-table.ts'
import { Output } from '../index/output.ts'
import type { PostalIndex } from '../index/postal-index.ts'
import { Fields } from './request/fields.ts'

/** What the dashboard shows of a key: enough to tell which one it was. */
const KEY_START_BYTES = 12

export interface Service {
  /** Replaced as a whole when a new index has been built. */
  index: PostalIndex
  readonly meter: Meter
}

/** Where requests come from. */
export interface ClientAddress {
  /** Of the request that is being answered, as `networks.ts` has addresses; null: not known. */
  address(): Int32Array | null
}

const NOWHERE: ClientAddress = { address: () => null }

/** A list of codes that takes too long for the server's thread. */
export interface AwaitedList {
  /** The same for every request that awaits the same list of `index`. */
  readonly name: string
  readonly cc: string
  readonly query: CityQuery
  readonly match: CityMatch
  readonly index: PostalIndex
  /** The part of the list that is wanted; undefined: all of it. */
  readonly page: Page | undefined
}

/** A part of a list: `limit` items after the first `offset`. */
export interface Page {
  readonly limit: number
  readonly offset: number
}

/**
 * The state of the request that is being answered. It is reused like a set of registers: the server has one thread and answers
 * each request before it takes the next, so that no request needs an object of its own.
 */
export class ApiRequest {
  readonly fields = new Fields()
  readonly query = new CodeQuery()
  readonly output = new Output()
  /** HTTP status of what `output` holds. */
  status = 200
  /** Seconds for `Retry-After`; 0: without that header. */
  retryAfter = 0
  /** A response that is too large for `output`: the codes of a city, a batch. Empty otherwise. */
  large: string | Uint8Array = ''
  /** Whether `large` is MessagePack: a worker has done that already. */
  isPacked = false
  country: CountryEntry = undefined
  /** Index of the code that was found, or -1. */
  code = -1
  /** Milliseconds on the monotonic clock, after each step. */
  startedMs = 0
  authenticatedMs = 0
  limitedMs = 0
  /** When the answer was written; 0: read the clock. */
  endedMs = 0
  /** What a worker must list before the request can be answered; undefined for nearly every request. */
  awaits: AwaitedList | undefined
  /** Whose request it is; undefined until its key has been found. */
  key: ApiKey | undefined
  /** Queries that have been charged for the answer. */
  chargedQueries = 0
  /** When a worker took the batch over and when it had done it; 0: none did. */
  bulkStartedMs = 0
  bulkEndedMs = 0
  /** What the node of a fleet must lease before the request can be answered; null for nearly every request. */
  wanted: Wanted | null = null
  /** Whether the cap of the key has refused the request, not the balance. */
  isCapped = false
  /** The first characters of a key that was not found, and how many there are. */
  readonly failedKey = new Uint8Array(KEY_START_BYTES)
  failedKeyLength = 0
  readonly service: Service
  /** Asked only for keys that are allowed from certain addresses. */
  client: ClientAddress = NOWHERE

  constructor(service: Service) {
    this.service = service
  }

  /** The body that `fields` has read, for the few fields that it does not know. */
  get body(): Uint8Array {
    return this.fields.body
  }

  /** Resets everything for a request that began at `startedMs`. */
  begin(startedMs: number): void {
    this.startedMs = startedMs
    this.status = 200
    this.retryAfter = 0
    this.large = ''
    this.isPacked = false
    this.awaits = undefined
    this.endedMs = 0
    this.authenticatedMs = 0
    this.key = undefined
    this.country = undefined
    this.chargedQueries = 0
    this.bulkStartedMs = 0
    this.bulkEndedMs = 0
    this.wanted = null
    this.isCapped = false
    this.failedKeyLength = 0
    this.output.length = 0
  }
}

/** One single-record endpoint. No request makes a step throw; what is wrong with one is returned as its error. */
export interface Endpoint {
  readonly usage: UsageClass
  /** Checks the shape of the fields other than `apiKey`. */
  check(request: ApiRequest): ErrorCode | null
  /** Finds the answer in the index. */
  find(request: ApiRequest): ErrorCode | null
  /** Writes the answer. The charge has been made. */
  write(request: ApiRequest, key: ApiKey): void
}
