/** Codes of refused commands, with their kind for operators. */
const ACCOUNT_ERROR_KINDS = {
  /** No account has this id or address. */
  ACCOUNT_NOT_FOUND: 'not_found',
  /** No key has this id. */
  KEY_NOT_FOUND: 'not_found',
  /** The invitation was used or withdrawn, or has expired. */
  INVITATION_NOT_FOUND: 'not_found',
  /** Another account has this address. */
  EMAIL_TAKEN: 'refused',
  /** This sign-in belongs to another account. */
  IDENTITY_TAKEN: 'refused',
  /** The reference belongs to an entry of another account or amount. */
  REFERENCE_CONFLICT: 'refused',
  /** The service has ACCOUNTS_MAX accounts. */
  TOO_MANY_ACCOUNTS: 'refused',
  /** The service or the account has its maximum number of keys. */
  TOO_MANY_KEYS: 'refused',
  /** The sum of all credits would exceed its maximum. */
  BALANCE_TOO_HIGH: 'refused',
  /** The command needs an account that is not suspended. */
  ACCOUNT_SUSPENDED: 'refused',
  /** The account is closed for good. */
  ACCOUNT_CLOSED: 'refused',
  /** The invited person is a member. */
  ALREADY_MEMBER: 'refused',
  /** An invitation of this address is pending. */
  ALREADY_INVITED: 'refused',
  /** The account or the person has the maximum number of memberships. */
  TOO_MANY_MEMBERS: 'refused',
  /** The person is no member of the account. */
  NOT_A_MEMBER: 'refused',
  /** The account would have no owner. */
  LAST_OWNER: 'refused',
  /** The invitation is for another address than the confirmed one. */
  INVITATION_FOR_ANOTHER: 'refused',
  /** A revoked key cannot be changed. */
  KEY_REVOKED: 'refused',
  /** The same form was sent before, and took effect. */
  REPEATED: 'refused',
  /** The email address is malformed or too long. */
  INVALID_EMAIL: 'invalid',
  /** Issuer or subject of a sign-in is empty, too long, or has spaces at an end. */
  INVALID_IDENTITY: 'invalid',
  /** The amount is not a whole number of micro-dollars in its range. */
  INVALID_AMOUNT: 'invalid',
  /** The reference is empty or too long. */
  INVALID_REFERENCE: 'invalid',
  /** The note is too long. */
  INVALID_NOTE: 'invalid',
  /** The reason is empty or too long. */
  INVALID_REASON: 'invalid',
  /** The label is too long. */
  INVALID_LABEL: 'invalid',
  /** A rate limit is outside its range. */
  INVALID_LIMITS: 'invalid',
  /** The monthly cap is outside its range. */
  INVALID_CAP: 'invalid',
  /** The expiry is not in the future, or too far ahead. */
  INVALID_EXPIRY: 'invalid',
  /** An endpoint of a key is not a charged one, or none is given. */
  INVALID_ENDPOINTS: 'invalid',
  /** An address or network of a key is malformed, or there are too many. */
  INVALID_ADDRESSES: 'invalid',
  /** The overlap of two secrets is outside its range. */
  INVALID_OVERLAP: 'invalid',
  /** The threshold of the balance is outside its range. */
  INVALID_PROFILE: 'invalid',
  /** The ledger or the database cannot be written or read. */
  UNAVAILABLE: 'unavailable',
} as const

export type AccountErrorCode = keyof typeof ACCOUNT_ERROR_KINDS

/** Thrown when a command is refused. Nothing was changed. With `UNAVAILABLE`, the outcome is known only after a restart. */
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
export function commandRefusal(error: unknown): AccountError {
  if (error instanceof AccountError && error.code !== 'UNAVAILABLE') return error
  throw error
}

/** Thrown when shared memory is unreliable. The process must end. A start rebuilds the memory. */
export class SharedStateError extends Error {
  override readonly name = 'SharedStateError'
}
