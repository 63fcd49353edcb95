/** Every row of the world's files can be found again: its code validates, and its place leads back to its code. */
import { join } from 'node:path'
import t from 'tap'
import { buildIndex } from '../../build-index/build.ts'
import type { Row } from '../../datasets/source.ts'
import { searchCity } from '../../src/index/cities/city-search.ts'
import { CodeQuery } from '../../src/index/codes/resolve.ts'
import { formOfCode } from '../../src/index/codes/written.ts'
import type { Country } from '../../src/index/country.ts'
import { openIndex } from '../../src/index/open-index.ts'
import { countryByText, type PostalIndex } from '../../src/index/postal-index.ts'
import { cityKey } from '../../src/text/city.ts'
import { withoutWorld, worldSources } from '../support/world.ts'

/** Rows that share a place and its administrative names are one question to city search. */
interface Question {
  row: Row
  codes: Set<string>
}

t.test('the world', { skip: withoutWorld, timeout: 1_200_000 }, async t => {
  const output = join(t.testdir(), 'world.postrie')
  const sources = await worldSources()
  const summary = await buildIndex({ output, sources })
  const codeBytes = summary.bytes / summary.codes
  t.comment(
    `${summary.codes} codes, ${codeBytes.toFixed(1)} bytes each; ` +
      `${summary.seconds.toFixed(1)} s, ${Math.round(summary.peakBytes / 1e6)} MB`,
  )
  t.ok(summary.codes > 870_000)
  t.ok(codeBytes <= 90, 'at most 90 bytes a code with every section, and the codes of all registers')

  const index = openIndex(output)
  const [geonames] = sources
  const query = new CodeQuery()
  const causes = new Map<string, { rows: number; example: string }>()
  let rows = 0
  for (const cc of Object.keys(geonames.countries)) {
    const country = countryByText(index, cc)
    if (country === null || country === undefined) {
      t.fail(`${cc} is not in the index`)
      continue
    }
    const questions = new Map<string, Question>()
    for (const row of geonames.rows(cc)) {
      rows++
      const written = canonical(index, country, query, row.code)
      if (written !== undefined) for (const half of halves(row)) ask(questions, half, written)
      else if (canonical(index, country, query, row.code.padStart(country.padTo, '0')) !== undefined)
        note(causes, NO_ZERO, row)
      else note(causes, 'the code does not validate', row)
    }
    for (const question of questions.values()) answer(index, country, question, causes)
  }
  t.ok(rows > 1_500_000, `${rows} rows`)
  for (const [cause, { rows, example }] of causes) t.comment(`${rows} rows: ${cause}, such as ${example}`)
  t.same(
    [...causes.keys()].filter(cause => !EXPECTED_CAUSES.includes(cause)),
    [],
  )
})

/** Why a row may be without an answer of its own. */
const NO_NAME = 'the row has no place name'
/** A text is never padded, and the index has the code as its country writes it. */
const NO_ZERO = 'the source has lost the leading zero of the code'
/** Its name in kanji is the area's, and the index has the areas of JP in Latin letters. */
const WHOLE_CITY = 'the place is a whole municipality of JP'
/** `APO AA`: the index has the region as the state, where the post of the US writes it, and not in the name. */
const MILITARY = 'the place is a military post with its region in the name'
const MILITARY_POST = /^(APO|FPO|DPO) [A-Z]+$/
/** Its number is that of Inner Mongolia, where the place is, and its name that of a province with a number of its own. */
const TWO_AREAS = 'the row of CN has the number of one area and the name of another'
const EXPECTED_CAUSES: readonly string[] = [NO_NAME, NO_ZERO, WHOLE_CITY, MILITARY, TWO_AREAS]

/** What the index makes of the code in a row, as a request would. */
function canonical(index: PostalIndex, country: Country, query: CodeQuery, code: string): string | undefined {
  // French posts write a customer or a service behind some codes: `75021 CEDEX 01`, `70301 AIR`.
  const bytes = Buffer.from(code.replace(/ ([A-Z]{3,}|SP)( .*)?$/, ''))
  if (!query.set(bytes, 0, bytes.length)) return undefined
  const found = query.resolve(index.trie, country)
  return found < 0 ? undefined : formOfCode(index, country, found)
}

/** A row of Bulgaria has each name in two scripts, `София / Sofija`, of which people ask for either. */
function halves(row: Row): Row[] {
  const names = [row.place, row.name1, row.name2, row.name3].map(name => name.split(' / '))
  if (row.country !== 'BG') return [row]
  return [0, 1].map(half => {
    const [place, name1, name2, name3] = names.map(each => each[half] ?? each[0])
    return { ...row, place, name1, name2, name3 }
  })
}

function ask(questions: Map<string, Question>, row: Row, code: string): void {
  const identity = [row.place, row.name1, row.name2, row.name3].join('\t')
  const question = questions.get(identity)
  if (question === undefined) questions.set(identity, { row, codes: new Set([code]) })
  else question.codes.add(code)
}

/** Asks for the place with its administrative name as the filter. */
function answer(
  index: PostalIndex,
  country: Country,
  { row, codes }: Question,
  causes: Map<string, { rows: number; example: string }>,
): void {
  if (cityKey(row.place) === '') return note(causes, NO_NAME, row, codes.size)
  // Level 1 is the one that people name; a row without it is asked for by the next level that it has. The areas of JP are
  // romanised in the index and in kanji in this file: they are found by their other names.
  const state = [row.name1, row.name2, row.name3].find(name => name !== '')
  const found = searchCity(index, country, { city: row.place, state, ST: undefined })
  const kept = new Set(found?.matched === undefined ? found?.codes : [])
  const lost = [...codes].filter(code => !kept.has(code)).length
  if (lost > 0) note(causes, causeOf(row), row, lost)
}

function causeOf({ country, place, name1, code1, name2 }: Row): string {
  if (country === 'JP' && place === name2) return WHOLE_CITY
  if (country === 'US' && name1 === '' && MILITARY_POST.test(place)) return MILITARY
  if (country === 'CN' && code1 === '20' && name1 !== 'Inner Mongolia') return TWO_AREAS
  return 'the code is not among those of its place'
}

function note(
  causes: Map<string, { rows: number; example: string }>,
  cause: string,
  row: Row,
  rows = 1,
): void {
  const known = causes.get(cause)
  if (known !== undefined) known.rows += rows
  else
    causes.set(cause, {
      rows,
      example: [row.country, row.code, row.place, row.name1, row.name2, row.name3].join(' | '),
    })
}
