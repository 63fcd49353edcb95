/** Compares suggestions with a list of all names. */
import t from 'tap'
import { ALIAS_NAME, ALIAS_WORDS } from '../../../../src/postal/format/place-entry.ts'
import { suggestNames } from '../../../../src/postal/index/autocomplete/names-beginning.ts'
import type { Country } from '../../../../src/postal/index/country.ts'
import { countriesOf } from '../../../../src/postal/index/postal-index.ts'
import { aliasPlaces, placeCodes, placeName } from '../../../../src/postal/index/read-place.ts'
import { plainText } from '../../../../src/postal/index/text-section.ts'
import { cityKey, cityWords, nameText, WORDS } from '../../../../src/postal/text/city.ts'
import { questionCount, questionIndex, questionSeed } from '../../../support/question-index.ts'
import { seededRandom } from '../../../support/random.ts'

t.setTimeout(0)

const index = questionIndex()
const countries = countriesOf(index)

interface Name {
  words: string[]
  text: string
  codes: number
}

/** Another name of places, with the city keys of their names. */
interface Other extends Name {
  keys: Set<string>
}

interface Names {
  /** Names of places, by city key. */
  own: Map<string, Name>
  others: Other[]
}

const known = new Map<string, Names>()

function namesOf(country: Country): Names {
  const found = known.get(country.cc) ?? readNames(country)
  known.set(country.cc, found)
  return found
}

function readNames(country: Country): Names {
  const { placeStart, placeCount, aliasStart, aliasCount } = country.meta
  const own = new Map<string, Name>()
  for (let place = placeStart; place < placeStart + placeCount; place++) {
    const key = cityKey(placeName(index, place))
    // Names with the same key are one, spelled as the first.
    const name = own.get(key) ?? nameOf(placeName(index, place))
    name.codes += placeCodes(index, country, place).length
    if (key !== '') own.set(key, name)
  }
  const others = Array.from({ length: aliasCount }, (_, i) => {
    const name = plainText(index.text, index.aliases[(aliasStart + i) * ALIAS_WORDS + ALIAS_NAME])
    const places = aliasPlaces(index, country, aliasStart + i)
    return { ...nameOf(name), keys: new Set(places.map(place => cityKey(placeName(index, place)))) }
  })
  return { own, others }
}

function nameOf(name: string): Name {
  const text = nameText(name)
  return { text, words: text.split(' '), codes: 0 }
}

interface Typed {
  /** Whole words before the last one. The last one is a prefix. */
  wanted: string[]
  last: string
  /** Short forms of words that begin with `last`. */
  shorts: string[]
}

function typedOf(query: string): Typed | undefined {
  const words = cityWords(query)
  const last = words.pop()
  if (last === undefined) return undefined
  return {
    wanted: words.flatMap(word => WORDS.get(word) ?? word).filter(word => word !== ''),
    last,
    shorts: [...WORDS].flatMap(([word, short]) => (word.startsWith(last) ? [short] : [])),
  }
}

function matchesTyped({ words }: Name, { wanted, last, shorts }: Typed): boolean {
  if (words.length <= wanted.length || wanted.some((word, i) => words[i] !== word)) return false
  const next = words[wanted.length]
  return next.startsWith(last) || shorts.includes(next)
}

/** Sizes differ from each other by a rounding to a little more than half a doubling. */
const SAME_SIZE = 1.5
const OTHER_NAME_FACTOR = 50

