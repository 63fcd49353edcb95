import fc from 'fast-check'
import t from 'tap'
import type { CountryModel } from '../../../../build-index/model.ts'
import { type CityAnswer, searchCity } from '../../../../src/postal/index/cities/city-search.ts'
import { countriesOf } from '../../../../src/postal/index/postal-index.ts'
import { cityKey } from '../../../../src/postal/text/city.ts'
import { code, country, place } from '../../../support/countries.ts'
import { fixtureIndex } from '../../../support/fixture-index.ts'
import { type CityQuestion, type CityVerdict, codesOf, expectCity, keysOf } from './city-oracle.ts'

const STATES = [
  { name1: 'North Aria', code1: 'NA', name2: 'Lake', code2: '1' },
  { name1: 'North Aria', code1: 'NA', name2: 'Hill', code2: '2' },
  { name1: 'Saint Bex', code1: 'SB', name2: 'Lake', code2: '1' },
  {},
]
/** Characters that the fold of names treats specially. */
const accented = fc.oneof(
  fc.constantFrom(...'abST .-’東가ﬁ½Σςİß\u0301'),
  fc.integer({ min: 0x20, max: 0x52f }).map(point => String.fromCharCode(point)),
)
/** Names that differ from each other by an edit or two. */
const cityName = fc.oneof(
  fc.string({ unit: fc.constantFrom(...'abn'), minLength: 1, maxLength: 8 }),
  fc.constantFrom(
    ...'Springfield,Springfeld,Springfields,St. Mary,Saint Mary,Sant Mary,Zürich,Zurich'.split(','),
  ),
  fc.constantFrom(
    'Αθήνα',
    'Αθηνα',
    '東京都庁前',
    '東京都庁舎',
    ...[31, 33, 35].map(count => 'a'.repeat(count)),
  ),
  fc.string({ unit: fc.constantFrom('a'), minLength: 28, maxLength: 40 }),
  fc.string({ unit: accented, minLength: 1, maxLength: 12 }),
)
const placeModel = fc
  .tuple(
    cityName,
    fc.constantFrom(...STATES),
    fc.array(cityName, { maxLength: 2 }),
    fc.constantFrom(4999, 5000),
  )
  .map(([name, state, aliases, population]) => ({ ...place(name, state, aliases), population }))

/** Aliases belong to the place, so equal places have equal aliases. */
function withOnePlaceEach(places: ReturnType<typeof place>[]): ReturnType<typeof place>[] {
  const seen = new Map(places.map(model => [JSON.stringify([model.name, model.admin]), model]))
  return [...seen.values()]
}

