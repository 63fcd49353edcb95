/** What requests are counted by. The lists are fixed, so that the labels of metrics are bounded whatever a client sends. */

/** Endpoints by number. `other` is everything that is not an operation: warming, health, documents, unknown paths. */
export const ENDPOINTS = [
  'lookup',
  'metacode',
  'metazip',
  'validate',
  'nearest',
  'autocomplete',
  'countries',
  'format',
  'city',
  'validate-bulk',
  'lookup-bulk',
  'aboutapi',
  'balance',
  'other',
] as const
export type EndpointName = (typeof ENDPOINTS)[number]
export const OTHER = ENDPOINTS.indexOf('other')

const FIRST_FREE = ENDPOINTS.indexOf('aboutapi')

/** Whether an endpoint is neither charged nor counted against rate limits. */
export function isFree(endpoint: number): boolean {
  return endpoint >= FIRST_FREE
}

/** The number of the endpoint at a path such as `/api/lookup`. */
export function endpointAt(path: string): number {
  const name = path.slice(path.lastIndexOf('/') + 1)
  const number = (ENDPOINTS as readonly string[]).indexOf(name)
  return number < 0 ? OTHER : number
}

/** Every status that the service answers with. */
export const STATUSES = [200, 400, 401, 402, 403, 404, 405, 413, 429, 500, 503] as const

/** Why requests, connections and bodies are refused, by number. */
export const REASONS = [
  'malformed',
  'unknown_key',
  'no_funds',
  'key_cap',
  'key_rules',
  'not_found',
  'unknown_path',
  'method',
  'too_large',
  'rate_limit',
  'internal',
  'unavailable',
  'busy',
  'crowded',
  'framing',
  'slow_body',
] as const
export type Reason = (typeof REASONS)[number]

/** The number of a reason. */
export const REASON = Object.fromEntries(REASONS.map((reason, i) => [reason, i])) as Record<Reason, number>

const REASON_OF_STATUS: Readonly<Record<number, Reason>> = {
  400: 'malformed',
  401: 'unknown_key',
  402: 'no_funds',
  403: 'key_rules',
  404: 'not_found',
  405: 'method',
  413: 'too_large',
  429: 'rate_limit',
  500: 'internal',
  503: 'unavailable',
}

/** The number of the reason for which an endpoint has answered with an error. */
export function reasonOf(status: number, isCapped: boolean, isBusy: boolean): number {
  if (status === 402 && isCapped) return REASON.key_cap
  if (status === 503 && isBusy) return REASON.busy
  return REASON[REASON_OF_STATUS[status] ?? 'internal']
}
