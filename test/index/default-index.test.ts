import t from 'tap'
import { viewAdmin, viewCode } from '../../build-index/check/code-view.ts'
import { countryModels } from '../../build-index/country-models.ts'
import type { CodeModel } from '../../build-index/model.ts'
import { findCode } from '../../src/index/codes/trie.ts'
import type { Country } from '../../src/index/country.ts'
import { openIndex } from '../../src/index/open-index.ts'
import { countriesOf, countryByText } from '../../src/index/postal-index.ts'
import { SYMBOL_OF_BYTE, SYMBOLS } from '../../src/text/code.ts'
import { DEFAULT_INDEX } from '../support/default-index.ts'
import { seededRandom } from '../support/random.ts'

/** Countries with rules of every kind. DEFAULT_COUNTRIES=all has all of them, which takes as long as a build. */
const COUNTRIES = ['AR', 'CA', 'CZ', 'FI', 'GB', 'JP', 'LV', 'NL', 'PT', 'SE']
const isWhole = process.env.DEFAULT_COUNTRIES === 'all'
const ABSENT_KEYS_PER_COUNTRY = 1400
const index = openIndex(DEFAULT_INDEX)

/** Code index of `key`, or -1. */
function find(country: Country, key: string): number {
  const symbols = Uint8Array.from(key, character => SYMBOL_OF_BYTE[character.charCodeAt(0)])
  return findCode(index.trie, country.root, symbols, 0, symbols.length)
}

/** Names the first field in which the index differs from the data, or `''`. */
function difference(country: Country, code: number, expected: CodeModel): string {
  const view = viewCode(index, country, code)
  const [place] = expected.places
  const admin = viewAdmin(index, view.admin)
  const same = (a: number, b: number) => a === b || (Number.isNaN(a) && Number.isNaN(b))
  const near = (a: number, b: number) => same(Math.round(a * 1e6), Math.round(b * 1e6))
  if (view.key !== expected.key) return 'key'
  if (view.written !== expected.written) return 'written'
  if (!near(view.lat, expected.lat) || !near(view.lon, expected.lon)) return 'position'
  if (view.timezone !== expected.timezone) return 'timezone'
  if (!same(view.elevation, expected.elevation)) return 'elevation'
  if (view.grade !== expected.grade) return 'grade'
  if (view.city !== place.name) return 'place'
  // The file has the further fields by name.
  const extra = Object.fromEntries(Object.entries(place.admin.extra).sort(([a], [b]) => (a < b ? -1 : 1)))
  return JSON.stringify(admin) === JSON.stringify({ ...emptyAdmin, ...place.admin, extra }) ? '' : 'admin'
}
const emptyAdmin = { name1: '', code1: '', name2: '', code2: '', name3: '', code3: '', extra: {} }

t.test('the default index agrees with a Map of its data, for every key and for absent keys', async t => {
  const random = seededRandom(20_261_121)
  const differences: string[] = []
  let codes = 0
  let countries = 0
  for await (const model of countryModels(isWhole ? {} : { countries: COUNTRIES })) {
    const country = countryByText(index, model.country)
    if (country === null || country === undefined) {
      t.fail(`${model.country} has data but is not in the index`)
      continue
    }
    const map = new Map(model.codes.map(code => [code.key, code]))
    for (const [key, expected] of map) {
      const code = find(country, key)
      const what = code < 0 ? 'absent' : difference(country, code, expected)
      if (what !== '') differences.push(`${model.country} ${key}: ${what}`)
    }
    t.equal(country.meta.codeCount, map.size, `${model.country} has ${map.size} codes`)
    const keys = [...map.keys()]
    const tried = new Set<string>()
    while (tried.size < ABSENT_KEYS_PER_COUNTRY) {
      const key = mutated(keys[random(keys.length)], random)
      if (map.has(key) || tried.has(key)) continue
      tried.add(key)
      if (find(country, key) >= 0) differences.push(`${model.country} ${key}: found, but not in the data`)
    }
    codes += map.size
    countries++
  }
  t.same(differences.slice(0, 20), [])
  t.equal(countries, isWhole ? countriesOf(index).length : COUNTRIES.length)
  if (isWhole) t.equal(codes, index.file.codeCount)
})

/** A key near `key`: a few characters replaced, removed or added. Nearness is what a trie could get wrong. */
function mutated(key: string, random: (below: number) => number): string {
  let near = key
  for (let edits = 1 + random(3); edits > 0; edits--) near = edited(near, random)
  return near
}

function edited(key: string, random: (below: number) => number): string {
  const at = random(key.length)
  const symbol = SYMBOLS[random(SYMBOLS.length)]
  const kind = random(3)
  if (kind === 0) return key.slice(0, at) + symbol + key.slice(at + 1)
  if (kind === 1 && key.length > 1) return key.slice(0, at) + key.slice(at + 1)
  return (key.slice(0, at) + symbol + key.slice(at)).slice(0, 10)
}
