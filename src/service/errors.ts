/** Every error of the API, by status. Metrics, documents, the dashboard and the client derive from this table. */
interface Status {
  /** Label of metrics. */
  reason: string
  /** Code of the client library. */
  clientCode: string
  /** Description in documents. */
  text: string
  /** Name in the dashboard, for a status that customers see there. */
  meaning?: string
  remedy?: string
  /** Texts that clients see, by code. */
  errors: Readonly<Record<string, string>>
}

export const ERROR_STATUSES = {
  400: {
    reason: 'malformed',
    clientCode: 'invalid_request',
    text: 'The request is malformed.',
    meaning: 'malformed',
    remedy: 'Compare the request with the fields of its endpoint. `error` names the wrong one.',
    errors: {
      INVALID_JSON: 'Invalid JSON body',
      MISSING_API_KEY: 'Missing required field: apiKey',
      MISSING_API_KEY_ABOUT: "Missing or invalid 'apiKey'",
      MISSING_ZIPCODE: 'Missing required field: zipcode',
      INVALID_COUNTRY: "Invalid 'country'",
      MISSING_CITY: 'Missing required field: city',
      INVALID_CITY: "Invalid 'city'",
      INVALID_STATE: "Invalid 'state' or 'ST'",
      MISSING_STATE: "Missing 'state' or 'ST' in request body",
      MISSING_RECORDS: 'Missing required field: records (must be an array)',
      EMPTY_RECORDS: 'records array must contain at least 1 record',
      TOO_MANY_RECORDS: 'records array exceeds maximum of 1000 per request',
      RECORD_POSTAL_CODE: 'records[N].postalCode must be a non-empty string',
      RECORD_COUNTRY_CODE: 'records[N].countryCode must be a 2-letter ISO 3166-1 alpha-2 code',
      RECORD_ADDRESS: 'records[N].city, state and ST must be texts',
      NO_POINT: 'Give either zipcode, or latitude and longitude',
      INVALID_LATITUDE: "Invalid 'latitude'",
      INVALID_LONGITUDE: "Invalid 'longitude'",
      INVALID_RADIUS: "Invalid 'radius'",
      INVALID_KIND: "Invalid 'kind'",
      INVALID_LIMIT: "Invalid 'limit'",
      INVALID_OFFSET: "Invalid 'offset'",
      INVALID_LIST: "Missing or invalid 'list': one of states, cities, zipcodes",
      MISSING_FROM: 'Missing required field: from',
      MISSING_TO: 'Missing required field: to',
      INVALID_FROM_COUNTRY: "Invalid 'fromCountry'",
      INVALID_TO_COUNTRY: "Invalid 'toCountry'",
      MISSING_QUERY: 'Missing required field: query',
    },
  },
  401: {
    reason: 'unknown_key',
    clientCode: 'invalid_key',
    text: 'The key does not exist, is off, revoked, expired or replaced, or its account is suspended or closed.',
    meaning: 'key not accepted',
    remedy: 'Send the whole present secret of an active key. The page Requests says why a key was refused.',
    errors: { INVALID_API_KEY: 'Invalid API key' },
  },
  402: {
    reason: 'no_funds',
    clientCode: 'insufficient_balance',
    text: "The balance, or the rest of the key's cap, is below the price.",
    meaning: 'no funds, or a cap',
    remedy: 'Recharge the balance, or raise the cap of the key.',
    errors: {
      INSUFFICIENT_BALANCE: 'Insufficient balance',
      INSUFFICIENT_BALANCE_BULK: 'Insufficient balance for bulk request',
    },
  },
  403: {
    reason: 'key_rules',
    clientCode: 'not_allowed',
    text: 'The rules of the key do not allow this address or this endpoint.',
    meaning: 'rules of a key',
    remedy: 'Allow the address or the endpoint in the rules of the key.',
    errors: {
      KEY_ADDRESS: 'API key not allowed from this address',
      KEY_ENDPOINT: 'API key not allowed for this endpoint',
    },
  },
  404: {
    reason: 'not_found',
    clientCode: 'wrong_address',
    text: 'There is no such code, city or place.',
    meaning: 'no such code or city',
    remedy: 'Check the code and its country. Coverage shows how codes are written.',
    errors: {
      CODE_NOT_FOUND: 'ZIP code not found',
      CITY_NOT_FOUND: 'No ZIP codes found for the given city/state',
      STATE_NOT_FOUND: 'No such state in this country',
      NO_POSITION: 'The position of this ZIP code is not known',
      COUNTRY_WITHOUT_DATA: 'No ZIP codes of this country are known',
      PATH_NOT_FOUND: 'Not found',
    },
  },
  405: {
    reason: 'method',
    clientCode: 'wrong_address',
    text: 'Neither `POST` nor `GET`.',
    errors: { METHOD_NOT_ALLOWED: 'Method not allowed' },
  },
  413: {
    reason: 'too_large',
    clientCode: 'invalid_request',
    text: 'The body is too large.',
    errors: { BODY_TOO_LARGE: 'Request body too large' },
  },
  415: {
    reason: 'malformed',
    clientCode: 'server_error',
    text: 'The body has a content encoding.',
    errors: { UNSUPPORTED_ENCODING: 'Unsupported Content-Encoding' },
  },
  429: {
    reason: 'rate_limit',
    clientCode: 'rate_limited',
    text: 'A rate limit is reached. Without `retryAfter`, the bulk request itself is larger than a limit.',
    meaning: 'rate limit',
    remedy: 'Wait for `retryAfter` seconds, send fewer records at once, or change the limits.',
    errors: {
      RATE_LIMIT: 'Rate limit exceeded',
      RATE_LIMIT_BULK: 'Rate limit would be exceeded by this bulk request',
    },
  },
  500: {
    reason: 'internal',
    clientCode: 'server_error',
    text: 'The service failed. The log has the error with an id.',
    errors: { INTERNAL: 'Internal server error' },
  },
  503: {
    reason: 'unavailable',
    clientCode: 'unavailable',
    text: 'Charges cannot be recorded, or the queue is full.',
    meaning: 'service busy',
    remedy: 'Wait for the seconds of `Retry-After`, and send the request again.',
    errors: { UNAVAILABLE: 'Service unavailable' },
  },
} as const satisfies Record<number, Status>
export type ErrorStatus = keyof typeof ERROR_STATUSES

