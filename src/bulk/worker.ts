/**
 * A bulk worker: reads the index in the memory of the main thread, which lends it for each task, and does what would take
 * too long there.
 */
import { move, transferableSymbol, valueSymbol } from 'piscina'
import type { CityQuery } from '../index/cities/city-search.ts'
import type { LentIndex } from '../index/loans.ts'
import type { PostalIndex } from '../index/postal-index.ts'
import { borrowedIndex } from '../index/served-index.ts'
import { BULK_BODY_BYTES_MAX } from '../limits.ts'
import { BRACE_CLOSE } from '../text/json-bytes.ts'
import { PackedReader } from '../text/json-from-packed.ts'
import { PackedWriter } from '../text/packed-from-json.ts'
import { type BatchForms, type BatchKind, TAIL_BYTES, type ValidatedBatch } from './bulk-result.ts'
import { listCodes } from './list-codes.ts'
import { BatchValidator } from './validate-batch.ts'
import { goBehindRequests } from './worker-priority.ts'

goBehindRequests()

interface IndexTask {
  /** Stays in memory until the task has ended, and must not be touched after that. */
  index: LentIndex
}

export interface BulkTask extends IndexTask {
  body: Uint8Array
  kind: BatchKind
  forms: BatchForms
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

const reader = new PackedReader()
const writer = new PackedWriter()
/** What no validator takes for a batch. */
const MALFORMED = new Uint8Array(0)

/** Validates one body. The answer is copied out of the validator's buffer, or the packer's, once. */
function validate({ index, validators }: OpenIndex, { body, kind, forms, spare }: BulkTask) {
  const validator = validators.get(kind) ?? new BatchValidator(index, kind)
  validators.set(kind, validator)
  const json = forms.isBodyPacked ? (reader.json(body, BULK_BODY_BYTES_MAX) ?? MALFORMED) : body
  const result = validator.validate(json)
  if (result.error !== null) return result
  const made = forms.isAnswerPacked ? packedResults(result) : result.bytes.subarray(0, result.length)
  const needed = made.length + TAIL_BYTES
  const bytes = new Uint8Array(
    spare !== undefined && spare.byteLength >= needed
      ? spare
      : new ArrayBuffer(Math.max(needed, ANSWER_BYTES)),
  )
  bytes.set(made)
  const { count } = result
  const answer: ValidatedBatch = {
    error: null,
    count,
    apiKey: result.apiKey.slice(),
    isPacked: forms.isAnswerPacked,
    bytes,
    length: made.length,
  }
  // Piscina unwraps only what `move` has marked.
  return move({ [transferableSymbol]: bytes.buffer, [valueSymbol]: answer })
}

function packedResults({ bytes, length }: ValidatedBatch): Uint8Array {
  // There is room for the rest of the response.
  bytes[length] = BRACE_CLOSE
  return writer.packed(bytes.subarray(0, length + 1))
}
