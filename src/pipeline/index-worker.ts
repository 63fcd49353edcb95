/** A thread of `postrie check`: maps the index, and checks one piece of the input after another. */
import { workerData } from 'node:worker_threads'
import { move, transferableSymbol, valueSymbol } from 'piscina'
import { openIndex } from '../index/open-index.ts'
import { PostalCodes } from '../library/postal-codes.ts'
import type { CsvReader } from './csv.ts'
import { EqualRecords } from './equal-records.ts'
import { InputError } from './input-error.ts'
import { type CheckPlan, fieldsOf } from './plan.ts'
import { type CheckedPiece, ResultLines, recordsOf } from './records.ts'

export interface WorkerSetup {
  indexFile: string
  plan: CheckPlan
}

const { indexFile, plan } = workerData as WorkerSetup
const index = openIndex(indexFile)
const codes = new PostalCodes(index)
const fields = fieldsOf(plan)
const equal =
  plan.to === 'csv' && fields.length === 0 && !plan.padDigits ? new EqualRecords(index, plan) : undefined

/** Checks whole records. The results are moved, not copied, to the main thread. */
export default function run(piece: Uint8Array) {
  const checked = checkedPiece(piece)
  return move({ [transferableSymbol]: checked.bytes.buffer, [valueSymbol]: checked })
}

function checkedPiece(piece: Uint8Array): CheckedPiece {
  const results = new ResultLines(plan, piece)
  const takes = equal && ((record: CsvReader) => equal.add(record, results))
  try {
    for (const record of recordsOf(piece, plan, takes)) {
      const { verdict, fits, values } = codes.checkWith(record, fields)
      results.add(record, verdict, fits, values)
    }
    return results.end(null)
  } catch (error) {
    if (!(error instanceof InputError)) throw error
    return results.end(error.message)
  }
}
