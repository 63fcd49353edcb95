/** Contract between the process and its part that answers `/api`. */
import type { Accounts } from '../billing/accounts/accounts.ts'
import type { ReachedLimit } from '../billing/accounts/charging/shared-key.ts'
import type { KeyRefusal } from '../billing/accounts/key-refusals.ts'
import type { Log } from '../platform/log.ts'
import type { Metric } from '../platform/metric.ts'
import type { Config } from '../platform/settings/config.ts'
import type { PostalIndex } from '../postal/index/postal-index.ts'

export interface Latency {
  p50Micros: number
  p99Micros: number
}

export interface Reload {
  /** `same`: that build is already served. `refused`: the file is unusable, and the old index stays. */
  outcome: 'replaced' | 'same' | 'refused'
  buildId: string
  codeCount: number
  problem?: string
}

export interface ServedFile {
  /** `opened`: checksums are still being computed. `damaged`: a checksum was wrong. */
  readonly state: 'opened' | 'verified' | 'damaged'
  /** Time when it was written; 0 if unknown. */
  writtenMs: number
  /** Fault of the file at INDEX_FILE, served or not; null if none is known. */
  problem: string | null
}

/** Slot of a key, or the first 12 characters of a secret that is not accepted. */
export type KeySender = number | string
/** Slot of an account, or the first 12 characters of a secret that is not accepted. */
export type AccountSender = number | string

export interface LoggedRequest {
  timeMs: number
  endpoint: string
  /** Two letters, or the beginning of another sent text; '' if the endpoint has no country. */
  country: string
  status: number
  error: string | null
  bound: ReachedLimit | null
  keyRefusal: KeyRefusal | null
  durationMicros: number
  sender: KeySender
  /** Address of the client; null if no trusted proxy names it. */
  client: string | null
  /** `X-Request-Id` of the answer; null without one. */
  requestId: string | null
  queries: number
  /** Price and balance of a request that the balance refused. */
  unpaid: { queries: number; balanceMicros: number } | null
  /** Requested code; null unless the account's codes are kept. */
  code: string | null
}

/** Noted requests of a sender from one network, with one of its secrets. */
export interface Sighting {
  /** Beginning of the secret. */
  start: string
  /** `''` for all networks that are no longer named. */
  network: string
  requests: number
  refused: number
  /** Charged queries of the requests. */
  queries: number
  firstMs: number
  lastMs: number
}

/** Number of requests of a sender that were refused for one reason in a UTC hour. */
export interface RefusalCount {
  /** Hours since 1970. */
  readonly hour: number
  readonly status: number
  readonly endpoint: string
  /** Null for the sum of all senders. */
  readonly sender: KeySender | null
  /** Text of the error, with `[N]` as the number of a record. */
  readonly error: string
  /** Limit or cap that refused the last of them. */
  readonly bound: ReachedLimit | null
  readonly keyRefusal: KeyRefusal | null
  /** Address that the rules of the key refused last; null for other reasons. */
  readonly client: string | null
  readonly requests: number
  readonly firstMs: number
  readonly lastMs: number
}

/** Request log and refused requests of each account. Bounded, in memory, and kept over an orderly restart. */
export interface AccountActivity {
  /** Time since which only the bounds have dropped requests; after a crash, the service's start. */
  readonly sinceMs: number
  /** Returns the last requests of an account and of secrets that are not accepted, newest first. */
  requests(account: number, secrets: readonly string[]): LoggedRequest[]
  /** Returns where a sender was seen, most requests first, then the sums of all other networks. */
  sightings(sender: KeySender): Sighting[]
  /** Returns the counts of the last 48 hours. @param account null for the sums of all, by status */
  refusals(account: number | null, secrets: readonly string[], nowMs: number): RefusalCount[]
  /** Returns the numbers of refused requests of 48 hours, by sender. Costs a pass over all counts. */
  refusedCounts(nowMs: number): ReadonlyMap<AccountSender | null, number>
  /** Keeps the account's requested codes until that time; 0 ends it. */
  keepCodes(slot: number, untilMs: number): void
  /** Returns the time until which codes are kept, to the minute; 0 if they are not kept. */
  codesKeptUntilMs(slot: number): number
}

export interface DataPlane {
  readonly port: number
  metrics(): readonly Metric[]
  /** Returns the latency of all endpoints for one record; null before the first answer. */
  latency(): Latency | null
  readonly activity: AccountActivity
  index(): PostalIndex
  servedFile(): ServedFile
  /** Serves INDEX_FILE if it holds another build. Resolves once the old index is released. */
  reload(): Promise<Reload>
  onIndex(listener: (index: PostalIndex) => void): void
  /** Stops accepting, answers the bulk requests in progress, and frees workers and index. */
  close(): Promise<void>
}

export interface DataPlaneParts {
  config: Config
  /** Opened while the data plane starts its other parts. */
  accounts: Promise<Accounts>
  log: Log
  onFatal: (error: Error) => void
}

/** Opens the index and listens on `config.host:config.port`. @throws Error that names the file or port */
export type StartDataPlane = (parts: DataPlaneParts) => Promise<DataPlane>
