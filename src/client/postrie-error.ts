/** Kind of a failure, for a `switch`. */
export type PostrieErrorCode =
  /** 400 and 413, or an option out of its range: nothing was charged, and the same request fails again. */
  | 'invalid_request'
  /** 401: the key does not exist, was revoked, or has expired. */
  | 'invalid_key'
  /** 403: the rules of the key do not allow this endpoint, or the address that the request came from. */
  | 'not_allowed'
  /** 402: the balance, or the cap of the key, does not cover the request. */
  | 'insufficient_balance'
  /** 404 or 405 for the address itself: `baseUrl` is probably wrong. A postal code that is not found is not an error. */
  | 'wrong_address'
  /** 429, after the retries; without `retryAfterSeconds` the batch is larger than a limit and can never pass. */
  | 'rate_limited'
  /** 503, after the retries. */
  | 'unavailable'
  /** Another status. */
  | 'server_error'
  /** No whole answer within `timeoutMs`. The request may have been charged. */
  | 'timeout'
  /** The connection failed. The request may have been charged. */
  | 'network'
  /** The answer is not what this API sends: a proxy's page, or JSON of another shape. */
  | 'bad_response'

interface PostrieErrorFields {
  /** HTTP status, when there was an answer. */
  status?: number
  /** Seconds to wait, as the service said. */
  retryAfterSeconds?: number
  /** With `insufficient_balance`: dollars as text, `$0.0000`. */
  currentBalance?: string
  cause?: unknown
}

/** Every failure of a client, but for the `signal` of the caller, whose reason is thrown as it is. The API key is in no message. */
export class PostrieError extends Error {
  override name = 'PostrieError'
  readonly code: PostrieErrorCode
  readonly status: number | undefined
  readonly retryAfterSeconds: number | undefined
  readonly currentBalance: string | undefined

  constructor(
    code: PostrieErrorCode,
    message: string,
    { cause, status, retryAfterSeconds, currentBalance }: PostrieErrorFields = {},
  ) {
    super(message, cause === undefined ? {} : { cause })
    this.code = code
    this.status = status
    this.retryAfterSeconds = retryAfterSeconds
    this.currentBalance = currentBalance
  }
}
