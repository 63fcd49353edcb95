import type { PostalIndex } from '../../postal/index/postal-index.ts'
import { PostalCodes } from '../../postal/library/postal-codes.ts'
import { exactRecords } from './exact-records.ts'
import { InputError } from './input-error.ts'
import { type CheckedPiece, ResultLines, recordsOf } from './input-records.ts'
import type { RecordBytes } from './json-line-reader.ts'
import { type CheckPlan, fieldsOf } from './plan.ts'

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
