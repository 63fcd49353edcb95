/** The fields of a single-record request, by number, and where the scanner records each. */

/** The fields that are read, in the order of their numbers. All others are ignored. */
export const FIELD_NAMES = ['apiKey', 'zipcode', 'country', 'city', 'state', 'ST'] as const
export const FIELD = { apiKey: 0, zipcode: 1, country: 2, city: 3, state: 4, ST: 5 } as const
export type Field = (typeof FIELD)[keyof typeof FIELD]

/** The kind of a field's value. A null counts as absent; `OTHER` is any other value but a string or a finite number. */
export const ABSENT = 0
export const STRING = 1
export const NUMBER = 2
export const OTHER = 3

/** For each field, by number: the kind of its value, and where that begins and ends. */
export interface FieldSlots {
  readonly kinds: Uint8Array
  readonly starts: Uint32Array
  readonly ends: Uint32Array
}
