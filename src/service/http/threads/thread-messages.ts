/** Messages between the ledger thread and a server thread. */
import type { MessagePort } from 'node:worker_threads'
import type { ThreadShare } from '../../../billing/accounts/charging/thread-charging.ts'
import type { Config } from '../../../platform/settings/config.ts'
import type { LentIndex } from '../../../postal/index/loans.ts'
import type { WorkerResult } from '../../workers/worker-result.ts'
import type { WorkerTask } from '../../workers/workers.ts'
import type { ActivityNotes } from '../activity/activity-writer.ts'

type SettingNames = 'answerHeaders' | 'bulkWorkers' | 'corsOrigins' | 'traceShare' | 'trustedProxies'

export interface ThreadSettings extends Pick<Config, SettingNames> {
  connectionsMax: number
  keepsRequests: boolean
}

export interface ThreadStart extends ThreadSettings {
  threads: number
  share: ThreadShare
  accountsPort: MessagePort
  threadCounts: SharedArrayBuffer
  processCounts: SharedArrayBuffer
}

export type ToThread =
  /** First message: answer from this index on this address. */
  | { kind: 'serve'; start: ThreadStart; index: LentIndex; host: string; port: number }
  /** Answer from this index from now on. */
  | { kind: 'index'; index: LentIndex }
  | { kind: 'taskDone'; id: number; result: WorkerResult }
  | { kind: 'taskFailed'; id: number; error: Error }
  | { kind: 'close' }

export type FromThread =
  | { kind: 'listening'; port: number | null }
  /** No request uses the index any more. */
  | { kind: 'indexLeft'; indexId: number }
  | { kind: 'task'; id: number; task: WorkerTask }
  /** An error that ended a request, for the log. */
  | { kind: 'requestFailed'; error: unknown; id: string }
  | { kind: 'activity'; notes: ActivityNotes }
  | { kind: 'failed'; error: unknown }