/** Returns what is wrong with the suggestions for a query. */
function problemsOf(country: Country, query: string, limit: number): string[] {
  const typed = typedOf(query)
  const found = answerOf(country, query, limit) ?? []
  if (typed === undefined) return found.map(({ name }) => `${name} for nothing`)
  const { own, others } = namesOf(country)
  const keys = found.map(({ name }) => cityKey(name))
  const matching = [...own].filter(([, name]) => matchesTyped(name, typed))
  const meant = others.filter(name => matchesTyped(name, typed))
  // Another name may lead to the beginning that the names of its places share.
  const leadsTo = ({ keys, text }: Other, key: string) =>
    cityKey(text) === key || [...keys].some(other => other.startsWith(key))
  const isMeant = (key: string) =>
    matching.some(([other]) => other === key) || meant.some(name => leadsTo(name, key))
  const whole = nameText(query)
  const isExact = (key: string) => own.get(key)?.text === whole
  const isMeantExactly = (key: string) =>
    isExact(key) || meant.some(name => name.text === whole && leadsTo(name, key))
  const missing = matching.filter(([key]) => !keys.includes(key))
  // Another name ranks as low as a name with a fraction of its codes, and has another number of codes than the name
  // it leads to.
  const rankOf = (key: string, codes: number) =>
    own.get(key)?.codes === codes ? codes : codes / OTHER_NAME_FACTOR
  const sizes = found.flatMap(({ name, codes }) => {
    const key = cityKey(name)
    return isMeantExactly(key) ? [] : rankOf(key, codes)
  })
  const least = found.length < limit ? Number.POSITIVE_INFINITY : Math.min(...sizes, Number.POSITIVE_INFINITY)
  return [
    ...(found.length > limit ? [`${found.length} names`] : []),
    ...keys.filter(key => !isMeant(key)).map(key => `${key} is not meant`),
    ...missing.filter(([key]) => found.length < limit || isExact(key)).map(([key]) => `${key} is missing`),
    ...missing.filter(([, { codes }]) => codes > SAME_SIZE * (least + 1)).map(([key]) => `${key} is larger`),
  ]
}

function answerOf(country: Country, query: string, limit: number) {
  const found = suggestNames(index, country, query, limit)
  return found?.map(({ name, codes }) => ({ name: plainText(index.text, name), codes }))
}

t.test('suggestions are the largest names that match, and all of them if they are few', async t => {
  const random = seededRandom(questionSeed())
  const questions = questionCount(300)
  let wrong = 0
  for (let question = 0; question < questions && wrong < 4; question++) {
    const country = countries[random(countries.length)]
    const names = [...namesOf(country).own.values()]
    const letters = [...(names[random(names.length)]?.text ?? 'x')]
    let query = letters.slice(0, 1 + random(Math.min(letters.length, random(2) === 0 ? 4 : 40))).join('')
    if (random(5) === 0) query = query.toUpperCase()
    if (random(8) === 0)
      query = ['Sai', 'North ', 'st. ', 'Mo', 'Bad', 'y', 'der'][random(7)] + (random(2) ? '' : query)
    const limit = 1 + random(50)
    const problems = problemsOf(country, query, limit)
    if (problems.length === 0) continue
    wrong++
    t.same(problems.slice(0, 3), [], `${country.cc} ${JSON.stringify(query)} ${limit}`)
  }
  t.equal(wrong, 0, `${questions} questions`)
})

t.test('own names come first, and another name leads to its city', async t => {
  const of = (cc: string, query: string) => {
    const country = countries.find(each => each.cc === cc) as Country
    return answerOf(country, query, 10)?.map(({ name }) => name) ?? []
  }
  t.match(of('US', 'El Pa')[0], /^El Paso/)
  t.equal(of('DE', 'münch')[0], 'München')
  t.equal(of('PT', 'Port')[0], 'Porto')
  t.equal(of('DE', 'Munich')[0], 'München')
  t.equal(of('DE', 'Köl')[0], 'Köln')
  t.equal(of('DE', 'Cologne')[0], 'Köln')
  t.equal(of('DK', 'Copenh')[0], 'København', 'a name of several places leads to that with most codes')
  for (const [cc, query] of [
    ['US', 'e'],
    ['US', 'n'],
    ['DE', 'm'],
  ])
    t.notMatch(of(cc, query), /Eabhraig|Amsterdam|Crucis/, `${cc} ${query}`)
})
