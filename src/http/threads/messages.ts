import type { MessagePort } from 'node:worker_threads'
import type { ThreadShare } from '../../accounts/charging/thread-charging.ts'
import type { BulkResult } from '../../bulk/bulk-result.ts'
import type { BulkTask } from '../../bulk/pool.ts'
import type { ProxySettings } from '../../forwarded.ts'
import type { LentIndex } from '../../index/loans.ts'
import type { Config } from '../../settings/config.ts'
import type { ActivityBatch } from '../activity/activity-writer.ts'

type ObserverSettings = Pick<Config, 'answerHeaders' | 'corsOrigins' | 'traceShare'> & {
  keepsRequests: boolean
}

export interface ThreadSettings {
  bulkWorkers: number
  connectionsMax: number
  proxies?: ProxySettings
  observers: ObserverSettings
}

export interface ThreadStart extends ThreadSettings {
  threads: number
  share: ThreadShare
  accountsPort: MessagePort
  counts: SharedArrayBuffer
  sharedCounts: SharedArrayBuffer
}

export type ToThread =
  /** First message: answer from this index on this address. */
  | { kind: 'serve'; start: ThreadStart; index: LentIndex; host: string; port: number }
  | { kind: 'index'; index: LentIndex }
  | { kind: 'done'; task: number; result: BulkResult }
  | { kind: 'undone'; task: number; error: Error }
  | { kind: 'close' }

export type FromThread =
  | { kind: 'listening'; port: number | null }
  | { kind: 'left'; indexId: number }
  | { kind: 'task'; task: number; work: BulkTask }
  | { kind: 'report'; error: unknown; id: string }
  | { kind: 'activity'; batch: ActivityBatch }
  | { kind: 'failed'; error: unknown }
