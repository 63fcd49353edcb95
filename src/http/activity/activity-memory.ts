/** The memory in which server threads keep what each account has asked, shared with the ledger thread, which shows it. */
import {
  ACCOUNTS_MAX,
  ERROR_ROWS_MAX,
  ERROR_ROWS_PER_THREAD_MIN,
  REQUEST_LOG_BLOCKS_MIN,
} from '../../limits.ts'
import { hourlyMemory } from './hourly-counts.ts'
import { BLOCK_BYTES } from './request-log-layout.ts'

/** Of one thread, by structured clone. */
export interface ActivityMemory {
  /** Of each account: its newest block plus 1; undefined: there is no request log. */
  log: { heads: SharedArrayBuffer; blocks: SharedArrayBuffer; codesUntil: SharedArrayBuffer } | undefined
  /** Errors by account, and failed keys by their first characters. */
  errors: SharedArrayBuffer
  failedKeys: SharedArrayBuffer
}

/**
 * Memory for each of `threads` threads. The system gives pages only to what has been written.
 * @param logBytes of all request logs together; 0: none
 */
export function activityMemory(threads: number, logBytes: number): ActivityMemory[] {
  const rows = 2 ** Math.floor(Math.log2(Math.max(ERROR_ROWS_PER_THREAD_MIN, ERROR_ROWS_MAX / threads)))
  const blocks = Math.max(REQUEST_LOG_BLOCKS_MIN, Math.floor(logBytes / threads / BLOCK_BYTES))
  const words = () => new SharedArrayBuffer(ACCOUNTS_MAX * Int32Array.BYTES_PER_ELEMENT)
  const codesUntil = words()
  return Array.from({ length: threads }, () => ({
    log:
      logBytes === 0
        ? undefined
        : { heads: words(), blocks: new SharedArrayBuffer(blocks * BLOCK_BYTES), codesUntil },
    errors: hourlyMemory(rows),
    failedKeys: hourlyMemory(rows),
  }))
}
