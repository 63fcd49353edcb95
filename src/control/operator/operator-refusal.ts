/** Errors of accounts and ledger in the operator's terms. */
import { AccountError, type AccountErrorCode } from '../../accounts/errors.ts'
import { LedgerError, type LedgerErrorCode } from '../../ledger/errors.ts'
import { OperatorError, type OperatorErrorCode } from './operator-error.ts'

const LEDGER_CODES: Record<LedgerErrorCode, OperatorErrorCode> = {
  DAMAGED: 'damaged',
  NEWER_FORMAT: 'refused',
  LOCKED: 'busy',
  UNUSABLE: 'unavailable',
  REFUSED: 'refused',
}

/** `error` with the code that decides status and exit code; any other error is returned as it is. */
export function asOperatorError(error: unknown): unknown {
  if (error instanceof AccountError) return new OperatorError(accountCode(error.code), error.message)
  if (error instanceof LedgerError) return new OperatorError(LEDGER_CODES[error.code], error.message)
  return error
}

function accountCode(code: AccountErrorCode): OperatorErrorCode {
  if (code === 'UNAVAILABLE') return 'unavailable'
  if (code.endsWith('_NOT_FOUND')) return 'not_found'
  return code.startsWith('INVALID_') ? 'invalid' : 'refused'
}
