/** The sections CTRY and RULE: the ranges of every country, checked at once, and its rules, unpacked when it is asked for. */
import { unpack } from 'msgpackr'
import { COUNTRY_WORDS } from '../format/layout.ts'
import type { CountryMeta, CountryRules } from '../format/meta.ts'
import { LINK_AT } from '../format/trie-layout.ts'
import { IndexFileError, REMEDY, type SectionFile } from './sections.ts'

/** Words of an entry of CTRY. */
const LETTERS = 0
const ROOT = 1
/** First entry and number of entries in CODE, PLAC and ALIA. */
const CODES = 2
const PLACES = 4
const ALIASES = 6
const NAME_START = 8
/** First byte and number of bytes in RULE. */
const RULES = 9

export class CountrySection {
  readonly #words: Uint32Array
  readonly #rules: Uint8Array
  /** First word of each country's entry. */
  readonly #entries = new Map<string, number>()
  readonly #path: string

  /** @param path for messages @throws IndexFileError when a range leaves its section */
  constructor({ sections }: SectionFile, path: string) {
    const { CTRY, RULE, TRIE, CODE, PLAC, ALIA, TEXT } = sections
    this.#words = new Uint32Array(CTRY.bytes.buffer, CTRY.bytes.byteOffset, CTRY.count * COUNTRY_WORDS)
    this.#rules = RULE.bytes
    this.#path = path
    for (let at = 0; at < this.#words.length; at += COUNTRY_WORDS) {
      const cc = String.fromCharCode(this.#words[at + LETTERS] & 0xff, this.#words[at + LETTERS] >>> 8)
      const inside =
        (this.#words[at + ROOT] & LINK_AT) < TRIE.count &&
        this.#words[at + NAME_START] <= TEXT.bytes.length &&
        this.#isWithin(at + CODES, CODE.count) &&
        this.#isWithin(at + PLACES, PLAC.count) &&
        this.#isWithin(at + ALIASES, ALIA.count) &&
        this.#isWithin(at + RULES, RULE.bytes.length)
      if (!inside) throw new IndexFileError(`${path}: the ranges of ${cc} leave their sections; ${REMEDY}`)
      this.#entries.set(cc, at)
    }
  }

  /** Every country, in the order of the file. */
  get names(): string[] {
    return [...this.#entries.keys()]
  }

  /** All that is known of a country of `names`. @throws IndexFileError when its rules cannot be read */
  read(cc: string): CountryMeta {
    const words = this.#words
    const at = this.#entries.get(cc) as number
    const rulesStart = words[at + RULES]
    const packed = this.#rules.subarray(rulesStart, rulesStart + words[at + RULES + 1])
    let rules: CountryRules
    try {
      rules = unpack(packed)
    } catch (cause) {
      throw new IndexFileError(`${this.#path}: the rules of ${cc} cannot be read; ${REMEDY}`, { cause })
    }
    return {
      cc,
      root: words[at + ROOT],
      codeStart: words[at + CODES],
      codeCount: words[at + CODES + 1],
      placeStart: words[at + PLACES],
      placeCount: words[at + PLACES + 1],
      aliasStart: words[at + ALIASES],
      aliasCount: words[at + ALIASES + 1],
      nameStart: words[at + NAME_START],
      ...rules,
    }
  }

  /** Whether the range at a word, its first entry and its number of entries, ends within `count`. */
  #isWithin(at: number, count: number): boolean {
    return this.#words[at] + this.#words[at + 1] <= count
  }
}
