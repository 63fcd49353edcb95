/** The CTRY and RULE sections: ranges of fixed width for every country, and its rules as msgpack. */
import { pack } from 'msgpackr'
import { packCountry } from '../../src/format/country-entry.ts'
import type { CountryRanges, CountryRules } from '../../src/format/meta.ts'
import { ByteWriter } from './byte-writer.ts'
import { GrowableU32 } from './growable.ts'

export interface WrittenCountry {
  ranges: CountryRanges
  rules: CountryRules
}

/** @param countries ascending by country code */
export function countrySections(countries: readonly WrittenCountry[]): Record<'CTRY' | 'RULE', Uint8Array> {
  const entries = new GrowableU32()
  const rulesBytes = new ByteWriter()
  for (const { ranges, rules } of countries) {
    const packed = pack(rules)
    const entry = { ...ranges, rulesStart: rulesBytes.length, rulesBytes: packed.length }
    for (const word of packCountry(entry)) entries.push(word)
    rulesBytes.append(packed)
  }
  return { CTRY: entries.bytes(), RULE: rulesBytes.bytes() }
}
