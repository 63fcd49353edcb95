/** Kind of a failure. */
export type PostrieErrorCode =
  /** 400 or 413, or an option out of its range. Nothing was charged. The same request fails again. */
  | 'invalid_request'
  /** 401: the key does not exist, was revoked, or has expired. */
  | 'invalid_key'
  /** 403: the rules of the key do not allow this endpoint, or the client's address. */
  | 'not_allowed'
  /** 402: the balance or the key's cap does not cover the request. */
  | 'insufficient_balance'
  /** A redirect, or 404 or 405 of the address: `baseUrl` is probably wrong. An unknown code is no error. */
  | 'wrong_address'
  /** 429, after the retries. Without `retryAfterSeconds`, the batch is larger than a limit. */
  | 'rate_limited'
  /** 503, after the retries. */
  | 'unavailable'
  /** Another status. */
  | 'server_error'
  /** No whole answer within `timeoutMs`. The request may have been charged. */
  | 'timeout'
  /** The connection broke after the request was sent. It may have been charged. */
  | 'network'
  /** No connection, after the retries: refused, an unknown name, a failed handshake. Nothing was charged. */
  | 'unreachable'
  /** The answer is not from this API: a proxy's page, or JSON of another shape. */
  | 'bad_response'

/** Every failure of a request but an abort, which throws its reason. No message contains the API key. */
export class PostrieError extends Error {
  override name = 'PostrieError'
  readonly code: PostrieErrorCode
  /** HTTP status of the answer, if any. */
  readonly status: number | undefined
  /** Seconds to wait, from the service. */
  readonly retryAfterSeconds: number | undefined
  /** Balance in dollars, `$0.0000`, with `insufficient_balance`. */
  readonly currentBalance: string | undefined
  /** Results of a list that failed, in the order of its records; undefined without an answer. */
  readonly answered: readonly unknown[] | undefined

  constructor(code: PostrieErrorCode, message: string, { cause, ...facts }: Facts = {}) {
    super(message, cause === undefined ? {} : { cause })
    this.code = code
    Object.assign(this, facts)
  }
}

type Facts = Partial<
  Pick<PostrieError, 'status' | 'retryAfterSeconds' | 'currentBalance' | 'answered' | 'cause'>
>