type CodesOf<S> = S extends { errors: infer Texts } ? keyof Texts : never
export type ErrorCode = CodesOf<(typeof ERROR_STATUSES)[ErrorStatus]>

const STATUSES = Object.entries<Status>(ERROR_STATUSES).map(([status, parts]) => {
  return { status: Number(status) as ErrorStatus, ...parts }
})

export const ERRORS = Object.fromEntries(
  STATUSES.flatMap(({ status, errors }) =>
    Object.entries(errors).map(([code, text]) => [code, { status, text }]),
  ),
) as Readonly<Record<ErrorCode, { status: ErrorStatus; text: string }>>

/** Statuses that the dashboard counts and explains. */
export const COUNTED_ERRORS = STATUSES.flatMap(({ status, text, meaning = '', remedy = '' }) =>
  meaning === '' ? [] : [{ status, text, meaning, remedy }],
)
/** Statuses of refusals that need somebody. A code that is not found is normal use. */
export const REFUSED_STATUSES: readonly number[] = [401, 402, 403, 429]

export const COUNTED_STATUSES: readonly number[] = COUNTED_ERRORS.map(({ status }) => status)
/** Statuses of requests in the request log. */
export const LISTED_STATUSES: readonly number[] = [200, ...COUNTED_STATUSES, 500].toSorted((a, b) => a - b)

/** Remedies in the `message` of 402 and 403. */
export const ADD_FUNDS = 'Add funds in the account dashboard to continue.'
export const CHANGE_RULES = 'Its owner can change that under API keys in the account dashboard.'
