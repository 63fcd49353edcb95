/**
 * The usage class of the endpoints that the contract does not have. There is one class for each of the contract's endpoints, and the
 * others are counted with the one that they are most like.
 */
import type { UsageClass } from './types.ts'

export const ENDPOINT_USAGE = {
  nearest: 0,
  countries: 1,
  format: 2,
  autocomplete: 3,
  lookupBulk: 4,
} as const satisfies Record<string, UsageClass>
