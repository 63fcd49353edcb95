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

export interface DataPlane {
  /** The port it really listens on. */
  readonly port: number
  /** Facts for `/metrics`, taken when asked. */
  metrics(): readonly Metric[]
  /** How long answers take inside the server, where it measures that. */
  latency?(): Latency | null
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
