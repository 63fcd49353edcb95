/** CSV records that equal the index are copied as bytes. Their results must be those of parsed records. */
import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import t from 'tap'
import { PostalCodes } from '../../../src/postal/library/postal-codes.ts'
import { pieceChecker } from '../../../src/programs/pipeline/check-piece.ts'
import { csvField } from '../../../src/programs/pipeline/csv.ts'
import { InputError } from '../../../src/programs/pipeline/input-error.ts'
import { type CheckedPiece, ResultLines, recordsOf } from '../../../src/programs/pipeline/input-records.ts'
import { type CheckPlan, planOf } from '../../../src/programs/pipeline/plan.ts'
import { COUNTRIES, code, country, place } from '../../support/countries.ts'
import { fixtureIndex } from '../../support/fixture-index.ts'
import { REQUEST } from './support.ts'

const HEADER = ['note', 'zip', 'cc', 'city', 'state']

/** Names that are escaped in the index or in CSV. */
const ESCAPED = country('AT', [
  code('1010', [place('Wien "1"', { name1: 'Back\\slash', code1: '9' })]),
  code('1020', [place('A;B,C', { name1: 'Wien', code1: '"' })]),
])

const index = fixtureIndex(t.testdir(), [ESCAPED, ...COUNTRIES])
const codes = new PostalCodes(index)

const EQUAL: readonly string[][] = codes.countries().flatMap(({ country }) =>
  Array.from(codes.codes(country), code => {
    const { city = '', state = '' } = codes.lookup(code, country) ?? {}
    return ['', code, country, city, state]
  }),
)

function checkSlowly(piece: Uint8Array, plan: CheckPlan): CheckedPiece {
  const results = new ResultLines(plan, piece)
  try {
    for (const record of recordsOf(piece, plan)) {
      const { verdict, fits, values } = codes.checkWith(record, [])
      results.add(record, record.verdict ?? verdict, fits, values)
    }
  } catch (error) {
    if (error instanceof InputError) return results.end(error.message)
    throw error
  }
  return results.end(null)
}

const odd = fc.constantFrom(...'| |x|é|a"b|;|,|two\nlines|UK|germany|90210|90210.0|1013.0|GTO|ca'.split('|'))
const changed = fc.constantFrom<(text: string) => string>(
  text => text,
  text => text.toLowerCase(),
  text => text.toUpperCase(),
  text => ` ${text}`,
  text => text.replaceAll('-', ' '),
  text => text.normalize('NFD'),
)
const record = fc
  .tuple(
    fc.constantFrom(...EQUAL),
    fc.array(changed, { minLength: 5, maxLength: 5 }),
    fc.array(odd, { maxLength: 5 }),
  )
  .chain(([equal, changes, others]) =>
    // Most records stay equal, so that both ways are taken.
    fc.tuple(
      ...equal.map((text, i) =>
        fc.oneof({ weight: 6, arbitrary: fc.constant(text) }, fc.constantFrom(changes[i](text), ...others)),
      ),
    ),
  )

t.test('equal and unequal records have the results of the slow way', async t => {
  const options = fc.record({
    delimiter: fc.constantFrom(',', ';', '\t'),
    lineEnd: fc.constantFrom('\n' as const, '\r\n' as const),
    verify: fc.boolean(),
    prefix: fc.constantFrom('', 'x-'),
    quotesAll: fc.boolean(),
  })
  let records = 0
  let valid = 0
  fc.assert(
    fc.property(
      fc.array(record, { minLength: 1, maxLength: 20 }),
      options,
      (rows, { lineEnd, quotesAll, ...given }) => {
        const { delimiter } = given
        const line = (texts: readonly string[]) =>
          texts
            .map(text => (quotesAll ? `"${text.replaceAll('"', '""')}"` : csvField(text, delimiter)))
            .join(delimiter)
        const plan = planOf({ ...REQUEST, ...given }, 'csv', Buffer.from(line(HEADER)), lineEnd, () => {})
        const piece = Buffer.from(rows.map(row => line(row) + lineEnd).join(''))
        const exact = pieceChecker(index, plan)(piece)
        records += rows.length
        valid += exact.counts.valid
        return isDeepStrictEqual(exact, checkSlowly(piece, plan))
      },
    ),
    { numRuns: 200, seed: 5 },
  )
  t.ok(valid > records / 4, `${valid} of ${records} are valid`)
})

t.test('lines of NDJSON that are scanned have the results of those that are parsed', async t => {
  const value = fc.oneof(
    { weight: 3, arbitrary: fc.constant(undefined) },
    fc.constantFrom<unknown>(null, true, 90210, 1.5, -0, [1], { a: 1 }, 'é', 'a"b', '\\', ''),
  )
  const member = fc.tuple(fc.constantFrom(...HEADER, 'ō', 'M', 'valid', ''), value)
  const options = fc.record({
    space: fc.constantFrom('', ' ', '\t\r'),
    verify: fc.boolean(),
    prefix: fc.constantFrom('', 'x-', '"é'),
    country: fc.constantFrom(undefined, 'US'),
    code: fc.constantFrom(undefined, 'zip', 'ō', 'city'),
  })
  let records = 0
  let valid = 0
  fc.assert(
    fc.property(
      fc.array(fc.tuple(record, fc.array(member, { maxLength: 2 })), { minLength: 1, maxLength: 20 }),
      options,
      (rows, { space, ...given }) => {
        const line = (texts: readonly string[], others: readonly [string, unknown][]) => {
          const members = [...HEADER.map((name, i) => [name, texts[i]] as const), ...others]
          const written = members.flatMap(([name, each]) => {
            const json = JSON.stringify(each)
            return json === undefined ? [] : `${JSON.stringify(name)}${space}:${space}${json}`
          })
          return `${space}{${space}${written.join(`${space},`)}${space}}${space}\n`
        }
        const lines = rows.map(([texts, others]) => line(texts, others))
        const request = { ...REQUEST, ...given, from: 'ndjson', to: 'ndjson' } as const
        const plan = planOf(request, 'ndjson', Buffer.from(line(HEADER, [])), '\n', () => {})
        const piece = Buffer.from(lines.join(''))
        const exact = pieceChecker(index, plan)(piece)
        records += rows.length
        valid += exact.counts.valid
        return isDeepStrictEqual(exact, checkSlowly(piece, plan))
      },
    ),
    { numRuns: 300, seed: 7 },
  )
  t.ok(valid > records / 6, `${valid} of ${records} are valid`)
})
