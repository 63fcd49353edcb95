/** Every error of the API: one code, its HTTP status and the text that clients see. */
export const ERRORS = {
  INVALID_JSON: [400, 'Invalid JSON body'],
  MISSING_API_KEY: [400, 'Missing required field: apiKey'],
  MISSING_API_KEY_ABOUT: [400, "Missing or invalid 'apiKey'"],
  MISSING_ZIPCODE: [400, 'Missing required field: zipcode'],
  INVALID_COUNTRY: [400, "Invalid 'country'"],
  MISSING_CITY: [400, 'Missing required field: city'],
  MISSING_STATE: [400, "Missing 'state' or 'ST' in request body"],
  MISSING_RECORDS: [400, 'Missing required field: records (must be an array)'],
  EMPTY_RECORDS: [400, 'records array must contain at least 1 record'],
  TOO_MANY_RECORDS: [400, 'records array exceeds maximum of 1000 per request'],
  RECORD_POSTAL_CODE: [400, 'records[N].postalCode must be a non-empty string'],
  RECORD_COUNTRY_CODE: [400, 'records[N].countryCode must be a 2-letter ISO 3166-1 alpha-2 code'],
  INVALID_API_KEY: [401, 'Invalid API key'],
  INSUFFICIENT_BALANCE: [402, 'Insufficient balance'],
  INSUFFICIENT_BALANCE_BULK: [402, 'Insufficient balance for bulk request'],
  CODE_NOT_FOUND: [404, 'ZIP code not found'],
  CITY_NOT_FOUND: [404, 'No ZIP codes found for the given city/state'],
  PATH_NOT_FOUND: [404, 'Not found'],
  METHOD_NOT_ALLOWED: [405, 'Method not allowed'],
  BODY_TOO_LARGE: [413, 'Request body too large'],
  RATE_LIMIT: [429, 'Rate limit exceeded'],
  RATE_LIMIT_BULK: [429, 'Rate limit would be exceeded by this bulk request'],
  INTERNAL: [500, 'Internal server error'],
  UNAVAILABLE: [503, 'Service unavailable'],
} as const satisfies Record<string, readonly [status: number, text: string]>

export type ErrorCode = keyof typeof ERRORS
