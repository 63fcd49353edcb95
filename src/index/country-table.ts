/** From the two letters of a country to what is known of it, by direct index: 26 * 26 entries. */
import type { IndexMeta } from '../format/meta.ts'
import { type Country, countryOf } from './country.ts'

/** A valid country code for which the index has no data. */
export const NO_DATA = null
/** Two letters that are no country, or something else than two letters. */
export const NO_COUNTRY = undefined
export type CountryEntry = Country | typeof NO_DATA | typeof NO_COUNTRY

/** @param written the section WRIT. @throws RangeError when META names a synonym of an unknown country */
export function buildCountryTable(meta: IndexMeta, written: Uint32Array): CountryEntry[] {
  const table = new Array<CountryEntry>(26 * 26).fill(NO_COUNTRY)
  for (const cc of meta.iso) table[slotOfText(cc)] = NO_DATA
  for (const country of meta.countries) table[slotOfText(country.cc)] = countryOf(country, written)
  for (const [synonym, cc] of Object.entries(meta.synonyms))
    table[slotOfText(synonym)] = table[slotOfText(cc)]
  return table
}

/** Slot of two ASCII letters of either case, or -1 when one is no letter. Two bytes in, no string. */
export function countrySlot(first: number, second: number): number {
  const a = (first | 0x20) - 0x61
  const b = (second | 0x20) - 0x61
  return a >= 0 && a < 26 && b >= 0 && b < 26 ? a * 26 + b : -1
}

function slotOfText(cc: string): number {
  const slot = cc.length === 2 ? countrySlot(cc.charCodeAt(0), cc.charCodeAt(1)) : -1
  if (slot < 0) throw new RangeError(`META names the country ${JSON.stringify(cc)}, two letters expected`)
  return slot
}
