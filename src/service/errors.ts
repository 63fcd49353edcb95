/**
 * Statuses of errors: reason in metrics, code in the client library, text in documents. Those that are counted by account have a short
 * meaning, and what to do.
 */
export const ERROR_STATUSES = {
  400: [
    'malformed',
    'invalid_request',
    'The request is malformed.',
    'malformed',
    'Compare the request with the fields of its endpoint. `error` names the wrong one.',
  ],
  401: [
    'unknown_key',
    'invalid_key',
    'The key does not exist, is off, revoked, expired or replaced, or its account is suspended or closed.',
    'key not accepted',
    'Send the whole present secret of an active key. The page Requests says why a key was refused.',
  ],
  402: [
    'no_funds',
    'insufficient_balance',
    "The balance, or the rest of the key's cap, is below the price.",
    'no funds, or a cap',
    'Recharge the balance, or raise the cap of the key.',
  ],
  403: [
    'key_rules',
    'not_allowed',
    'The rules of the key do not allow this address or this endpoint.',
    'rules of a key',
    'Allow the address or the endpoint in the rules of the key.',
  ],
  404: [
    'not_found',
    'wrong_address',
    'There is no such code, city or place.',
    'no such code or city',
    'Check the code and its country. Coverage shows how codes are written.',
  ],
  405: ['method', 'wrong_address', 'Neither `POST` nor `GET`.'],
  413: ['too_large', 'invalid_request', 'The body is too large.'],
  415: ['malformed', 'server_error', 'The body has a content encoding.'],
  429: [
    'rate_limit',
    'rate_limited',
    'A rate limit is reached. Without `retryAfter`, the bulk request itself is larger than a limit.',
    'rate limit',
    'Wait for `retryAfter` seconds, send fewer records at once, or change the limits.',
  ],
  500: ['internal', 'server_error', 'The service failed. The log has the error with an id.'],
  503: [
    'unavailable',
    'unavailable',
    'Charges cannot be recorded, or the queue is full.',
    'service busy',
    'Wait for the seconds of `Retry-After`, and send the request again.',
  ],
} as const satisfies Record<
  number,
  readonly [reason: string, clientCode: string, text: string, meaning?: string, remedy?: string]
>
export type ErrorStatus = keyof typeof ERROR_STATUSES

/** Statuses of refusals that are counted by account. */
export const COUNTED_ERRORS = Object.entries(ERROR_STATUSES).flatMap(
  ([status, [, , text, meaning, remedy]]) =>
    meaning === undefined ? [] : [{ status: Number(status), text, meaning, remedy }],
)
export const COUNTED_STATUSES: readonly number[] = COUNTED_ERRORS.map(({ status }) => status)

/** Statuses of requests that are listed. */
export const LISTED_STATUSES: readonly number[] = [200, ...COUNTED_STATUSES, 500]

/** Every error of the API: one code, its HTTP status and the text that clients see. */
export const ERRORS = {
  INVALID_JSON: [400, 'Invalid JSON body'],
  MISSING_API_KEY: [400, 'Missing required field: apiKey'],
  MISSING_API_KEY_ABOUT: [400, "Missing or invalid 'apiKey'"],
  MISSING_ZIPCODE: [400, 'Missing required field: zipcode'],
  INVALID_COUNTRY: [400, "Invalid 'country'"],
  MISSING_CITY: [400, 'Missing required field: city'],
  INVALID_CITY: [400, "Invalid 'city'"],
  INVALID_STATE: [400, "Invalid 'state' or 'ST'"],
  MISSING_STATE: [400, "Missing 'state' or 'ST' in request body"],
  MISSING_RECORDS: [400, 'Missing required field: records (must be an array)'],
  EMPTY_RECORDS: [400, 'records array must contain at least 1 record'],
  TOO_MANY_RECORDS: [400, 'records array exceeds maximum of 1000 per request'],
  RECORD_POSTAL_CODE: [400, 'records[N].postalCode must be a non-empty string'],
  RECORD_COUNTRY_CODE: [400, 'records[N].countryCode must be a 2-letter ISO 3166-1 alpha-2 code'],
  RECORD_ADDRESS: [400, 'records[N].city, state and ST must be texts'],
  NO_POINT: [400, 'Give either zipcode, or latitude and longitude'],
  INVALID_LATITUDE: [400, "Invalid 'latitude'"],
  INVALID_LONGITUDE: [400, "Invalid 'longitude'"],
  INVALID_RADIUS: [400, "Invalid 'radius'"],
  INVALID_KIND: [400, "Invalid 'kind'"],
  INVALID_LIMIT: [400, "Invalid 'limit'"],
  INVALID_OFFSET: [400, "Invalid 'offset'"],
  INVALID_LIST: [400, "Missing or invalid 'list': one of states, cities, zipcodes"],
  MISSING_FROM: [400, 'Missing required field: from'],
  MISSING_TO: [400, 'Missing required field: to'],
  INVALID_FROM_COUNTRY: [400, "Invalid 'fromCountry'"],
  INVALID_TO_COUNTRY: [400, "Invalid 'toCountry'"],
  MISSING_QUERY: [400, 'Missing required field: query'],
  INVALID_API_KEY: [401, 'Invalid API key'],
  INSUFFICIENT_BALANCE: [402, 'Insufficient balance'],
  INSUFFICIENT_BALANCE_BULK: [402, 'Insufficient balance for bulk request'],
  KEY_ADDRESS: [403, 'API key not allowed from this address'],
  KEY_ENDPOINT: [403, 'API key not allowed for this endpoint'],
  CODE_NOT_FOUND: [404, 'ZIP code not found'],
  CITY_NOT_FOUND: [404, 'No ZIP codes found for the given city/state'],
  STATE_NOT_FOUND: [404, 'No such state in this country'],
  NO_POSITION: [404, 'The position of this ZIP code is not known'],
  COUNTRY_WITHOUT_DATA: [404, 'No ZIP codes of this country are known'],
  PATH_NOT_FOUND: [404, 'Not found'],
  METHOD_NOT_ALLOWED: [405, 'Method not allowed'],
  BODY_TOO_LARGE: [413, 'Request body too large'],
  UNSUPPORTED_ENCODING: [415, 'Unsupported Content-Encoding'],
  RATE_LIMIT: [429, 'Rate limit exceeded'],
  RATE_LIMIT_BULK: [429, 'Rate limit would be exceeded by this bulk request'],
  INTERNAL: [500, 'Internal server error'],
  UNAVAILABLE: [503, 'Service unavailable'],
} as const satisfies Record<string, readonly [status: ErrorStatus, text: string]>

export type ErrorCode = keyof typeof ERRORS

/** Remedies in the `message` of 402 and 403. */
export const ADD_FUNDS = 'Add funds in the account dashboard to continue.'
export const CHANGE_RULES = 'Its owner can change that under API keys in the account dashboard.'
