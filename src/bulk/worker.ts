/**
 * A bulk worker: reads the index in the memory of the main thread, which lends it for each task, and does what would take
 * too long there.
 */
import { move, transferableSymbol, valueSymbol } from 'piscina'
import type { CityQuery } from '../index/cities/city-search.ts'
import type { LentIndex } from '../index/loans.ts'
import type { PostalIndex } from '../index/postal-index.ts'
import { borrowedIndex } from '../index/served-index.ts'
import { type BatchKind, TAIL_BYTES, type ValidatedBatch } from './bulk-result.ts'
import { listCodes } from './list-codes.ts'
import { BatchValidator } from './validate-batch.ts'

interface IndexTask {
  /** Stays in memory until the task has ended, and must not be touched after that. */
  index: LentIndex
}

export interface BulkTask extends IndexTask {
  body: Uint8Array
  kind: BatchKind
  /** The buffer of an earlier answer, to be filled again. */
  spare: ArrayBuffer | undefined
}

export interface ListTask extends IndexTask {
  cc: string
  query: CityQuery
}

/** Enough for nearly every answer, so that a spare buffer fits the next one. */
const ANSWER_BYTES = 128 * 1024

interface OpenIndex {
  id: number
  index: PostalIndex
  readonly validators: Map<BatchKind, BatchValidator>
}

/** What the last task used. Its index may have been released, unless the next task comes with the same. */
let open: OpenIndex | undefined

async function openFor(lent: LentIndex): Promise<OpenIndex> {
  if (open?.id === lent.id) return open
  const index = await borrowedIndex(lent)
  open = { id: lent.id, index, validators: new Map() }
  return open
}

/** Does one task. What is large in its result is moved, not copied, to the main thread. */
export default async function run(task: BulkTask | ListTask) {
  const used = await openFor(task.index)
  return 'query' in task ? list(used, task) : validate(used, task)
}

function list({ index }: OpenIndex, { cc, query }: ListTask) {
  const codes = listCodes(index, cc, query)
  return move({ [transferableSymbol]: codes.buffer, [valueSymbol]: codes })
}

/** Validates one body. The answer is copied out of the validator's buffer once. */
function validate({ index, validators }: OpenIndex, { body, kind, spare }: BulkTask) {
  const validator = validators.get(kind) ?? new BatchValidator(index, kind)
  validators.set(kind, validator)
  const result = validator.validate(body)
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
