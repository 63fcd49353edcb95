/** The sections CTRY and RULE: the ranges of every country, checked at once, and its rules, unpacked when it is asked for. */
import { unpack } from 'msgpackr'
import { COUNTRY_WORDS } from '../format/layout.ts'
import type { CountryMeta, CountryRanges } from '../format/meta.ts'
import { LINK_AT } from '../format/trie-layout.ts'
import { IndexFileError, REMEDY, type Section, type SectionFile } from './sections.ts'

interface Entry {
  ranges: CountryRanges
  rules: Uint8Array
}

export class CountrySection {
  readonly #entries: ReadonlyMap<string, Entry>
  readonly #path: string

  /** @param path for messages @throws IndexFileError when a range leaves its section */
  constructor({ sections }: SectionFile, path: string) {
    this.#path = path
    this.#entries = new Map(readEntries(sections.CTRY, sections.RULE).map(entry => [entry.ranges.cc, entry]))
    const { TRIE, CODE, PLAC, ALIA, TEXT } = sections
    for (const { ranges, rules } of this.#entries.values()) {
      const inside =
        (ranges.root & LINK_AT) < TRIE.count &&
        ranges.codeStart + ranges.codeCount <= CODE.count &&
        ranges.placeStart + ranges.placeCount <= PLAC.count &&
        ranges.aliasStart + ranges.aliasCount <= ALIA.count &&
        ranges.nameStart <= TEXT.bytes.length &&
        rules.length > 0
      if (!inside) {
        throw new IndexFileError(`${path}: the ranges of ${ranges.cc} leave their sections; ${REMEDY}`)
      }
    }
  }

  /** Every country, in the order of the file. */
  get names(): string[] {
    return [...this.#entries.keys()]
  }

  /** All that is known of a country of `names`. @throws IndexFileError when its rules cannot be read */
  read(cc: string): CountryMeta {
    const { ranges, rules } = this.#entries.get(cc) as Entry
    try {
      return { ...ranges, ...unpack(rules) }
    } catch (cause) {
      throw new IndexFileError(`${this.#path}: the rules of ${cc} cannot be read; ${REMEDY}`, { cause })
    }
  }
}

function readEntries({ bytes, count }: Section, rules: Section): Entry[] {
  const words = new Uint32Array(bytes.buffer, bytes.byteOffset, count * COUNTRY_WORDS)
  return Array.from({ length: count }, (_, i) => {
    const at = i * COUNTRY_WORDS
    const [letters, root, codeStart, codeCount, placeStart, placeCount, aliasStart, aliasCount, nameStart] =
      words.subarray(at, at + COUNTRY_WORDS)
    const cc = String.fromCharCode(letters & 0xff, letters >>> 8)
    return {
      ranges: { cc, root, codeStart, codeCount, placeStart, placeCount, aliasStart, aliasCount, nameStart },
      rules: rules.bytes.subarray(words[at + 9], words[at + 9] + words[at + 10]),
    }
  })
}
