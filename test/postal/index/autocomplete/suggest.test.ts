/** Compares suggestions with a search through a list of all names. */
import t from 'tap'
import { ALIAS_NAME, ALIAS_WORDS } from '../../../../src/postal/format/place-entry.ts'
import { suggestNames } from '../../../../src/postal/index/autocomplete/suggest.ts'
import type { Country } from '../../../../src/postal/index/country.ts'
import { aliasPlaces, placeCodes, placeName } from '../../../../src/postal/index/places.ts'
import { countriesOf } from '../../../../src/postal/index/postal-index.ts'
import { plainText } from '../../../../src/postal/index/text-section.ts'
import { cityKey, cityWords, nameText, WORDS } from '../../../../src/postal/text/city.ts'
import { questionCount, questionIndex, questionSeed } from '../../../support/question-index.ts'
import { seededRandom } from '../../../support/random.ts'

t.setTimeout(0)

const index = questionIndex()
const countries = countriesOf(index)

interface Name {
  name: string
  words: string[]
  text: string
  codes: number
  /** 1.75 per doubling of `codes`. */
  size: number
  /** Identity of its places. An alias has `own` if all of its places share one name. */
  places: string
  own?: Name
  /** Own name of most codes of an alias, with longer names. */
  shown?: Name
  isOther?: true
}

const lists = new Map<string, Name[]>()

/** Returns every name of a country, sorted by text. Names with the same city key are one, spelled as the first. */
function namesOf(country: Country): Name[] {
  const known = lists.get(country.cc)
  if (known !== undefined) return known
  const { placeStart, placeCount, aliasStart, aliasCount } = country.meta
  const byKey = new Map<string, Name>()
  const counts = Array.from(
    { length: placeCount },
    (_, i) => placeCodes(index, country, placeStart + i).length,
  )
  const codesOf = (place: number) => counts[place - placeStart]
  const keys = Array.from({ length: placeCount }, (_, i) => cityKey(placeName(index, placeStart + i)))
  const keyOf = (place: number) => keys[place - placeStart]
  for (let place = placeStart; place < placeStart + placeCount; place++) {
    const key = keyOf(place)
    if (key === '') continue
    const same = byKey.get(key)
    if (same === undefined) byKey.set(key, nameOf(placeName(index, place), codesOf(place), `own ${place}`))
    else resize(same, same.codes + codesOf(place))
  }
  const aliases = Array.from({ length: aliasCount }, (_, i) => {
    const places = aliasPlaces(index, country, aliasStart + i)
    const name = plainText(index.text, index.aliases[(aliasStart + i) * ALIAS_WORDS + ALIAS_NAME])
    const codes = places.reduce((sum, place) => sum + codesOf(place), 0)
    const [own, ...others] = new Set(places.map(keyOf))
    const isOther = true as const
    const only = others.length === 0 ? byKey.get(own) : undefined
    const shown =
      only ?? mainName(places.map(place => ({ own: byKey.get(keyOf(place)), codes: codesOf(place) })))
    return { ...nameOf(name, codes, places.join()), own: only, shown, isOther }
  })
  const names = [...byKey.values(), ...aliases]
    // A stable sort keeps equal texts in the order of the index.
    .sort((a, b) => (a.text < b.text ? -1 : a.text > b.text ? 1 : 0))
  lists.set(country.cc, names)
  return names
}

/** Returns the shortest beginning of the largest name, if most codes have names that begin so. */
function mainName(places: readonly { own: Name | undefined; codes: number }[]): Name | undefined {
  const names = [...new Set(places.flatMap(({ own }) => own ?? []))]
  const sum = (beginning: (name: Name) => boolean) =>
    places.reduce((all, { own, codes }) => all + (own !== undefined && beginning(own) ? codes : 0), 0)
  const [largest] = names.toSorted((a, b) => sum(name => name === b) - sum(name => name === a))
  if (largest === undefined) return undefined
  const [shown] = names
    .filter(({ text }) => text === largest.text || largest.text.startsWith(`${text} `))
    .sort((a, b) => a.text.length - b.text.length)
  return 2 * sum(({ text }) => text.startsWith(shown.text)) > sum(() => true) ? shown : undefined
}

function nameOf(name: string, codes: number, places: string): Name {
  const text = nameText(name)
  return resize({ name, text, words: text.split(' '), codes: 0, size: 0, places }, codes)
}

function resize(name: Name, codes: number): Name {
  return Object.assign(name, { codes, size: Math.round(1.75 * Math.log2(codes + 1)) })
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

/** Returns the places' own name for an alias, if the typed words fit it. */
function suggestedName(name: Name, typed: Typed): Name {
  return name.own !== undefined && matchesTyped(name.own, typed) ? name.own : name
}

function oracle(country: Country, query: string, limit: number): { name: string; codes: number }[] {
  const typed = typedOf(query)
  if (typed === undefined) return []
  const whole = nameText(query)
  const found = namesOf(country).filter(name => matchesTyped(name, typed))
  const exact = found.filter(({ text }) => text === whole)
  const isOther = (name: Name) => Number(name.isOther === true)
  const others = found
    .filter(({ text }) => text !== whole)
    .sort((a, b) => 10 * isOther(a) - a.size - (10 * isOther(b) - b.size))
  const names = [
    ...exact.map(name => suggestedName(name, typed)),
    ...others.filter(name => suggestedName(name, typed) === name),
  ]
  // Keeps the first name of each city.
  const byCity = new Map<string, Name>()
  for (const name of names) {
    const { places } = name.shown ?? name
    if (!byCity.has(places)) byCity.set(places, name)
  }
  return [...byCity.values()]
    .slice(0, limit)
    .map(({ name, codes, shown }) => ({ name: shown?.name ?? name, codes }))
}

function answerOf(country: Country, query: string, limit: number) {
  const found = suggestNames(index, country, query, limit)
  return found?.map(({ name, codes }) => ({ name: plainText(index.text, name), codes }))
}

t.test('suggestions equal those of a search through all names', async t => {
  const random = seededRandom(questionSeed())
  const questions = questionCount(300)
  let wrong = 0
  for (let question = 0; question < questions && wrong < 4; question++) {
    const country = countries[random(countries.length)]
    const names = namesOf(country)
    const letters = [...(names[random(names.length)]?.name ?? 'x')]
    let query = letters.slice(0, 1 + random(Math.min(letters.length, random(2) === 0 ? 4 : 40))).join('')
    if (random(5) === 0) query = query.toUpperCase()
    if (random(8) === 0)
      query = ['Sai', 'North ', 'st. ', 'Mo', 'Bad', 'y', 'der'][random(7)] + (random(2) ? '' : query)
    const limit = 1 + random(50)
    const found = answerOf(country, query, limit)
    const wanted = oracle(country, query, limit)
    if (JSON.stringify(found) === JSON.stringify(wanted)) continue
    wrong++
    t.same(found, wanted, `${country.cc} ${JSON.stringify(query)} ${limit}`)
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
