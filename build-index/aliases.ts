/**
 * Step 8: other names under which city search finds a place, from the gazetteer: English, historical, other scripts.
 * All of them would be twelve megabytes, so a place gets as many as it has weight, the most useful first.
 */

import type { City } from '../datasets/cities-500.ts'
import { cityKey } from '../src/text/city.ts'
import type { PlaceDraft } from './drafts.ts'

/** Population from which a place gets so many names from the gazetteer, the largest first. */
const NAMES_BY_POPULATION: readonly [population: number, names: number][] = [
  [1_000_000, 24],
  [300_000, 12],
  [100_000, 6],
  [20_000, 3],
  [0, 1],
]

/** Adds to each place the names that `cityKey` does not already make equal to one that it has. */
export function addAliases(places: Iterable<PlaceDraft>): number {
  const chosen = new Map<City, string[]>()
  let added = 0
  for (const place of places) {
    const { city } = place
    let names: string[] = []
    if (city) {
      names = chosen.get(city) ?? chooseNames(city)
      chosen.set(city, names)
    }
    const keys = new Set([cityKey(place.name)])
    const own = place.aliases
    place.aliases = []
    for (const name of [...own, ...names]) {
      const key = cityKey(name)
      if (key === '' || keys.has(key)) continue
      keys.add(key)
      place.aliases.push(name)
      added++
    }
  }
  return added
}

function chooseNames(city: City): string[] {
  const names = [city.name, city.asciiName, ...city.otherNames]
  const most = NAMES_BY_POPULATION.find(([population]) => city.population >= population)?.[1] ?? 1
  const keys = new Set<string>()
  const distinct = names.filter(name => {
    const key = cityKey(name)
    return usefulness(name) > 0 && key !== '' && !keys.has(key) && keys.add(key)
  })
  return distinct
    .map((name, i) => ({ name, rank: i === 0 ? 9 : usefulness(name) }))
    .sort((a, b) => b.rank - a.rank)
    .slice(0, most)
    .map(({ name }) => name)
}

/**
 * 0 for what nobody types: airport codes, phonetic renderings (all lower case), remarks in brackets. Names in Latin
 * letters come before those in other scripts, and among them shorter ones, which are the more common.
 */
function usefulness(name: string): number {
  if (
    /^[A-Z]{2,4}$/.test(name) ||
    (name === name.toLowerCase() && /^[a-z]/.test(name)) ||
    /[()[\]]/.test(name)
  )
    return 0
  if (/^\p{Script=Latin}/u.test(name)) return 8 - Math.min(5, name.length / 10)
  return 2
}
