/** The fields of a single-record request, by number, and where the scanner notes each. */

/** Fields that a request may have, by the number that stands for each. All others are ignored. */
export const FIELD_NAMES = ['apiKey', 'zipcode', 'country', 'city', 'state', 'ST'] as const
export const FIELD = { apiKey: 0, zipcode: 1, country: 2, city: 3, state: 4, ST: 5 } as const
export type Field = (typeof FIELD)[keyof typeof FIELD]

/** What stands at a field. `OTHER` is any value that is neither a string nor a finite number. */
export const ABSENT = 0
export const STRING = 1
export const NUMBER = 2
export const OTHER = 3

/** For each field, by number: what stands there, and where it begins and ends. */
export interface FieldSlots {
  readonly kinds: Uint8Array
  readonly starts: Uint32Array
  readonly ends: Uint32Array
}
