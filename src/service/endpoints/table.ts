/** All endpoints of the API. Routes, labels, rules of keys, documents, client and tools derive from them. */
import { aboutapi, balance } from './account.ts'
import { verify, verifyBulk } from './addresses.ts'
import { lookupBulk, validateBulk } from './bulk.ts'
import { autocomplete, city, countries, listPlaces } from './cities-and-countries.ts'
import { format, lookup, metacode, validate } from './codes.ts'
import type { EndingOf } from './endings.ts'
import type { BodyOf, Endpoint } from './endpoint.ts'
import { distance, nearest } from './nearby.ts'
import type { ObjectOf } from './schema.ts'

export const ENDPOINTS = {
  lookup,
  metacode,
  validate,
  verify,
  nearest,
  distance,
  format,
  city,
  autocomplete,
  countries,
  list: listPlaces,
  'validate-bulk': validateBulk,
  'lookup-bulk': lookupBulk,
  'verify-bulk': verifyBulk,
  balance,
  aboutapi,
} as const

export type EndpointName = keyof typeof ENDPOINTS
export type EndpointBody<N extends EndpointName> = BodyOf<(typeof ENDPOINTS)[N]['fields']>
export type EndpointResult<N extends EndpointName> = ObjectOf<(typeof ENDPOINTS)[N]['answer']>
export type EndpointAnswer<N extends EndpointName> = EndpointResult<N> &
  EndingOf<(typeof ENDPOINTS)[N]['ending']>

export const ENDPOINT_LIST: readonly Endpoint[] = Object.values(ENDPOINTS) as readonly Endpoint[]

export function pathsOf({ name, alias }: Endpoint): string[] {
  return [name, alias].filter(each => each !== undefined).map(each => `/api/${each}`)
}

export const CHARGED: readonly Endpoint[] = ENDPOINT_LIST.filter(
  ({ usageClass }) => usageClass !== null,
).sort((a, b) => Number(a.usageClass) - Number(b.usageClass))

export const USAGE_NAMES: readonly string[] = CHARGED.map(({ name }) => name)
