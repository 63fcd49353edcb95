/** A bulk worker: maps the same index file as the main thread, whose pages they share, and validates bodies. */
import { transferableSymbol, valueSymbol } from 'piscina'
import { openIndex } from '../index/postal-index.ts'
import { type BulkResult, TAIL_BYTES } from './bulk-result.ts'
import { BatchValidator } from './validate-batch.ts'

export interface BulkTask {
  /** A new index is a new file, so its path names it. */
  indexFile: string
  body: Uint8Array
}

let open: { indexFile: string; validator: BatchValidator } | undefined

/** Validates one body. The answer is copied out of the validator's buffer once and then moved, not copied, to the main thread. */
export default function run({ indexFile, body }: BulkTask) {
  if (open?.indexFile !== indexFile) open = { indexFile, validator: new BatchValidator(openIndex(indexFile)) }
  const result = open.validator.validate(body)
  const bytes = new Uint8Array(result.length + TAIL_BYTES)
  bytes.set(result.bytes.subarray(0, result.length))
  const answer: BulkResult = { ...result, apiKey: result.apiKey?.slice(), bytes }
  return { [transferableSymbol]: bytes.buffer, [valueSymbol]: answer }
}
