/** The CTRY and RULE sections: ranges of fixed width for every country, and its rules as msgpack. */
import { pack } from 'msgpackr'
import type { CountryMeta, CountryRules } from '../../src/format/meta.ts'
import { ByteWriter } from './byte-writer.ts'
import { GrowableU32 } from './growable.ts'

/** @param countries ascending */
export function countrySections(countries: readonly CountryMeta[]): Record<'CTRY' | 'RULE', Uint8Array> {
  const ranges = new GrowableU32()
  const rules = new ByteWriter()
  for (const country of countries) {
    const {
      cc,
      root,
      codeStart,
      codeCount,
      placeStart,
      placeCount,
      aliasStart,
      aliasCount,
      nameStart,
      ...rest
    } = country
    const packed = pack(rest satisfies CountryRules)
    const letters = cc.charCodeAt(0) | (cc.charCodeAt(1) << 8)
    const words = [
      letters,
      root,
      codeStart,
      codeCount,
      placeStart,
      placeCount,
      aliasStart,
      aliasCount,
      nameStart,
    ]
    for (const word of [...words, rules.length, packed.length]) ranges.push(word)
    rules.append(packed)
  }
  return { CTRY: ranges.bytes(), RULE: rules.bytes() }
}
