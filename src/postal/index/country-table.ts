/** Table of countries by their two letters, with direct index: 26 * 26 entries. */
import type { Country } from './country.ts'

/** Country of a question that names none. */
export const DEFAULT_COUNTRY = 'US'

/** Entry of a country without codes in the index. */
export const NO_DATA: null = null
/** Entry of two letters that name no country. */
export const NO_COUNTRY: undefined = undefined
/** Entry of two letters. `!entry` is true for both that have no codes. */
export type CountryEntry = Country | typeof NO_DATA | typeof NO_COUNTRY

const UNREAD = false
const LETTERS = 26
export const COUNTRY_SLOTS: number = LETTERS * LETTERS
const LETTER_A = 0x41

export class CountryTable {
  readonly #entries: (CountryEntry | typeof UNREAD)[] = new Array(COUNTRY_SLOTS).fill(NO_COUNTRY)
  readonly #read: (cc: string) => Country
  readonly #synonyms: Readonly<Record<string, string>>
  readonly names: readonly string[]

  /**
   * @param iso every code that a request may name, two letters each, without separators
   * @param names countries with codes
   * @param read returns a country of `names`; called once for each, on first use
   * @throws RangeError for a name of other than two letters
   */
  constructor(
    iso: string,
    names: readonly string[],
    synonyms: Readonly<Record<string, string>>,
    read: (cc: string) => Country,
  ) {
    for (let at = 0; at < iso.length; at += 2) this.#entries[slotOfText(iso.slice(at, at + 2))] = NO_DATA
    for (const cc of names) this.#entries[slotOfText(cc)] = UNREAD
    for (const [synonym, cc] of Object.entries(synonyms))
      this.#entries[slotOfText(synonym)] = this.#entries[slotOfText(cc)]
    this.names = names
    this.#synonyms = synonyms
    this.#read = read
  }

  /** Returns the country of a slot. The first call costs some microseconds. @throws the errors of `read` */
  at(slot: number): CountryEntry {
    const entry = slot < 0 ? NO_COUNTRY : this.#entries[slot]
    return entry === UNREAD ? this.#open(slot) : entry
  }

  all(): Country[] {
    return this.names.map(cc => this.at(slotOfText(cc)) as Country)
  }

  #open(slot: number): CountryEntry {
    const text = slotText(slot)
    const cc = this.#synonyms[text]
    const country = cc === undefined ? this.#read(text) : this.at(slotOfText(cc))
    this.#entries[slot] = country
    return country
  }
}

/** Returns the slot of two ASCII letters of either case; -1 if one is no letter. */
export function countrySlot(first: number, second: number): number {
  const a = (first | 0x20) - 0x61
  const b = (second | 0x20) - 0x61
  return a >= 0 && a < LETTERS && b >= 0 && b < LETTERS ? a * LETTERS + b : -1
}

export function firstLetter(slot: number): number {
  return LETTER_A + ((slot / LETTERS) | 0)
}

export function secondLetter(slot: number): number {
  return LETTER_A + (slot % LETTERS)
}

export function slotText(slot: number): string {
  return String.fromCharCode(firstLetter(slot), secondLetter(slot))
}

/** Returns the slot of a text; -1 unless it is two letters. */
export function countrySlotOf(text: string): number {
  return text.length === 2 ? countrySlot(text.charCodeAt(0), text.charCodeAt(1)) : -1
}

function slotOfText(cc: string): number {
  const slot = countrySlotOf(cc)
  if (slot < 0)
    throw new RangeError(`the index names the country ${JSON.stringify(cc)}, two letters expected`)
  return slot
}
