export type AccountErrorCode =
  | 'ACCOUNT_NOT_FOUND'
  | 'KEY_NOT_FOUND'
  | 'EMAIL_TAKEN'
  | 'IDENTITY_TAKEN'
  | 'REFERENCE_CONFLICT'
  | 'TOO_MANY_ACCOUNTS'
  | 'TOO_MANY_KEYS'
  | 'BALANCE_TOO_HIGH'
  | 'ACCOUNT_SUSPENDED'
  | 'ACCOUNT_CLOSED'
  | 'ALREADY_MEMBER'
  | 'ALREADY_INVITED'
  | 'TOO_MANY_MEMBERS'
  | 'NOT_A_MEMBER'
  | 'LAST_OWNER'
  | 'INVITATION_NOT_FOUND'
  | 'INVITATION_FOR_ANOTHER'
  | 'INVALID_EMAIL'
  | 'INVALID_IDENTITY'
  | 'INVALID_AMOUNT'
  | 'INVALID_KIND'
  | 'INVALID_REFERENCE'
  | 'INVALID_NOTE'
  | 'INVALID_REASON'
  | 'INVALID_LABEL'
  | 'INVALID_LIMITS'
  | 'INVALID_CAP'
  | 'INVALID_EXPIRY'
  | 'INVALID_ENDPOINTS'
  | 'INVALID_ADDRESSES'
  | 'INVALID_OVERLAP'
  | 'KEY_REVOKED'
  | 'REPEATED'
  | 'INVALID_PROFILE'
  | 'UNAVAILABLE'

/** Thrown when a command is refused. Nothing was changed. With `UNAVAILABLE`, the outcome is known only after a restart. */
export class AccountError extends Error {
  readonly code: AccountErrorCode

  constructor(code: AccountErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'AccountError'
    this.code = code
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
