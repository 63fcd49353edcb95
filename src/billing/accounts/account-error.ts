/** Codes of refused commands. The message says why, and what to do. */
export type AccountErrorCode =
  | `${'ACCOUNT' | 'KEY' | 'INVITATION'}_NOT_FOUND`
  | `${'EMAIL' | 'IDENTITY'}_TAKEN`
  | `TOO_MANY_${'ACCOUNTS' | 'KEYS' | 'MEMBERS'}`
  | `ACCOUNT_${'SUSPENDED' | 'CLOSED'}`
  | `ALREADY_${'MEMBER' | 'INVITED'}`
  | `INVALID_${'EMAIL' | 'IDENTITY' | 'AMOUNT' | 'REFERENCE' | 'NOTE' | 'REASON' | 'LABEL' | 'LIMITS' | 'CAP' | 'EXPIRY'}`
  | `INVALID_${'ENDPOINTS' | 'ADDRESSES' | 'OVERLAP' | 'PROFILE'}`
  | 'REFERENCE_CONFLICT'
  | 'BALANCE_TOO_HIGH'
  | 'NOT_A_MEMBER'
  | 'LAST_OWNER'
  | 'INVITATION_FOR_ANOTHER'
  | 'KEY_REVOKED'
  | 'REPEATED'
  | 'UNAVAILABLE'

/** Thrown when a command is refused. Nothing was changed. With `UNAVAILABLE`, the outcome is known only after a restart. */
export class AccountError extends Error {
  override readonly name = 'AccountError'
  readonly code: AccountErrorCode

  constructor(code: AccountErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }

  /** Kind of the error for operators. */
  get kind(): 'not_found' | 'invalid' | 'unavailable' | 'refused' {
    if (this.code.endsWith('_NOT_FOUND')) return 'not_found'
    if (this.code.startsWith('INVALID_')) return 'invalid'
    return this.code === 'UNAVAILABLE' ? 'unavailable' : 'refused'
  }
}

/** Returns the error of a refused command. @throws any other error, also `UNAVAILABLE` */
export function commandRefusal(error: unknown): AccountError {
  if (error instanceof AccountError && error.code !== 'UNAVAILABLE') return error
  throw error
}

/** Thrown when shared memory is unreliable. The process must end. A start rebuilds the memory. */
export class SharedStateError extends Error {
  override readonly name = 'SharedStateError'
}
