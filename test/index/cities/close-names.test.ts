/** The scan for close names against comparing a misspelling with every name of a whole country, one after another. */
import t from 'tap'
import { closestNames, editsAllowed } from '../../../src/index/cities/close-names.ts'
import type { Country } from '../../../src/index/country.ts'
import { openIndex } from '../../../src/index/open-index.ts'
import { aliasPlaces, placeName } from '../../../src/index/places.ts'
import { countryByText } from '../../../src/index/postal-index.ts'
import { plainText } from '../../../src/index/text-section.ts'
import { cityKey } from '../../../src/text/city.ts'
import { DEFAULT_INDEX } from '../../support/default-index.ts'
import { naiveEdits } from '../../support/edits.ts'
import { seededRandom } from '../../support/random.ts'

const index = openIndex(DEFAULT_INDEX)

interface Name {
  key: string
  places: number[]
}

/** Every name of `country` and the places that it leads to, in the order of the index: places first, then other names. */
function namesOf(country: Country): Name[] {
  const { meta } = country
  const names: Name[] = []
  for (let place = meta.placeStart; place < meta.placeStart + meta.placeCount; place++) {
    const key = cityKey(placeName(index, place))
    if (names.at(-1)?.key === key) names.at(-1)?.places.push(place)
    else names.push({ key, places: [place] })
  }
  for (let alias = meta.aliasStart; alias < meta.aliasStart + meta.aliasCount; alias++) {
    const key = cityKey(plainText(index.text, index.aliases[alias * 2]))
    names.push({ key, places: aliasPlaces(index, country, alias) })
  }
  return names
}

/** Nearest first by edits, and of those the ones as long as `typed` first, then shorter, then longer ones. */
function expected(names: readonly Name[], typed: string, accepts: (place: number) => boolean): number[][] {
  let nearest = editsAllowed(typed.length)
  if (nearest === 0) return []
  let found: { edits: number; length: number; places: number[] }[] = []
  for (const { key, places } of names) {
    if (Math.abs(key.length - typed.length) > nearest) continue
    const edits = naiveEdits(typed, key)
    const accepted = places.filter(accepts)
    const isLikely = key[0] === typed[0] || (edits < 2 && typed.length >= 6)
    if (edits === 0 || edits > nearest || !isLikely || accepted.length === 0) continue
    nearest = edits as 1 | 2
    found.push({ edits, length: key.length, places: accepted })
  }
  found = found.filter(({ edits }) => edits === nearest)
  const order = [0, -1, 1, -2, 2]
  return order.flatMap(by =>
    found.filter(({ length }) => length - typed.length === by).map(({ places }) => places),
  )
}

for (const [cc, count] of Object.entries({ AU: 40, FR: 40, IN: 12, JP: 30, TR: 15, US: 15 }))
  t.test(`misspellings in ${cc}`, async t => {
    const country = countryByText(index, cc)
    if (country === null || country === undefined) throw new Error(`${cc} is not in the index`)
    const names = namesOf(country)
    const below = seededRandom(names.length)
    let answered = 0
    for (let i = 0; i < count; ) {
      const { key } = names[below(names.length)]
      // From 31 units on lengths share a slot, and the order of names is that of the index: tried on generated countries.
      if (key.length < 4 || key.length > 28) continue
      i++
      let typed = key
      for (let edits = 1 + below(2); edits > 0; edits--)
        typed = edited(typed, names[below(names.length)].key.slice(0, 1), below)
      const accepts = i % 3 === 0 ? (place: number) => place % 2 === 0 : () => true
      const close = closestNames(index, country, typed, accepts)
      t.same(close, expected(names, typed, accepts), typed)
      if (close.length > 0) answered++
    }
    // Two edits, or one in a name of few letters, leave no answer where the first letter is wrong: Japan's names are short.
    t.ok(answered > count / (cc === 'JP' ? 5 : 3), `${answered} of ${count} have an answer`)
  })

/** `text` with one edit of a random kind at a random place. */
function edited(text: string, letter: string, below: (bound: number) => number): string {
  const at = below(text.length)
  const [before, after] = [text.slice(0, at), text.slice(at)]
  return [
    before + letter + after,
    before + after.slice(1),
    before + letter + after.slice(1),
    before + after.slice(1, 2) + after.slice(0, 1) + after.slice(2),
  ][below(4)]
}
