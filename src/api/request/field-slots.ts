/** The fields of a single-record request, by number. */
import { MemberNames } from '../../text/json-members.ts'

/** The fields that are read, in the order of their numbers. All others are ignored. */
export const FIELD_NAMES = ['apiKey', 'zipcode', 'country', 'city', 'state', 'ST'] as const
export const FIELD = { apiKey: 0, zipcode: 1, country: 2, city: 3, state: 4, ST: 5 } as const
export type Field = (typeof FIELD)[keyof typeof FIELD]

export const FIELD_MEMBERS = new MemberNames(FIELD_NAMES)
