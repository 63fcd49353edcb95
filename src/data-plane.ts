/** The seam between the process and the part of it that answers `/api`. */
import type { Accounts } from './accounts/accounts.ts'
import type { Bound } from './accounts/charging/shared-key.ts'
import type { PostalIndex } from './index/postal-index.ts'
import type { Log } from './platform/log.ts'
import type { Metric } from './platform/metric.ts'
import type { Config } from './settings/config.ts'

/** Weakness of the installed parser of HTTP, for log and operator: the build of uWebSockets.js for Node.js 20 has an old one; else null. */
export const OLD_PARSER: string | null =
  process.versions.modules === '115'
    ? 'the HTTP parser for Node.js 20 answers 505 to HTTP/1.0, absolute targets, trailers, and a first line in two packets, and nothing ' +
      'to more than 98 headers or to chunk extensions: use Node.js 22 or later, or a proxy'
    : null

export interface Latency {
  p50Micros: number
  p99Micros: number
}

export interface Reload {
  /** `same`: that build is served already. `refused`: the file cannot be used, and the old index stays. */
  outcome: 'replaced' | 'same' | 'refused'
  buildId: string
  codeCount: number
  problem?: string
}

export interface LoggedRequest {
  timeMs: number
  endpoint: string
  /** Two letters, or the beginning of what was sent instead; '' where the endpoint has no country. */
  country: string
  status: number
  /** Text of an answer that is an error, else null. */
  error: string | null
  /** Limit or cap that has refused it. */
  bound: Bound | null
  durationMicros: number
  key: number
  queries: number
  /** Requested code while the account has codes kept, else null. */
  code: string | null
}

/** Errors of an account in one UTC hour, by status. A 401 counts when its key begins like one of the account's. */
export type ErrorHour = { startMs: number } & Record<401 | CountedStatus, number>
/** Statuses whose answers are counted by account; those of 401 are counted by the beginning of the key. */
export const COUNTED_STATUSES = [400, 402, 403, 404, 429, 503] as const
type CountedStatus = (typeof COUNTED_STATUSES)[number]

/** Request log and errors of each account: in memory only, since the start, bounded. */
export interface AccountActivity {
  /** The last answered and the last refused requests of the account `slot`, the newest first. */
  requests(slot: number): LoggedRequest[]
  /** One item for each of the last 48 hours, the present one last. `keyStarts`: first 12 characters of its keys. `all`: of everybody. */
  errors(slot: number | 'all', keyStarts: readonly string[], nowMs: number): ErrorHour[]
  /** Errors of the last 48 hours by status, of each account that had any; 401 are nobody's. Costs a pass over all counts. */
  errorsByAccount(nowMs: number): ReadonlyMap<number, ReadonlyMap<number, number>>
  /** Keeps the codes that the account asks for until that time. 0: no longer. */
  keepCodes(slot: number, untilMs: number): void
  /** Time until which codes are kept, to the minute. 0: they are not. */
  codesKeptUntilMs(slot: number): number
}

export interface DataPlane {
  readonly port: number
  metrics(): readonly Metric[]
  /** Null before the first answer. Without an endpoint: of those that answer about one record. */
  latency?(endpoint?: string): Latency | null
  readonly activity?: AccountActivity
  /** Index that it answers from now. Null in tests without one. */
  index(): PostalIndex | null
  /** Takes over INDEX_FILE when it holds another build. Resolves once the old index is released. */
  reload?(): Promise<Reload>
  onIndex?(listener: (index: PostalIndex) => void): void
  /** Stops accepting, answers the batches in progress, frees its workers and the index. */
  close(): Promise<void>
}

export interface DataPlaneParts {
  config: Config
  /** Opened while the data plane starts its other parts. */
  accounts: Promise<Accounts>
  log: Log
  onFatal: (error: Error) => void
}

/** Opens the index at `config.indexFile` and listens on `config.host:config.port`. @throws Error that names the file or port. */
export type StartDataPlane = (parts: DataPlaneParts) => Promise<DataPlane>
