/** Counts of a check, and its summary. */
import type { Fit, InvalidReason, PostalCodes } from '../../postal/library/node.ts'

export interface Counts extends Record<'records' | 'valid' | InvalidReason, number> {
  fits: Record<'city' | 'state', Record<Fit['verdict'], number>>
  /** By country in capitals; `''` for records without a known country. */
  countries: Record<string, { records: number; valid: number }>
  /** Records by country and wrong code, `US 9021O`. The rarest are dropped beyond a bound. */
  wrongCodes: Map<string, number>
}
interface NumberTree {
  [name: string]: number | NumberTree
}

/** Number of wrong codes to keep once there are twice as many. */
const WRONG_CODES_KEPT = 2000
/** Maximum number of countries and of wrong codes in a summary. */
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
    fits: { city: none(), state: none() },
    countries: {},
    wrongCodes: new Map(),
  }
}

export function countWrong({ wrongCodes }: Counts, code: string, records: number = 1): void {
  wrongCodes.set(code, (wrongCodes.get(code) ?? 0) + records)
}

export function addCounts(counts: Counts, more: Counts): void {
  const { wrongCodes, ...numbers } = more
  add(counts as unknown as NumberTree, numbers as unknown as NumberTree)
  for (const [code, records] of wrongCodes) countWrong(counts, code, records)
  if (counts.wrongCodes.size > 2 * WRONG_CODES_KEPT)
    counts.wrongCodes = new Map(mostFrequent(counts.wrongCodes, WRONG_CODES_KEPT))
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
export interface Summary extends Omit<Counts, 'countries' | 'wrongCodes'> {
  countries: { country: string; records: number; valid: number }[]
  /** `meant` is an existing code, with its country if that differs: `80331 (DE)`. */
  wrong: { country: string; code: string; records: number; meant: string | null }[]
}

/** Returns the summary. @param codes index for suggestions; undefined for none */
export function summaryOf(
  { countries, wrongCodes, ...counts }: Counts,
  codes: PostalCodes | undefined,
): Summary {
  const all = Object.entries(countries).map(([country, count]) => ({ country, ...count }))
  all.sort((a, b) => b.records - a.records)
  const others = all.map(({ country }) => country).filter(country => country !== '')
  return {
    ...counts,
    countries: all.slice(0, SHOWN),
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