const countryModel = (cc: string) =>
  fc
    .tuple(
      fc.array(placeModel, { minLength: 1, maxLength: 12 }).map(withOnePlaceEach),
      fc.array(fc.uniqueArray(fc.nat(), { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 20 }),
    )
    .map(
      ([places, codes]): CountryModel =>
        country(
          cc,
          codes.map((picks, i) =>
            code(String(1000 + i), [...new Set(picks.map(pick => places[pick % places.length]))]),
          ),
        ),
    )

/** A question about a name, with or without an edit, in a state or anywhere. */
const question = fc.record({
  pick: fc.nat(),
  wrong: fc.constantFrom(
    (name: string) => name,
    (name: string) => `${name}x`,
    (name: string) => name.slice(1),
    (name: string) => name.slice(1, 2) + name.slice(0, 1) + name.slice(2),
    (name: string) => `${name}xyz`,
  ),
  filter: fc.constantFrom<Omit<CityQuestion, 'city'>>(
    {},
    {},
    { state: 'north aria' },
    { state: 'St. Bex' },
    { state: 'Lake' },
    { ST: 'na' },
    { ST: '1' },
    { state: 'North Aria', ST: 'SB' },
    { ST: 'XX' },
    { state: 'SB' },
    { ST: 'North Aria' },
  ),
})

function namesOf(model: CountryModel): string[] {
  return model.codes.flatMap(({ places }) => places.flatMap(({ name, aliases }) => [name, ...aliases]))
}

function isRight(answer: CityAnswer | undefined, { exact, towns, near }: CityVerdict): boolean {
  if (exact !== undefined) return answer?.matched === undefined && isSame(answer?.codes, exact)
  if (answer === undefined) return true
  const { city = '', state } = answer.matched ?? {}
  const inArea = towns.filter(({ place }) => place.admin.name1 === state)
  const meant = inArea.filter(town => near.includes(town) && town.place.name === city)
  const known = codesOf(inArea.filter(town => near.includes(town) || keysOf(town.place).has(cityKey(city))))
  return meant.length > 0 && answer.codes.every(code => known.includes(code))
}

function isSame(a: readonly string[] | undefined, b: readonly string[]): boolean {
  return JSON.stringify(a) === JSON.stringify(b)
}

t.test('city search returns what a comparison with every name returns, or a near name', async t => {
  const folder = t.testdir()
  const kinds = { exact: 0, close: 0, none: 0 }
  const world = fc.tuple(countryModel('DE'), countryModel('US'))
  fc.assert(
    fc.property(world, fc.array(question, { minLength: 10, maxLength: 30 }), (models, questions) => {
      const index = fixtureIndex(folder, models)
      return countriesOf(index).every((found, i) =>
        questions.every(({ pick, wrong, filter }) => {
          const names = namesOf(models[i])
          const asked: CityQuestion = { city: wrong(names[pick % names.length]), ...filter }
          const { city, state, ST } = asked
          const answer = searchCity(index, found, { city, state, ST })
          kinds[answer === undefined ? 'none' : answer.matched ? 'close' : 'exact']++
          return isRight(answer, expectCity(models[i], asked))
        }),
      )
    }),
    { numRuns: 150 },
  )
  for (const [kind, count] of Object.entries(kinds)) t.ok(count > 150, `${count} ${kind}`)
})

t.test('a page has the codes that it has in the whole list, wherever it begins and ends', async t => {
  const town = [place('London')]
  const keys = 'E11AA E111AA W11AA W11AB W111AA W112ZZ W12AA W1A1AA W21AA WC11AA WC1A1AA'.split(' ')
  const masks = ['## ###', '### ###', '#### ###']
  const codes = keys.sort().map(key => code(key, town))
  const index = fixtureIndex(t.testdir(), [country('GB', codes, { masks })])
  const [britain] = countriesOf(index)
  const query = { city: 'London', state: undefined, ST: undefined }
  const all = searchCity(index, britain, query)?.codes ?? []
  t.same(all, [...all].sort())
  for (let first = 0; first <= keys.length + 1; first++)
    for (let end = first + 1; end <= keys.length + 2; end++)
      t.same(
        searchCity(index, britain, query, { first, end })?.codes,
        all.slice(first, end),
        `${first} to ${end}`,
      )
})

t.test('an area is found in another script or language', async t => {
  const tokyo = { name1: 'Tokyo', code1: '13' }
  const model: CountryModel = {
    ...country('JP', [
      code('1000001', [place('千代田', tokyo)]),
      code('3700001', [place('千代田', { name1: 'Gunma', code1: '10' })]),
    ]),
    areaNames: { [cityKey('東京都')]: ['Tokyo'], [cityKey('Kanto')]: ['Tokyo', 'Gunma'] },
  }
  const index = fixtureIndex(t.testdir(), [model])
  const inState = (city: string, state: string) =>
    searchCity(index, countriesOf(index)[0], { city, state, ST: undefined })
  t.same(inState('千代田', '東京都')?.codes, ['1000001'])
  t.same(inState('千代田', 'tokyo')?.codes, ['1000001'], 'its own name still counts')
  t.same(inState('千代田', 'KANTO')?.codes, ['1000001', '3700001'], 'a name of two')
  t.equal(inState('千代田', '群馬県'), undefined, 'no name that the index knows')
  t.equal(inState('千代田', 'constructor'), undefined, 'no name of an object either')
})
