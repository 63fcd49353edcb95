/** Labels of counted requests. The lists are fixed, so that clients cannot add labels. */
import type { Endpoint } from '../endpoints/endpoint.ts'
import { ENDPOINT_LIST } from '../endpoints/table.ts'
import { ERRORS } from '../errors.ts'

/** Names of endpoints by number. `other` has no operation: warming, health, documents, unknown paths. */
export const ENDPOINT_LABELS: readonly string[] = [
  ...ENDPOINT_LIST.flatMap(({ name, alias }) => (alias === undefined ? [name] : [name, alias])),
  'other',
]
export const OTHER = ENDPOINT_LABELS.length - 1

export function endpointAt(path: string): number {
  const number = ENDPOINT_LABELS.indexOf(path.slice('/api/'.length))
  return number < 0 ? OTHER : number
}

/** Definitions of `ENDPOINTS` by number; undefined for `other`. */
export const DEFINITIONS: readonly (Endpoint | undefined)[] = ENDPOINT_LABELS.map(each =>
  ENDPOINT_LIST.find(({ name, alias }) => name === each || alias === each),
)

export const STATUSES: readonly number[] = [
  ...new Set([200, 304, ...Object.values(ERRORS).map(([status]) => status)]),
].sort((a, b) => a - b)

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
  'pipelined',
] as const
export type Reason = (typeof REASONS)[number]

const REASON_OF_STATUS: Readonly<Record<number, Reason>> = {
  400: 'malformed',
  401: 'unknown_key',
  402: 'no_funds',
  403: 'key_rules',
  404: 'not_found',
  405: 'method',
  413: 'too_large',
  415: 'malformed',
  429: 'rate_limit',
  500: 'internal',
  503: 'unavailable',
}

export function reasonOf(status: number, isCapped: boolean, isBusy: boolean): Reason {
  if (status === 402 && isCapped) return 'key_cap'
  if (status === 503 && isBusy) return 'busy'
  return REASON_OF_STATUS[status] ?? 'internal'
}
