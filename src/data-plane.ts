/** The seam between the process and the part of it that answers `/api`. */
import type { Accounts } from './accounts/accounts.ts'
import type { PostalIndex } from './index/postal-index.ts'
import type { Log } from './platform/log.ts'
import type { Metric } from './platform/metric.ts'
import type { Config } from './settings/config.ts'

export interface Latency {
  p50Micros: number
  p99Micros: number
}

/** What became of a wish to serve the file that is at INDEX_FILE now. */
export interface Reload {
  /** `same`: that build was served already. `refused`: the file cannot be used, and the old index is still served. */
  outcome: 'replaced' | 'same' | 'refused'
  /** Of the index that is served now. */
  buildId: string
  codeCount: number
  /** Why it was refused. */
  problem?: string
}

/** One request of an account, as its log has it. */
export interface LoggedRequest {
  /** When it was answered. */
  timeMs: number
  endpoint: string
  /** Two letters; '' where the request has no country. */
  country: string
  status: number
  durationMicros: number
  /** Slot of the key. */
  key: number
  /** Queries that it was charged. */
  queries: number
  /** The code that was asked for, while the account has these kept; otherwise null. */
  code: string | null
}

/** Errors of an account in one UTC hour, by status. Those of 401 had a key that begins like one of the account. */
export interface ErrorHour {
  startMs: number
  401: number
  402: number
  403: number
  404: number
  429: number
  503: number
}

/** What is noted of each account besides its usage: in memory only, since the start, within bounds. */
export interface AccountActivity {
  /** The newest requests of the account `slot`, the newest first. */
  requests(slot: number): LoggedRequest[]
  /** One item for each of the last 48 hours, the present one last. `keyStarts` are the first 12 characters of its keys. */
  errors(slot: number, keyStarts: readonly string[], nowMs: number): ErrorHour[]
  /** Has the log keep the codes that the account asks for, until that time; 0: no longer. */
  keepCodes(slot: number, untilMs: number): void
  /** Until when it does, to the minute; 0: it does not. */
  codesKeptUntilMs(slot: number): number
}

export interface DataPlane {
  /** The port it really listens on. */
  readonly port: number
  /** Facts for `/metrics`, taken when asked. */
  metrics(): readonly Metric[]
  /** How long answers take inside the server, where it measures that. */
  latency?(): Latency | null
  /** What is noted of each account; undefined in tests without it. */
  readonly activity?: AccountActivity
  /** The index that it answers from at this moment; null in tests without one. */
  index(): PostalIndex | null
  /** Takes over the index file when it holds another build. Resolves when the old index has been released. */
  reload?(): Promise<Reload>
  /** Calls `listener` with each index that has taken the place of the previous one. */
  onIndex?(listener: (index: PostalIndex) => void): void
  /** Stops accepting, answers the batches in progress, frees its workers and the index. */
  close(): Promise<void>
}

export interface DataPlaneParts {
  config: Config
  /** Being opened while the data plane starts what does not need them. */
  accounts: Promise<Accounts>
  log: Log
  /** Called when a part of it has died: the process must then end. */
  onFatal: (error: Error) => void
}

/** Opens the index at `config.indexFile` and listens on `config.host:config.port`. @throws Error that names the file or port. */
export type StartDataPlane = (parts: DataPlaneParts) => Promise<DataPlane>
