/**
 * Other names under which city search finds a place, from the gazetteer: English, historical, other scripts.
 * All of them would be twelve megabytes, so a place gets as many as it has weight, the most useful first.
 */
import type { City } from '../../datasets/reference/cities-500.ts'
import { cityKey } from '../../src/text/city.ts'
import type { PlaceDraft } from '../rows/drafts.ts'
import { spellings } from './spellings.ts'

/** How many of the gazetteer's names a place gets, by its population at least. */
const NAMES_BY_POPULATION: readonly [population: number, names: number][] = [
  [300_000, 64],
  [100_000, 16],
  [20_000, 6],
  [0, 2],
]

/** Places with fewer names than these get their Latin ones first. */
const SCRIPTS_MIN = 16
const LATIN = /^\p{Script=Latin}/u

/** Adds to each place the names that `cityKey` does not already make equal to one that it has. Returns how many. */
export function addAliases(country: string, places: Iterable<PlaceDraft>): number {
  const chosen = new Map<City, string[]>()
  let added = 0
  for (const place of places) {
    let names: string[] = []
    if (place.city) {
      names = chosen.get(place.city) ?? chooseNames(place.city)
      chosen.set(place.city, names)
    }
    const candidates = [...place.aliases, ...spellings(country, place.name), ...names]
    if (candidates.length === 0) continue
    const keys = new Set(['', place.key])
    place.aliases = candidates.filter(name => isNew(keys, cityKey(name)))
    added += place.aliases.length
  }
  return added
}

function chooseNames(city: City): string[] {
  const most = NAMES_BY_POPULATION.find(([population]) => city.population >= population)?.[1] ?? 0
  const keys = new Set([''])
  const names = [city.name, city.asciiName, ...city.otherNames].filter(
    name => usefulness(name) > 0 && isNew(keys, cityKey(name)),
  )
  const [first, ...others] = names
  if (first === undefined) return []
  // With little room Latin names are worth more than the other scripts of a small place.
  const rank = (name: string) => (most < SCRIPTS_MIN && !LATIN.test(name) ? 0 : usefulness(name))
  return [first, ...others.sort((a, b) => rank(b) - rank(a)).slice(0, most - 1)]
}

function isNew(keys: Set<string>, key: string): boolean {
  if (keys.has(key)) return false
  keys.add(key)
  return true
}

/**
 * 0 for what nobody types: airport codes, phonetic renderings (all lower case), remarks in brackets. Other scripts come
 * first, because a place has few of each; then Latin names, the shorter ones first, which are the more common.
 */
function usefulness(name: string): number {
  if (/^[A-Z]{2,4}$|^[a-z]|[()[\]]| osh$/.test(name)) return 0
  return LATIN.test(name) ? 5 - Math.min(4, name.length / 10) : 6
}
