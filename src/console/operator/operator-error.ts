import { AccountError } from '../../billing/accounts/account-error.ts'
import { LedgerError, type LedgerErrorCode } from '../../billing/ledger/ledger-error.ts'
import { EXIT } from '../../platform/exit.ts'

/** Status on the operator's socket, and exit code of the command line, by code. */
const CODES = {
  /** The command contradicts the state of the service. Nothing was changed. */
  refused: [409, EXIT.failed],
  not_found: [404, EXIT.failed],
  invalid: [400, EXIT.usage],
  /** The ledger is damaged, and needs a decision of the operator. */
  damaged: [500, EXIT.damaged],
  /** Another process holds the data folder. */
  busy: [503, EXIT.busy],
  /** The service, the ledger or the database does not answer. */
  unavailable: [503, EXIT.unavailable],
  /** A bug. The log has it. */
  internal: [500, EXIT.failed],
} as const

export type OperatorErrorCode = keyof typeof CODES

export class OperatorError extends Error {
  override readonly name = 'OperatorError'
  readonly code: OperatorErrorCode
  readonly status: (typeof CODES)[OperatorErrorCode][0]
  readonly exitCode: number

  constructor(code: OperatorErrorCode, message: string) {
    super(message)
    this.code = code
    ;[this.status, this.exitCode] = CODES[code]
  }
}

export function isOperatorErrorCode(text: unknown): text is OperatorErrorCode {
  return typeof text === 'string' && Object.hasOwn(CODES, text)
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
  if (error instanceof AccountError) return new OperatorError(error.kind, error.message)
  if (error instanceof LedgerError) return new OperatorError(LEDGER_CODES[error.code], error.message)
  return error
}
