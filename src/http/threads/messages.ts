/** What the ledger thread and a server thread say to each other. Both sides import this file. */
import type { MessagePort } from 'node:worker_threads'
import type { ThreadShare } from '../../accounts/charging/thread-share.ts'
import type { Task, TaskResult } from '../../bulk/tasks.ts'
import type { ProxySettings } from '../../forwarded.ts'
import type { LentIndex } from '../../index/loans.ts'
import type { ConnectionBounds } from '../connections.ts'
import type { ObserverSettings } from '../observers.ts'
import type { CountsMemory } from '../shared/process-counts.ts'

/** What a server thread needs once, to serve. */
export interface ThreadStart {
  /** How many threads share the port. */
  threads: number
  bulkWorkers: number
  bounds: ConnectionBounds
  proxies: ProxySettings
  /** For `SharedCharging`. */
  share: ThreadShare
  accountsPort: MessagePort
  /** The thread's own counts, and those of all threads. */
  counts: SharedArrayBuffer
  sharedCounts: CountsMemory
  observers: ObserverSettings
}

/** To a server thread. */
export type ToThread =
  /** Begin to answer from this index, on this address. The first message. */
  | { kind: 'serve'; start: ThreadStart; index: LentIndex; host: string; port: number }
  /** Answer from this index from now on, and leave the previous one. */
  | { kind: 'index'; index: LentIndex }
  /** The end of a task: what it returned, or what it threw. */
  | { kind: 'done'; task: number; result: TaskResult }
  | { kind: 'undone'; task: number; error: Error }
  /** Stop accepting, answer what is in progress, and end. */
  | { kind: 'close' }

/** From a server thread. */
export type FromThread =
  /** The port that it listens on, or null when it cannot. */
  | { kind: 'listening'; port: number | null }
  /** Nobody on the thread reads this index any more. */
  | { kind: 'left'; indexId: number }
  /** A task for a bulk worker. */
  | { kind: 'task'; task: number; work: Task }
  /** An unexpected error of a request, for the log. */
  | { kind: 'report'; error: unknown; id: string }
  /** The thread cannot go on; it ends itself. */
  | { kind: 'failed'; error: unknown }
