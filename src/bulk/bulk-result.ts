/** What validating one bulk body comes to, in the form that crosses from worker to main thread. */
import type { ErrorCode } from '../errors.ts'

export interface BulkResult {
  /** Null when the body has the right shape. */
  error: ErrorCode | null
  /** Number of the record that `error` is about, else -1. */
  record: number
  /** Records validated. */
  count: number
  /** Bytes of the `apiKey`. Undefined when it is missing. */
  apiKey: Uint8Array | undefined
  /** `{"results":[…]`, with at least `TAIL_BYTES` of room behind `length` for the rest of the response. */
  bytes: Uint8Array
  length: number
}

/** Longest rest of a bulk response: cost, balance, performance, rate limit. */
export const TAIL_BYTES = 1024

const NOTHING = new Uint8Array(0)

export function bulkError(error: ErrorCode, record = -1): BulkResult {
  return { error, record, count: 0, apiKey: undefined, bytes: NOTHING, length: 0 }
}
