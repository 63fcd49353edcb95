/** The sections CTRY and RULE: the ranges of every country, checked at once, and its rules, unpacked when it is asked for. */
import { unpack } from 'msgpackr/unpack'
import { COUNTRY_WORDS, type CountryEntryFields, readCountry } from '../format/country-entry.ts'
import type { CountryMeta } from '../format/meta.ts'
import { LINK_AT } from '../format/trie-layout.ts'
import { checkedRules } from './country-rules.ts'
import { IndexFileError } from './index-file-error.ts'
import type { SectionFile } from './sections.ts'

export class CountrySection {
  readonly #entries = new Map<string, CountryEntryFields>()
  readonly #rules: Uint8Array
  readonly #path: string
  readonly #trieWords: number
  readonly #records: number

  /**
   * @param rules a copy of RULE, because what is unpacked of it may be a view and may outlive the index
   * @param path for messages
   * @throws IndexFileError when a range leaves its section
   */
  constructor({ sections }: SectionFile, rules: Uint8Array, path: string) {
    const { CTRY, TRIE, CODE, PLAC, ALIA, NAME, TEXT } = sections
    const words = new Uint32Array(CTRY.bytes.buffer, CTRY.bytes.byteOffset, CTRY.count * COUNTRY_WORDS)
    this.#rules = rules
    this.#trieWords = TRIE.count
    this.#records = CODE.count
    this.#path = path
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
        (entry.root & LINK_AT) < TRIE.count &&
        entry.textStart <= TEXT.bytes.length &&
        entry.codeStart + entry.codeCount <= CODE.count &&
        entry.placeStart + entry.placeCount <= PLAC.count &&
        entry.aliasStart + entry.aliasCount <= ALIA.count &&
        entry.nameStart + entry.nameCount <= NAME.count &&
        entry.rulesStart + entry.rulesBytes <= rules.length
      if (!isInside) throw new IndexFileError(path, `the ranges of ${cc} leave their sections`)
      this.#entries.set(cc, entry)
      previous = cc
    }
  }

  get names(): string[] {
    return [...this.#entries.keys()]
  }

  /** All that is known of a country of `names`. @throws IndexFileError when its rules cannot be read */
  read(cc: string): CountryMeta {
    const { rulesStart, rulesBytes, ...ranges } = this.#entries.get(cc) as CountryEntryFields
    try {
      const rules: unknown = unpack(this.#rules.subarray(rulesStart, rulesStart + rulesBytes))
      const checked = checkedRules(rules, ranges)
      const [link, first, count] = checked.areas
      if (checked.areas.length > 0 && !((link & LINK_AT) < this.#trieWords && first + count <= this.#records))
        throw new RangeError(`\`areas\` is ${checked.areas}, which leaves TRIE or CODE`)
      return { ...ranges, ...checked }
    } catch (cause) {
      const reason = cause instanceof RangeError ? `: ${cause.message}` : ''
      throw new IndexFileError(this.#path, `the rules of ${cc} cannot be read${reason}`, { cause })
    }
  }
}
