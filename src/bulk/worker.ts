/** A bulk worker: it maps the same index file as the main thread, shares its pages, and does what would take too long there. */
import { move, transferableSymbol, valueSymbol, workerData } from 'piscina'
import type { CityQuery } from '../index/cities/city-search.ts'
import { openIndex } from '../index/postal-index.ts'
import { TAIL_BYTES, type ValidatedBatch } from './bulk-result.ts'
import { listCodes } from './list-codes.ts'
import { BatchValidator } from './validate-batch.ts'

/** Which index to use. A newer build has replaced the file when `buildId` is not the one that is open here. */
export interface BulkIndex {
  indexFile: string
  buildId: string
}

export interface BulkTask extends BulkIndex {
  body: Uint8Array
  /** The buffer of an earlier answer, to be filled again. */
  spare: ArrayBuffer | undefined
}

export interface ListTask extends BulkIndex {
  cc: string
  query: CityQuery
}

/** Enough for nearly every answer, so that a spare buffer fits the next one. */
const ANSWER_BYTES = 128 * 1024

// Opened as the worker starts, so that the first batch does not wait for it.
let open = openFor(workerData as BulkIndex)

function openFor({ indexFile, buildId }: BulkIndex) {
  const index = openIndex(indexFile)
  return { buildId, index, validator: new BatchValidator(index) }
}

/** Does one task. What is large in its result is moved, not copied, to the main thread. */
export default function run(task: BulkTask | ListTask) {
  if (open.buildId !== task.buildId) open = openFor(task)
  return 'query' in task ? list(task) : validate(task)
}

function list({ cc, query }: ListTask) {
  const codes = listCodes(open.index, cc, query)
  return move({ [transferableSymbol]: codes.buffer, [valueSymbol]: codes })
}

/** Validates one body. The answer is copied out of the validator's buffer once. */
function validate({ body, spare }: BulkTask) {
  const result = open.validator.validate(body)
  if (result.error !== null) return result
  const needed = result.length + TAIL_BYTES
  const bytes = new Uint8Array(
    spare !== undefined && spare.byteLength >= needed
      ? spare
      : new ArrayBuffer(Math.max(needed, ANSWER_BYTES)),
  )
  bytes.set(result.bytes.subarray(0, result.length))
  const answer: ValidatedBatch = { ...result, apiKey: result.apiKey.slice(), bytes }
  // Piscina unwraps only what `move` has marked.
  return move({ [transferableSymbol]: bytes.buffer, [valueSymbol]: answer })
}
