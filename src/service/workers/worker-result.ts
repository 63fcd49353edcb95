/** Result of a bulk request or another long request, in a form for other threads. */
import type { ErrorCode } from '../errors.ts'

export type WorkerResult = WorkerFault | WorkerAnswer

interface WorkerFault {
  error: ErrorCode
  record?: number
  /** Bytes of the `apiKey`; empty without one. */
  apiKey: Uint8Array
}

export interface WorkerAnswer {
  error: null
  apiKey: Uint8Array
  count: number
  /** `{"results":[…]` without the ending in the first `length` bytes, then at least TAIL_BYTES of room. */
  bytes: Uint8Array
  length: number
}

/** Returns false for an answer of `Endpoint.run`, which has no member `bytes`. */
export function isWorkerAnswer(answer: object): answer is WorkerAnswer {
  return 'bytes' in answer
}

/** Bytes of the longest ending of an answer: cost, balance, performance, rate limit. */
export const TAIL_BYTES = 1024

/** Returns the whole answer. `ending` is ASCII, at most TAIL_BYTES long. */
export function withEnding({ bytes, length }: WorkerAnswer, ending: string): Uint8Array {
  const room = Buffer.from(bytes.buffer, bytes.byteOffset + length, TAIL_BYTES)
  return bytes.subarray(0, length + room.write(ending, 'latin1'))
}

/** Returns the bytes of the `apiKey` of a parsed body; empty without one. */
export function secretIn({ apiKey }: Readonly<Record<string, unknown>>): Uint8Array {
  return Buffer.from(typeof apiKey === 'string' ? apiKey : '')
}
