/** What validating one bulk body comes to, in the form that crosses from worker to main thread. */
import type { ErrorCode } from '../errors.ts'

/** Whether results are verdicts, or have the whole record as well. */
export type BatchKind = 'validate' | 'lookup'

/** How a batch is written, and how its answer shall be: JSON, or MessagePack. */
export interface BatchForms {
  isBodyPacked: boolean
  isAnswerPacked: boolean
}

export const JSON_FORMS: BatchForms = { isBodyPacked: false, isAnswerPacked: false }

export type BulkResult = MalformedBatch | ValidatedBatch

/** The first thing that is wrong with the shape of a body. */
export interface MalformedBatch {
  error: ErrorCode
  /** Number of the record that `error` is about, else -1. */
  record: number
}

export interface ValidatedBatch {
  error: null
  /** Records validated. */
  count: number
  /** Bytes of the `apiKey`: at least one. */
  apiKey: Uint8Array
  /** Whether `bytes` are MessagePack: a map with `results` alone. Otherwise they are `{"results":[…]`. */
  isPacked: boolean
  /** With at least `TAIL_BYTES` of room after `length` for the rest of the response. */
  bytes: Uint8Array
  length: number
}

/** Longest rest of a bulk response: cost, balance, performance, rate limit. */
export const TAIL_BYTES = 1024

export function bulkError(error: ErrorCode, record = -1): MalformedBatch {
  return { error, record }
}
