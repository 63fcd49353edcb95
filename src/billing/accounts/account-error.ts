/** Codes of refused commands, with their kind for operators. */
const ACCOUNT_ERROR_KINDS = {
  ACCOUNT_NOT_FOUND: 'not_found',
  KEY_NOT_FOUND: 'not_found',
  /** The invitation was used or withdrawn, or has expired. */
  INVITATION_NOT_FOUND: 'not_found',
  EMAIL_TAKEN: 'refused',
  IDENTITY_TAKEN: 'refused',
  /** The reference belongs to an entry of another account or amount. */
  REFERENCE_CONFLICT: 'refused',
  TOO_MANY_ACCOUNTS: 'refused',
  /** The service or the account has its maximum number of keys. */
  TOO_MANY_KEYS: 'refused',
  /** The sum of all credits would exceed its maximum. */
  BALANCE_TOO_HIGH: 'refused',
  ACCOUNT_SUSPENDED: 'refused',
  ACCOUNT_CLOSED: 'refused',
  ALREADY_MEMBER: 'refused',
  ALREADY_INVITED: 'refused',
  TOO_MANY_MEMBERS: 'refused',
  NOT_A_MEMBER: 'refused',
  LAST_OWNER: 'refused',
  INVITATION_FOR_ANOTHER: 'refused',
  KEY_REVOKED: 'refused',
  /** The same form was sent before, and took effect. */
  REPEATED: 'refused',
  INVALID_EMAIL: 'invalid',
  INVALID_IDENTITY: 'invalid',
  INVALID_AMOUNT: 'invalid',
  INVALID_REFERENCE: 'invalid',
  INVALID_NOTE: 'invalid',
  INVALID_REASON: 'invalid',
  INVALID_LABEL: 'invalid',
  INVALID_LIMITS: 'invalid',
  INVALID_CAP: 'invalid',
  INVALID_EXPIRY: 'invalid',
  INVALID_ENDPOINTS: 'invalid',
  INVALID_ADDRESSES: 'invalid',
  INVALID_OVERLAP: 'invalid',
  /** The threshold of the balance is outside its range. */
  INVALID_PROFILE: 'invalid',
  UNAVAILABLE: 'unavailable',
} as const

export type AccountErrorCode = keyof typeof ACCOUNT_ERROR_KINDS

/** Thrown when a command is refused and nothing was changed. After `UNAVAILABLE`, only a restart can tell. */
export class AccountError extends Error {
  override readonly name = 'AccountError'
  readonly code: AccountErrorCode

  constructor(code: AccountErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }

  get kind() {
    return ACCOUNT_ERROR_KINDS[this.code]
  }
}

/** Returns the error of a refused command. @throws any other error, also `UNAVAILABLE` */
export function expectAccountError(error: unknown): AccountError {
  if (error instanceof AccountError && error.code !== 'UNAVAILABLE') return error
  throw error
}

/** Thrown when shared memory is unreliable. The process must end. A start rebuilds the memory. */
export class SharedStateError extends Error {
  override readonly name = 'SharedStateError'
}
