/** Counts of a check, and its summary. */
import type { Fit, InvalidReason, PostalCodes } from '../../postal/library/node.ts'

/** Reason of `check` for a country that nobody understands: `Narnia`. `unknown_country` is one without data. */
export const UNREADABLE = 'unreadable_country'
export type CheckReason = InvalidReason | typeof UNREADABLE

export interface Counts extends Record<'records' | 'valid' | CheckReason, number> {
  fits: Record<'city' | 'state', Record<Fit['verdict'], number>>
  /** By country in capitals; `''` for records without a known country. */
  countries: Record<string, { records: number; valid: number }>
  /** Records by country and wrong code, `US 9021O`. The rarest are dropped beyond a bound. */
  wrongCodes: Map<string, number>
  /** Records by the text of their unreadable country, as bounded. */
  wrongCountries: Map<string, number>
}
interface NumberTree {
  [name: string]: number | NumberTree
}

/** Number of wrong texts to keep once there are twice as many. */
const WRONG_TEXTS_KEPT = 2000
/** Maximum number of countries, wrong codes and wrong countries in a summary. */
const SHOWN = 10
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
    [UNREADABLE]: 0,
    fits: { city: none(), state: none() },
    countries: {},
    wrongCodes: new Map(),
    wrongCountries: new Map(),
  }
}

export function countWrong(texts: Map<string, number>, text: string, records: number = 1): void {
  texts.set(text, (texts.get(text) ?? 0) + records)
}

export function addCounts(counts: Counts, more: Counts): void {
  const { wrongCodes, wrongCountries, ...numbers } = more
  add(counts as unknown as NumberTree, numbers as unknown as NumberTree)
  counts.wrongCodes = together(counts.wrongCodes, wrongCodes)
  counts.wrongCountries = together(counts.wrongCountries, wrongCountries)
}

function together(texts: Map<string, number>, more: Map<string, number>): Map<string, number> {
  for (const [text, records] of more) countWrong(texts, text, records)
  return texts.size > 2 * WRONG_TEXTS_KEPT ? new Map(mostFrequent(texts, WRONG_TEXTS_KEPT)) : texts
}

function add(counts: NumberTree, more: NumberTree): void {
  for (const [name, value] of Object.entries(more)) {
    if (typeof value === 'number') counts[name] = ((counts[name] as number | undefined) ?? 0) + value
    else {
      counts[name] ??= {}
      add(counts[name] as NumberTree, value)
    }
  }
}

function mostFrequent(entries: Iterable<[string, number]>, most: number): [string, number][] {
  return [...entries].sort(([, a], [, b]) => b - a).slice(0, most)
}

/** Counts, with the largest countries and the most frequent wrong codes first. */
export interface Summary extends Omit<Counts, 'countries' | 'wrongCodes' | 'wrongCountries'> {
  countries: { country: string; records: number; valid: number }[]
  /** `meant` is an existing code, with its country if that differs: `80331 (DE)`. */
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

/** Returns an existing code for a wrong one: with lost zeros, other look-alike characters, or in another country of the file. */
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
  const padded = /^\d+$/.test(code) ? [Number(code)] : []
  for (const text of [...padded, ...swapped, allDigits]) {
    const { normalized } = codes.check(text, country)
    if (normalized !== null) return normalized
  }
  const other = others.slice(0, SHOWN).find(each => codes.validate(code, each))
  return other === undefined ? null : `${codes.check(code, other).normalized} (${other})`
}
