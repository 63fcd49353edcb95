/** Codes as spreadsheets damage them and as people type them, checked by `postrie check` and by autocomplete. */

import { PostalCodes } from '../../src/postal/library/postal-codes.ts'
import { DEFAULTS } from '../../src/programs/cli/check-command.ts'
import { pieceChecker } from '../../src/programs/pipeline/index-worker.ts'
import { type CheckRequest, planOf } from '../../src/programs/pipeline/plan.ts'
import { type Counts, noCounts, summaryOf } from '../../src/programs/pipeline/summary.ts'
import { type Check, counting } from './check.ts'

/** Returns a damaged form; undefined for a code that cannot be damaged so. */
type Damage = (written: string) => string | undefined

const ofDigits = (damage: Damage): Damage => {
  return written => (/^\d+$/.test(written) ? damage(written) : undefined)
}
const withoutZeros = ofDigits(code => (code.startsWith('0') ? String(Number(code)) : undefined))

/** Forms after which `postrie check` must find the code, or must refuse the text and guess the code. */
const DAMAGES: readonly [form: string, damage: Damage, padDigits: boolean][] = [
  ['without its zeros', withoutZeros, false],
  ['without its zeros, with --pad-digits', withoutZeros, true],
  ['as 94109.0', ofDigits(code => `${code}.0`), false],
  ['as 2139.0, with --pad-digits', code => withoutZeros(code)?.concat('.0'), true],
  ['as ="02139"', code => `="${code}"`, false],
  ['behind other words: PO Box 12, 02139', code => `PO Box 12, ${code}`, false],
]

export const damagedCodes = DAMAGES.map(([form, damage, padDigits]) =>
  judging(`code ${form}`, padDigits, (written, cc) => {
    const text = damage(written)
    return text === undefined ? undefined : [text, cc]
  }),
)

/** Where people have forgotten the column of the country. */
const DEFAULT_COUNTRIES = ['US', 'GB'] as const

export const codeOfOtherCountry = judging('code under the country of another one', false, (written, own) => {
  const [asked] = DEFAULT_COUNTRIES.filter(cc => cc !== own)
  return [written, asked]
})

/** Maximum number of guesses a country: a guess tries all countries. */
const GUESSES_MAX = 1000

/** Counts codes that are read as another code, and those refused with another guess or none. */
function judging(
  name: string,
  padDigits: boolean,
  damaged: (written: string, cc: string) => [text: string, country: string] | undefined,
): Check {
  return counting(name, ({ index, cc, country, codes }, count) => {
    const library = new PostalCodes(index)
    const asked = [...library.codes(cc)].flatMap(written => {
      const [text, under] = damaged(written, cc) ?? []
      return text === undefined || under === undefined ? [] : [{ written, text, under }]
    })
    const check = pieceChecker(
      index,
      planOf({ ...REQUEST, padDigits }, 'csv', HEADER, '\n', () => {}),
    )
    const lines = asked.map(({ text, under }) => `"${text.replaceAll('"', '""')}";${under}\n`).join('')
    const results = Buffer.from(check(Buffer.from(lines)).bytes)
      .toString()
      .split('\n')
    const step = Math.ceil(codes.length / GUESSES_MAX)
    asked.forEach(({ written, text, under }, i) => {
      const [isValid, normalized] = results[i].split(';').slice(-4)
      if (isValid === 'true') {
        const problem = () => `${text} in ${under} is ${normalized}`
        count.add(under !== cc || normalized !== written, problem, () => 'another valid code')
      } else if (i % step === 0) {
        const meant = guessOf(library, text, under, cc)
        const reason = meant === null ? 'refused without a guess' : 'refused with another guess'
        const isOther = meant !== written && !meant?.startsWith(`${written} (${country.cc}`)
        const problem = () => `${text} in ${under} means ${meant}, not ${written}`
        count.add(isOther, problem, () => reason)
      }
    })
  })
}

const HEADER = Buffer.from('code;country')
const REQUEST: CheckRequest = { from: 'csv', ...DEFAULTS }

/** Returns the code that the summary of a check of one file guesses; the file also has records of `cc`. */
function guessOf(library: PostalCodes, text: string, under: string, cc: string): string | null {
  const counts: Counts = { ...noCounts(), countries: { [cc]: { records: 1, valid: 1 } } }
  counts.wrongCodes.set(`${under} ${text}`, 1)
  return summaryOf(counts, library).wrong[0].meant
}

export const notCompleted = counting(
  'code that autocomplete loses when the rest of a longer code is typed',
  ({ index, cc, country }, count) => {
    const library = new PostalCodes(index)
    const lists = (typed: string, code: string) =>
      library.autocomplete(typed, { country: cc }).codes.some(({ postalCode }) => postalCode === code)
    for (const written of library.codes(cc)) {
      const typed = country.meta.tails.map(tail => `${written} ${tail[0][0]}`)
      for (const text of [written, ...typed]) count.add(!lists(text, written), () => text)
    }
  },
)
