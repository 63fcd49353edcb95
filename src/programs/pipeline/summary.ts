/** Counts of a check, and its summary. */
import type { Fit, PostalCodes } from '../../postal/library/node.ts'
import { FIT_VERDICTS, INVALID_REASONS } from '../../postal/library/records.ts'

/** Reasons of `check`. An `unreadable_country` is no country; an `unknown_country` has no data. */
export const CHECK_REASONS = [...INVALID_REASONS, 'unreadable_country', 'malformed'] as const
export type CheckReason = (typeof CHECK_REASONS)[number]

export interface Counts extends Record<'records' | 'valid' | CheckReason, number> {
  fits: Record<'city' | 'state', Record<Fit['verdict'], number>>
  /** Counts by country in capitals; `''` for records without a known country. */
  countries: Record<string, { records: number; valid: number }>
  /** Records by country and wrong code, `US 9021O`. The rarest are dropped beyond a bound. */
  wrongCodes: Map<string, number>
  /** Records by the text of their unreadable country, as bounded. */
  wrongCountries: Map<string, number>
  /** The first malformed records, by their number. */
  faults: { record: number; fault: string }[]
}

/** Number of wrong texts to keep once there are twice as many. */
const WRONG_TEXTS_KEPT = 2000
/** Maximum number of countries, wrong codes, wrong countries and malformed records in a summary. */
export const SHOWN = 10
/** Maximum number of other countries in which a wrong code is suggested. In more, it says nothing. */
const MEANT_COUNTRIES_MAX = 3
/** A number that a spreadsheet rounded: `9.02E+08`. */
const ROUNDED = /^\s*(\d)(?:[.,](\d+))?E\+\d+\s*$/i
/** Letters and the digits that look like them. */
const LOOK_ALIKES: readonly string[] = ['O0', 'I1', 'L1', 'S5', 'B8', 'Z2']

export function noCounts(): Counts {
  const none = () => ({ match: 0, close: 0, unknown: 0, mismatch: 0 })
  return {
    records: 0,
    valid: 0,
    not_found: 0,
    invalid_format: 0,
    unknown_country: 0,
    unreadable_country: 0,
    malformed: 0,
    fits: { city: none(), state: none() },
    countries: {},
    wrongCodes: new Map(),
    wrongCountries: new Map(),
    faults: [],
  }
}

export function countWrong(texts: Map<string, number>, text: string, records: number = 1): void {
  texts.set(text, (texts.get(text) ?? 0) + records)
}

export function addCounts(counts: Counts, more: Counts): void {
  const later = more.faults.map(({ record, fault }) => ({ record: counts.records + record, fault }))
  counts.faults = [...counts.faults, ...later].slice(0, SHOWN)
  for (const name of ['records', 'valid', ...CHECK_REASONS] as const) counts[name] += more[name]
  for (const what of ['city', 'state'] as const)
    for (const verdict of FIT_VERDICTS) counts.fits[what][verdict] += more.fits[what][verdict]
  for (const [country, { records, valid }] of Object.entries(more.countries)) {
    const known = counts.countries[country] ?? { records: 0, valid: 0 }
    counts.countries[country] = { records: known.records + records, valid: known.valid + valid }
  }
  counts.wrongCodes = together(counts.wrongCodes, more.wrongCodes)
  counts.wrongCountries = together(counts.wrongCountries, more.wrongCountries)
}

function together(texts: Map<string, number>, more: Map<string, number>): Map<string, number> {
  for (const [text, records] of more) countWrong(texts, text, records)
  return texts.size > 2 * WRONG_TEXTS_KEPT ? new Map(mostFrequent(texts, WRONG_TEXTS_KEPT)) : texts
}

function mostFrequent(entries: Iterable<[string, number]>, most: number): [string, number][] {
  return [...entries].sort(([, a], [, b]) => b - a).slice(0, most)
}

export interface Summary extends Omit<Counts, 'countries' | 'wrongCodes' | 'wrongCountries'> {
  countries: { country: string; records: number; valid: number }[]
  /** `meant` is an existing code, with its countries if they differ: `10117 (DE, US)`; `902…` was rounded. */
  wrong: { country: string; code: string; records: number; meant: string | null }[]
  /** Texts of unreadable countries; `''` for records without a country. */
  wrongCountries: { text: string; records: number }[]
}

/** Returns the summary. @param codes index for suggestions; undefined for none */
export function summaryOf(
  { countries, wrongCodes, wrongCountries, ...counts }: Counts,
  codes: PostalCodes | undefined,
): Summary {
  const all = Object.entries(countries).map(([country, count]) => ({ country, ...count }))
  all.sort((a, b) => b.records - a.records)
  const others = all.map(({ country }) => country).filter(country => country !== '')
  return {
    ...counts,
    countries: all.slice(0, SHOWN),
    wrongCountries: mostFrequent(wrongCountries, SHOWN).map(([text, records]) => ({ text, records })),
    wrong: mostFrequent(wrongCodes, SHOWN).map(([text, records]) => {
      const end = text.indexOf(' ')
      const [country, code] = [text.slice(0, end), text.slice(end + 1)]
      return {
        country,
        code,
        records,
        meant: codes === undefined ? null : suggestCode(codes, code, country, others),
      }
    }),
  }
}

/** Returns an existing code for a wrong one: with lost zeros, look-alikes, less text, or in another country. */
function suggestCode(
  codes: PostalCodes,
  code: string,
  country: string,
  others: readonly string[],
): string | null {
  const upper = code.toUpperCase()
  const swapped = LOOK_ALIKES.flatMap(([letter, digit]) => [
    upper.replaceAll(letter, digit),
    upper.replaceAll(digit, letter),
  ])
  const allDigits = LOOK_ALIKES.reduce((text, [letter, digit]) => text.replaceAll(letter, digit), upper)
  const padded = /^\d+$/.test(code) || ROUNDED.test(code) ? [Number(code)] : []
  for (const text of [...padded, ...swapped, allDigits, ...partsOf(code)]) {
    const { normalized } = codes.check(text, country)
    if (normalized !== null) return normalized
  }
  const [, first, decimals = ''] = ROUNDED.exec(code) ?? []
  if (first !== undefined) return `${first}${decimals}…`
  const every = codes.countries().map(each => each.country)
  const meant = [others, every]
    .map(some => some.filter(each => codes.validate(code, each)))
    .find(({ length }) => length > 0 && length <= MEANT_COUNTRIES_MAX)
  return meant === undefined ? null : `${codes.check(code, meant[0]).normalized} (${meant.join(', ')})`
}

/** Returns the words of a text that have a digit, the last first, after pairs of words: `SW1A 1AA`. */
function partsOf(text: string): string[] {
  const words = text.match(/[\p{L}\p{N}-]+/gu) ?? []
  const pairs = words.slice(1).map((word, i) => `${words[i]} ${word}`)
  return [pairs, words].flatMap(parts => parts.filter(part => /\d/.test(part)).reverse())
}
