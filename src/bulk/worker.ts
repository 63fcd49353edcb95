/** A bulk worker: reads the index in the memory of the main thread, which lends it for each batch, and validates bodies. */
import { move, transferableSymbol, valueSymbol } from 'piscina'
import type { LentIndex } from '../index/loans.ts'
import { borrowedIndex } from '../index/served-index.ts'
import { type BulkResult, TAIL_BYTES } from './bulk-result.ts'
import { BatchValidator } from './validate-batch.ts'

export interface BulkTask {
  /** Stays in memory until the batch has ended, and must not be touched after that. */
  index: LentIndex
  body: Uint8Array
  /** Of an earlier answer, to be filled again. */
  spare: ArrayBuffer | undefined
}

/** Enough for nearly every answer, so that what is spare fits the next one. */
const ANSWER_BYTES = 128 * 1024

/** What the last batch used. Its index may have been released, unless the next batch comes with the same. */
let open: { id: number; validator: BatchValidator } | undefined

async function validatorFor(index: LentIndex): Promise<BatchValidator> {
  if (open?.id !== index.id)
    open = { id: index.id, validator: new BatchValidator(await borrowedIndex(index)) }
  return open.validator
}

/** Validates one body. The answer is copied out of the validator's buffer once and then moved, not copied, to the main thread. */
export default async function run({ body, spare, index }: BulkTask) {
  const result = (await validatorFor(index)).validate(body)
  const needed = result.length + TAIL_BYTES
  const bytes = new Uint8Array(
    spare !== undefined && spare.byteLength >= needed
      ? spare
      : new ArrayBuffer(Math.max(needed, ANSWER_BYTES)),
  )
  bytes.set(result.bytes.subarray(0, result.length))
  const answer: BulkResult = { ...result, apiKey: result.apiKey?.slice(), bytes }
  // Only what `move` has marked is unwrapped on the other side.
  return move({ [transferableSymbol]: bytes.buffer, [valueSymbol]: answer })
}
