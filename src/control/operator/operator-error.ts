import { AccountError, type AccountErrorCode } from '../../accounts/account-error.ts'
import { LedgerError, type LedgerErrorCode } from '../../ledger/ledger-error.ts'
import { EXIT } from '../../platform/exit.ts'

export const OPERATOR_STATUS = {
  refused: 409,
  not_found: 404,
  invalid: 400,
  /** The ledger is damaged, and needs a decision of the operator. */
  damaged: 500,
  busy: 503,
  /** The ledger could not be written. */
  unavailable: 503,
  internal: 500,
} as const

export type OperatorErrorCode = keyof typeof OPERATOR_STATUS

const EXIT_CODES: Record<OperatorErrorCode, number> = {
  refused: EXIT.failed,
  not_found: EXIT.failed,
  invalid: EXIT.usage,
  damaged: EXIT.damaged,
  busy: EXIT.busy,
  unavailable: EXIT.unavailable,
  internal: EXIT.failed,
}

export class OperatorError extends Error {
  override readonly name = 'OperatorError'
  readonly code: OperatorErrorCode
  readonly exitCode: number

  constructor(code: OperatorErrorCode, message: string) {
    super(message)
    this.code = code
    this.exitCode = EXIT_CODES[code]
  }
}

export function isOperatorErrorCode(text: unknown): text is OperatorErrorCode {
  return typeof text === 'string' && Object.hasOwn(OPERATOR_STATUS, text)
}

const LEDGER_CODES: Record<LedgerErrorCode, OperatorErrorCode> = {
  DAMAGED: 'damaged',
  OTHER_FORMAT: 'refused',
  LOCKED: 'busy',
  UNUSABLE: 'unavailable',
  REFUSED: 'refused',
}

/** Returns an error of accounts or of the ledger as OperatorError, and any other error unchanged. */
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
