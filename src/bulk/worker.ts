/** A bulk worker: maps the same index file as the main thread, whose pages they share, and validates bodies. */
import { move, transferableSymbol, valueSymbol } from 'piscina'
import { openIndex } from '../index/postal-index.ts'
import { type BulkResult, TAIL_BYTES } from './bulk-result.ts'
import { BatchValidator } from './validate-batch.ts'

export interface BulkTask {
  indexFile: string
  /** Build that the main thread uses. A newer one has replaced the file when it is not the one that is open here. */
  buildId: string
  body: Uint8Array
}

let open: { buildId: string; validator: BatchValidator } | undefined

/** Validates one body. The answer is copied out of the validator's buffer once and then moved, not copied, to the main thread. */
export default function run({ indexFile, buildId, body }: BulkTask) {
  if (open?.buildId !== buildId) open = { buildId, validator: new BatchValidator(openIndex(indexFile)) }
  const result = open.validator.validate(body)
  const bytes = new Uint8Array(result.length + TAIL_BYTES)
  bytes.set(result.bytes.subarray(0, result.length))
  const answer: BulkResult = { ...result, apiKey: result.apiKey?.slice(), bytes }
  // Without `move` piscina would clone the outer object, whose symbols do not survive that.
  return move({ [transferableSymbol]: bytes.buffer, [valueSymbol]: answer })
}
