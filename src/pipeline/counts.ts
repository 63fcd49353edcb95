/** Counts of a check, and what a person can do with them. */
import type { Fit, InvalidReason, PostalCodes } from '../library/main.ts'

export interface Counts extends Record<'records' | 'valid' | InvalidReason, number> {
  fits: Record<'city' | 'state', Record<Fit['verdict'], number>>
  /** By two capitals, `''` where a record names no country that is known. */
  countries: Record<string, { records: number; valid: number }>
  /** How often each wrong code is there, by country and code: `US 9021O`. The rarest of very many are forgotten. */
  wrong: Map<string, number>
}
interface Numbers {
  [name: string]: number | Numbers
}

/** Wrong codes that are kept of more than twice as many. */
const WRONG_KEPT = 2000
const SHOWN = 10
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
    wrong: new Map(),
  }
}

export function countWrong({ wrong }: Counts, code: string, records: number = 1): void {
  wrong.set(code, (wrong.get(code) ?? 0) + records)
}

/** Adds `more` to `counts`. */
export function addCounts(counts: Counts, more: Counts): void {
  const { wrong, ...numbers } = more
  add(counts as unknown as Numbers, numbers as unknown as Numbers)
  for (const [code, records] of wrong) countWrong(counts, code, records)
  if (counts.wrong.size > 2 * WRONG_KEPT) counts.wrong = new Map(mostFrequent(counts.wrong, WRONG_KEPT))
}

function add(counts: Numbers, more: Numbers): void {
  for (const [name, value] of Object.entries(more)) {
    if (typeof value === 'number') counts[name] = ((counts[name] as number | undefined) ?? 0) + value
    else {
      counts[name] ??= {}
      add(counts[name] as Numbers, value)
    }
  }
}

function mostFrequent(entries: Iterable<[string, number]>, most: number): [string, number][] {
  return [...entries].sort(([, a], [, b]) => b - a).slice(0, most)
}

/** Counts as a person reads them: countries with the most records first, and the most frequent wrong codes. */
export interface Summary extends Omit<Counts, 'countries' | 'wrong'> {
  countries: { country: string; records: number; valid: number }[]
  /** `meant` is a code that exists, with its country if it is another: `80331 (DE)`. */
  wrong: { country: string; code: string; records: number; meant: string | null }[]
}

/** @param codes undefined: nothing is guessed */
export function summaryOf({ countries, wrong, ...counts }: Counts, codes: PostalCodes | undefined): Summary {
  const all = Object.entries(countries).map(([country, count]) => ({ country, ...count }))
  all.sort((a, b) => b.records - a.records)
  const others = all.map(({ country }) => country).filter(country => country !== '')
  return {
    ...counts,
    countries: all.slice(0, SHOWN),
    wrong: mostFrequent(wrong, SHOWN).map(([text, records]) => {
      const end = text.indexOf(' ')
      const [country, code] = [text.slice(0, end), text.slice(end + 1)]
      return {
        country,
        code,
        records,
        meant: codes === undefined ? null : meantBy(codes, code, country, others),
      }
    }),
  }
}

/** Guesses what was meant: lost zeros, characters that look alike, or a code of another country of the file. */
function meantBy(
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
