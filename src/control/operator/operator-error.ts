/** What can go wrong with an operator's command, with its HTTP status on the socket. */
export const OPERATOR_STATUS = {
  /** The command was understood and refused, or failed. */
  refused: 409,
  not_found: 404,
  /** A parameter is missing or has no acceptable value. */
  invalid: 400,
  /** The last entry of the ledger was cut off by a crash; starting the server repairs it. */
  torn: 500,
  /** The ledger is damaged in a way that nothing may repair unasked. */
  damaged: 500,
  /** Another process holds the data folder and does not answer. */
  busy: 503,
  /** The ledger could not be written, so nothing more is acknowledged. */
  unavailable: 503,
  internal: 500,
} as const

export type OperatorErrorCode = keyof typeof OPERATOR_STATUS

/** An error that the operator should read: `message` says what was found, what was expected and what helps. */
export class OperatorError extends Error {
  readonly code: OperatorErrorCode

  constructor(code: OperatorErrorCode, message: string) {
    super(message)
    this.name = 'OperatorError'
    this.code = code
  }
}

export function isOperatorErrorCode(text: unknown): text is OperatorErrorCode {
  return typeof text === 'string' && Object.hasOwn(OPERATOR_STATUS, text)
}
