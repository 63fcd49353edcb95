/** Sections CTRY and RULE: ranges of every country, checked at once, and rules, unpacked on first use. */
import { unpack } from 'msgpackr/unpack'
import { COUNTRY_WORDS, type CountryEntryFields, readCountry } from '../format/country-entry.ts'
import type { CountryMeta } from '../format/meta.ts'
import { LINK_AT } from '../format/trie-layout.ts'
import { checkedRules } from './check-country-rules.ts'
import { IndexFileError } from './index-file-error.ts'
import type { SectionFile } from './sections.ts'

/** Checks the ranges of every country. @param rules a copy, which views may outlive @throws IndexFileError */
export function countrySection({ sections }: SectionFile, rules: Uint8Array, path: string) {
  const { CTRY, TRIE, CODE, PLAC, ALIA, NAME, TEXT } = sections
  const words = new Uint32Array(CTRY.bytes.buffer, CTRY.bytes.byteOffset, CTRY.count * COUNTRY_WORDS)
  const [trieWords, records] = [TRIE.count, CODE.count]
  const entries = new Map<string, CountryEntryFields>()
  let previous = ''
  for (let at = 0; at < words.length; at += COUNTRY_WORDS) {
    const entry = readCountry(words, at)
    const { cc } = entry
    if (!/^[A-Z]{2}$/.test(cc) || cc <= previous)
      throw new IndexFileError(
        path,
        `CTRY has ${JSON.stringify(cc)} after ${JSON.stringify(previous)}, two capitals in ascending order expected`,
      )
    const isInside =
      (entry.root & LINK_AT) < trieWords &&
      entry.textStart <= TEXT.bytes.length &&
      entry.codeStart + entry.codeCount <= records &&
      entry.placeStart + entry.placeCount <= PLAC.count &&
      entry.aliasStart + entry.aliasCount <= ALIA.count &&
      entry.nameStart + entry.nameCount <= NAME.count &&
      entry.rulesStart + entry.rulesBytes <= rules.length
    if (!isInside) throw new IndexFileError(path, `the ranges of ${cc} leave their sections`)
    entries.set(cc, entry)
    previous = cc
  }

  /** Returns ranges and rules of a country of `names`. @throws IndexFileError if its rules cannot be read */
  const read = (cc: string): CountryMeta => {
    const { rulesStart, rulesBytes, ...ranges } = entries.get(cc) as CountryEntryFields
    try {
      const checked = checkedRules(unpack(rules.subarray(rulesStart, rulesStart + rulesBytes)), ranges)
      const [link, first, count] = checked.parts
      if (checked.parts.length > 0 && !((link & LINK_AT) < trieWords && first + count <= records))
        throw new RangeError(`\`parts\` is ${checked.parts}, which leaves TRIE or CODE`)
      return { ...ranges, ...checked }
    } catch (cause) {
      const reason = cause instanceof RangeError ? `: ${cause.message}` : ''
      throw new IndexFileError(path, `the rules of ${cc} cannot be read${reason}`, { cause })
    }
  }
  return { names: [...entries.keys()], read }
}
