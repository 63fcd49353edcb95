import { join } from 'node:path'
import t from 'tap'
import { buildIndex } from '../../build-index/build/build.ts'
import { areasOfPost, codeAreas } from '../../datasets/reference/code-areas.ts'
import type { Row } from '../../datasets/source.ts'
import { searchCity } from '../../src/postal/index/cities/city-search.ts'
import { CodeQuery } from '../../src/postal/index/codes/code-query.ts'
import { formOfCode } from '../../src/postal/index/codes/written.ts'
import type { Country } from '../../src/postal/index/country.ts'
import { openIndex } from '../../src/postal/index/open-index.ts'
import { countryByText, type PostalIndex } from '../../src/postal/index/postal-index.ts'
import { cityKey } from '../../src/postal/text/city.ts'
import { withoutWorld, worldSources } from '../support/world.ts'

/** Countries of several scripts, kinds of codes and odd rows, without the largest. `all` takes ten minutes of processor time. */
const COUNTRIES = process.env.WORLD_COUNTRIES ?? 'AR AX BG CN CL GT GU LI LV MC PR RE'
const IS_WHOLE = COUNTRIES === 'all'

t.setTimeout(1_800_000)

/** Rows with the same place and areas are one question to city search. */
interface Question {
  row: Row
  codes: Set<string>
}

t.test(
  "every row of GeoNames' files is found by its code and by its place",
  { skip: withoutWorld },
  async t => {
    const output = join(t.testdir(), 'world.postrie')
    const sources = await worldSources()
    const [geonames] = sources
    const countries = IS_WHOLE ? Object.keys(geonames.countries) : COUNTRIES.split(' ')
    const summary = await buildIndex({ output, sources, ...(!IS_WHOLE && { countries }) })
    t.ok(summary.codes > (IS_WHOLE ? 870_000 : 11_000), `${summary.codes} codes`)

    const index = openIndex(output)
    const query = new CodeQuery()
    const causes = new Map<string, { rows: number; example: string }>()
    let rows = 0
    for (const cc of countries) {
      const country = countryByText(index, cc)
      if (country === null || country === undefined) {
        t.fail(`${cc} is not in the index`)
        continue
      }
      const questions = new Map<string, Question>()
      for (const row of geonames.rows(cc)) {
        rows++
        const written = resolveForm(index, country, query, row.code)
        if (written !== undefined) for (const half of splitScripts(row)) addQuestion(questions, half, written)
        else if (resolveForm(index, country, query, row.code.padStart(country.padTo, '0')) !== undefined)
          countCause(causes, NO_ZERO, row)
        else countCause(causes, 'the code does not validate', row)
      }
      for (const question of questions.values()) checkQuestion(index, country, question, causes)
    }
    t.ok(rows > (IS_WHOLE ? 1_500_000 : 34_000), `${rows} rows`)
    for (const [cause, { rows, example }] of causes)
      t.comment(`${rows} rows: ${cause}, for example ${example}`)
    const others = [...causes.keys()].filter(cause => !EXPECTED_CAUSES.includes(cause))
    t.same(others, [])
  },
)

/** Reasons why a row may lack an answer of its own. */
const NO_NAME = 'the row has no place name'
/** A text is never padded. The index has the code as its country writes it. */
const NO_ZERO = 'the source has lost the leading zero of the code'
/** The kanji name is the area's name. The index has the areas of JP in Latin letters. */
const WHOLE_CITY = 'the place is a whole municipality of JP'
/** `APO AA`: the US post writes the region as the state, and so does the index. */
const MILITARY = 'the place is a military post with its region in the name'
const MILITARY_POST = /^(APO|FPO|DPO) [A-Z]+$/
/** The number is Inner Mongolia's, where the place lies. The name is another province's. */
const TWO_AREAS = 'the row of CN has the number of one area and the name of another'
/** 11 rows of Phetchabun, 67, say Phetchaburi. The index has the area of the digits. */
const OTHER_DIGITS = 'the row names an area that the first digits of the code contradict'
/** The post has the boxes where their names say. The rows of these lie elsewhere. */
const BOX = 'the row of a box in FI has the areas of another place'
const BOX_CODE = /^(00002|00101|69101)$/
const EXPECTED_CAUSES: readonly string[] = [
  NO_NAME,
  NO_ZERO,
  WHOLE_CITY,
  MILITARY,
  TWO_AREAS,
  OTHER_DIGITS,
  BOX,
]

function resolveForm(
  index: PostalIndex,
  country: Country,
  query: CodeQuery,
  code: string,
): string | undefined {
  // French posts write a customer or a service behind some codes: `75021 CEDEX 01`, `70301 AIR`.
  const bytes = Buffer.from(code.replace(/ ([A-Z]{3,}|SP)( .*)?$/, ''))
  if (!query.set(bytes, 0, bytes.length)) return undefined
  const found = query.resolve(index.trie, country)
  return found < 0 ? undefined : formOfCode(index, country, found)
}

/** A Bulgarian row has each name in two scripts: `София / Sofija`. Users type either. */
function splitScripts(row: Row): Row[] {
  const names = [row.place, row.name1, row.name2, row.name3].map(name => name.split(' / '))
  if (row.country !== 'BG') return [row]
  return [0, 1].map(half => {
    const [place, name1, name2, name3] = names.map(each => each[half] ?? each[0])
    return { ...row, place, name1, name2, name3 }
  })
}

function addQuestion(questions: Map<string, Question>, row: Row, code: string): void {
  const identity = [row.place, row.name1, row.name2, row.name3].join('\t')
  const question = questions.get(identity)
  if (question === undefined) questions.set(identity, { row, codes: new Set([code]) })
  else question.codes.add(code)
}

function checkQuestion(
  index: PostalIndex,
  country: Country,
  { row, codes }: Question,
  causes: Map<string, { rows: number; example: string }>,
): void {
  if (cityKey(row.place) === '') return countCause(causes, NO_NAME, row, codes.size)
  // Users name level 1, or the next level that the row has. The areas of JP are romanised in the index and kanji in this file: their other names match.
  const state = [row.name1, row.name2, row.name3].find(name => name !== '')
  const found = searchCity(index, country, { city: row.place, state, ST: undefined })
  const kept = new Set(found?.matched === undefined ? found?.codes : [])
  const lost = [...codes].filter(code => !kept.has(code)).length
  if (lost > 0) countCause(causes, causeOf(row), row, lost)
}

function causeOf({ country, code, place, name1, code1, name2 }: Row): string {
  if (country === 'JP' && place === name2) return WHOLE_CITY
  if (country === 'FI' && BOX_CODE.test(code)) return BOX
  if (country === 'US' && name1 === '' && MILITARY_POST.test(place)) return MILITARY
  if (country === 'CN' && code1 === '20' && name1 !== 'Inner Mongolia') return TWO_AREAS
  const area = areasOfPost(country).find(({ beginning }) => beginning.test(code))
  if (area !== undefined && cityKey(area.name) !== cityKey(name1)) return OTHER_DIGITS
  const told = codeAreas(country).filter(({ beginning }) => beginning.test(code))
  if (told.length > 0 && told.every(({ name }) => cityKey(name) !== cityKey(name1))) return OTHER_DIGITS
  return 'the code is not among those of its place'
}

function countCause(
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
