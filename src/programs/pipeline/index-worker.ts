/** Worker of `postrie check`: checks pieces of the input with an index, which it maps for the first one. */
import { workerData } from 'node:worker_threads'
import { move, transferableSymbol, valueSymbol } from 'piscina'
import { openIndex } from '../../postal/index/open-index.ts'
import type { PostalIndex } from '../../postal/index/postal-index.ts'
import { PostalCodes } from '../../postal/library/postal-codes.ts'
import { exactRecords } from './exact-records.ts'
import { InputError } from './input-error.ts'
import { type CheckedPiece, ResultLines, recordsOf } from './input-records.ts'
import type { RecordBytes } from './json-line-reader.ts'
import { type CheckPlan, fieldsOf } from './plan.ts'

export interface WorkerSetup {
  indexFile: string
  plan: CheckPlan
}

let check: ReturnType<typeof pieceChecker> | undefined

/** Checks a piece. The results are moved to the main thread, not copied. */
export default function run(piece: Uint8Array) {
  const { indexFile, plan } = workerData as WorkerSetup
  check ??= pieceChecker(openIndex(indexFile), plan)
  const checked = check(piece)
  return move({ [transferableSymbol]: checked.bytes.buffer, [valueSymbol]: checked })
}

export function pieceChecker(index: PostalIndex, plan: CheckPlan): (piece: Uint8Array) => CheckedPiece {
  const codes = new PostalCodes(index)
  const fields = fieldsOf(plan)
  const exact =
    plan.from === plan.to && fields.length === 0 && !plan.padDigits ? exactRecords(index, plan) : undefined
  return piece => {
    const results = new ResultLines(plan, piece)
    const tryExact = exact && ((record: RecordBytes) => exact(record, results))
    try {
      for (const record of recordsOf(piece, plan, tryExact)) {
        const { verdict, fits, values } = codes.checkWith(record, fields)
        results.add(record, record.verdict ?? verdict, fits, values)
      }
      return results.end(null)
    } catch (error) {
      if (!(error instanceof InputError)) throw error
      return results.end(error.message)
    }
  }
}
