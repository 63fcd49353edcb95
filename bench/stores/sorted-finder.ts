/** A sorted array with binary search. Keys are packed into doubles, by country, so that a comparison is one of numbers. */
import type { CodeRecord } from '../input/records.ts'
import { type Finder, NO_LATITUDE } from './finder.ts'

/** 36 characters and the end: ten digits of base 37 stay below 2^53. */
const BASE = 37
const KEY_LENGTH_MAX = 10

interface CountryCodes {
  keys: Float64Array
  records: CodeRecord[]
}

export function sortedFinder(records: Iterable<CodeRecord>): Finder {
  const byCountry = new Map<string, CodeRecord[]>()
  for (const record of records) {
    const known = byCountry.get(record.country)
    if (known === undefined) byCountry.set(record.country, [record])
    else known.push(record)
  }
  const countries = new Map<string, CountryCodes>()
  for (const [country, unsorted] of byCountry) {
    const sorted = unsorted.sort((a, b) => packed(a.key, 0) - packed(b.key, 0))
    countries.set(country, { keys: Float64Array.from(sorted, ({ key }) => packed(key, 0)), records: sorted })
  }
  return {
    find({ keys, countries: names, count }) {
      let found = 0
      for (let i = 0; i < count; i++) {
        const codes = countries.get(names[i])
        if (codes === undefined) continue
        const at = search(codes.keys, packed(keys[i], 2))
        if (at >= 0 && codes.records[at].latitude !== NO_LATITUDE) found++
      }
      return found
    },
  }
}

/** `text` from `start` on as a number whose order is that of the text. */
function packed(text: string, start: number): number {
  let value = 0
  for (let i = start; i < start + KEY_LENGTH_MAX; i++) {
    const unit = i < text.length ? text.charCodeAt(i) : 0
    value = value * BASE + (unit === 0 ? 0 : unit < 0x41 ? unit - 0x2f : unit - 0x36)
  }
  return value
}

function search(keys: Float64Array, wanted: number): number {
  let low = 0
  let high = keys.length - 1
  while (low <= high) {
    const middle = (low + high) >>> 1
    const key = keys[middle]
    if (key === wanted) return middle
    if (key < wanted) low = middle + 1
    else high = middle - 1
  }
  return -1
}
