/** Suggestions, held against a list of all names that is searched from its beginning to its end. */
import t from 'tap'
import { ALIAS_NAME, ALIAS_WORDS } from '../../../src/format/place-entry.ts'
import { suggestNames } from '../../../src/index/autocomplete/suggest.ts'
import { foldedKey, foldSpaced } from '../../../src/index/cities/name-fold.ts'
import { aliasPlaces, placeCodes, placeName } from '../../../src/index/codes/code-view.ts'
import type { Country } from '../../../src/index/country.ts'
import { countriesOf } from '../../../src/index/postal-index.ts'
import { plainText } from '../../../src/index/text-section.ts'
import { cityKey, cityWords, nameText, WORDS } from '../../../src/text/city.ts'
import { questionCount, questionIndex, questionSeed } from '../../support/question-index.ts'
import { seededRandom } from '../../support/random.ts'

const index = questionIndex()
const countries = countriesOf(index)

interface Name {
  name: string
  words: string[]
  text: string
  codes: number
  /** The bits of `codes`. */
  size: number
}

const lists = new Map<string, Name[]>()

/** Every name of a country in the order of texts; names with one city key count as one, which is spelled as the first. */
function namesOf(country: Country): Name[] {
  const known = lists.get(country.cc)
  if (known !== undefined) return known
  const { placeStart, placeCount, aliasStart, aliasCount } = country.meta
  const byKey = new Map<string, { name: string; codes: number }>()
  const codesOf = (place: number) => placeCodes(index, country, place).length
  for (let place = placeStart; place < placeStart + placeCount; place++) {
    const name = placeName(index, place)
    const key = cityKey(name)
    if (key === '') continue
    const same = byKey.get(key)
    if (same === undefined) byKey.set(key, { name, codes: codesOf(place) })
    else same.codes += codesOf(place)
  }
  const aliases = Array.from({ length: aliasCount }, (_, i) => ({
    name: plainText(index.text, index.aliases[(aliasStart + i) * ALIAS_WORDS + ALIAS_NAME]),
    codes: aliasPlaces(index, country, aliasStart + i).reduce((sum, place) => sum + codesOf(place), 0),
  }))
  const names = [...byKey.values(), ...aliases]
    .map(({ name, codes }) => {
      const text = nameText(name)
      return { name, text, words: text.split(' '), codes, size: codes.toString(2).length }
    })
    // Stable, so that equal texts keep the order of the index.
    .sort((a, b) => (a.text < b.text ? -1 : a.text > b.text ? 1 : 0))
  lists.set(country.cc, names)
  return names
}

/** Whether the words of a name begin with what was typed, whose last word may become any word that begins with it. */
function mayBecome({ words }: Name, typed: readonly string[]): boolean {
  const head = typed.slice(0, -1).flatMap(word => WORDS.get(word) ?? word)
  const wanted = head.filter(word => word !== '')
  const last = typed[typed.length - 1]
  if (words.length <= wanted.length || wanted.some((word, i) => words[i] !== word)) return false
  const next = words[wanted.length]
  return next.startsWith(last) || [...WORDS].some(([word, short]) => short === next && word.startsWith(last))
}

function oracle(country: Country, query: string, limit: number): { name: string; codes: number }[] {
  const typed = cityWords(query)
  if (typed.length === 0) return []
  const whole = nameText(query)
  const found = namesOf(country).filter(name => mayBecome(name, typed))
  const exact = found.filter(({ text }) => text === whole)
  const others = found.filter(({ text }) => text !== whole).sort((a, b) => b.size - a.size)
  return [...exact, ...others].slice(0, limit).map(({ name, codes }) => ({ name, codes }))
}

function answerOf(country: Country, query: string, limit: number) {
  const found = suggestNames(index, country, query, limit)
  return found?.map(({ name, codes }) => ({ name: plainText(index.text, name), codes }))
}

t.test('equal answers to random questions', async t => {
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

t.test('names are folded from their bytes as their texts are', async t => {
  let wrong = 0
  for (const country of countries.slice(0, 12)) {
    const { placeStart, placeCount } = country.meta
    for (let place = placeStart; place < placeStart + placeCount; place++) {
      const text = nameText(placeName(index, place))
      const length = foldSpaced(index.text, index.places[place * 3])
      if (length >= 0 && String.fromCharCode(...foldedKey.subarray(0, length)) !== text) {
        if (wrong++ < 3) t.equal(String.fromCharCode(...foldedKey.subarray(0, length)), text)
      }
    }
  }
  t.equal(wrong, 0)
})
