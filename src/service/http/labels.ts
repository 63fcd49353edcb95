/** Labels of counted requests. The lists are fixed, so that clients cannot add labels. */
import type { Endpoint } from '../endpoints/endpoint.ts'
import { ENDPOINT_LIST } from '../endpoints/table.ts'
import { ERROR_STATUSES, type ErrorStatus } from '../errors.ts'

/** Names of endpoints by number. `other` has no operation: warming, health, documents, unknown paths. */
export const ENDPOINT_LABELS: readonly string[] = [
  ...ENDPOINT_LIST.flatMap(({ name, alias }) => (alias === undefined ? [name] : [name, alias])),
  'other',
]
export const OTHER_ENDPOINT = ENDPOINT_LABELS.length - 1

/** Returns the number of the endpoint at `path`, or `OTHER_ENDPOINT`. */
export function endpointNumberAt(path: string): number {
  const number = ENDPOINT_LABELS.indexOf(path.slice('/api/'.length))
  return number < 0 ? OTHER_ENDPOINT : number
}

/** Endpoints by number; undefined for `other`. */
export const ENDPOINT_BY_NUMBER: readonly (Endpoint | undefined)[] = ENDPOINT_LABELS.map(each =>
  ENDPOINT_LIST.find(({ name, alias }) => name === each || alias === each),
)

/** Statuses of answers. */
export const STATUSES: readonly number[] = [200, ...Object.keys(ERROR_STATUSES).map(Number)]

/** Reasons of refusals in metrics: one for each status, and finer ones. */
export const REFUSAL_REASONS = [
  ...new Set(Object.values(ERROR_STATUSES).map(({ reason }) => reason)),
  ...(['key_cap', 'unknown_path', 'busy', 'crowded', 'framing', 'slow_body', 'pipelined'] as const),
] as const
export type RefusalReason = (typeof REFUSAL_REASONS)[number]

export function refusalReasonOf(status: ErrorStatus, isCapped: boolean, isBusy: boolean): RefusalReason {
  if (status === 402 && isCapped) return 'key_cap'
  if (status === 503 && isBusy) return 'busy'
  return ERROR_STATUSES[status].reason
}
