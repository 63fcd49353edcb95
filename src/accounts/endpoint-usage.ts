/**
 * The usage class of each charged endpoint: the column of the meter, and the bit and the place in the ledger. A number is for
 * good. A new endpoint takes the next one, and `USAGE_CLASSES_COUNT` in `ledger/usage-rows.ts` grows with it.
 */
export const ENDPOINT_USAGE = {
  lookup: 0,
  metacode: 1,
  validate: 2,
  city: 3,
  bulk: 4,
  nearest: 5,
  autocomplete: 6,
  'lookup-bulk': 7,
  countries: 8,
  format: 9,
} as const

export type UsageName = keyof typeof ENDPOINT_USAGE
export type UsageClass = (typeof ENDPOINT_USAGE)[UsageName]

/** The names in the order of their classes. */
export const USAGE_CLASSES = Object.keys(ENDPOINT_USAGE) as readonly UsageName[]
