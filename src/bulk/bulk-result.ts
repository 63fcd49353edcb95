/** The outcome of reading one bulk body, in the form that crosses between threads. */
import type { ErrorCode } from '../errors.ts'

export type BulkResult = MalformedBatch | ReadBatch

export interface MalformedBatch {
  error: ErrorCode
  record?: number
  /** Bytes of the `apiKey`; none when there is none. */
  apiKey: Uint8Array
}

export interface ReadBatch {
  error: null
  /** Bytes of the `apiKey`; none when there is none. */
  apiKey: Uint8Array
  count: number
  /** `{"results":[…]` in the first `length` bytes, and at least `TAIL_BYTES` of room after them. */
  bytes: Uint8Array
  length: number
}

/** Longest rest of a bulk response: cost, balance, performance, rate limit. */
export const TAIL_BYTES = 1024

/** Bytes of the `apiKey` of a parsed body; none when there is none. */
export function secretIn({ apiKey }: Readonly<Record<string, unknown>>): Uint8Array {
  return Buffer.from(typeof apiKey === 'string' ? apiKey : '')
}
