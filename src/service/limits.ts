/** Bounds of the API that several parts, the dashboard or the client library name. */

/** A client's `X-Request-Id`. Another one is replaced. */
export const REQUEST_ID = /^[A-Za-z0-9._~:/+=@-]{1,128}$/

/** Maximum bytes of a body of one record. */
export const BODY_BYTES_MAX = 16 * 1024
/** Maximum bytes of a bulk request: ten times 1,000 records with generous white space. */
export const BULK_BODY_BYTES_MAX = 1024 * 1024
/** Maximum number of records of one bulk request. */
export const BULK_RECORDS_MAX = 1000
/** Share of a limit or a cap from which on it is nearly used up, in `approachingLimit`, alerts and meters. */
export const NEAR_SHARE = 0.8
/** Length of each of the two logs of an account, answered and refused requests. */
export const REQUESTS_SHOWN_MAX = 1000
/** Maximum number of requests that are kept for a secret that is not accepted. */
export const SECRET_REQUESTS_MAX = 100
/** Hours for which refused requests are counted. */
export const ERROR_HOURS = 48
