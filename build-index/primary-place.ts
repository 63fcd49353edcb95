/**
 * Step 4: the one place with which a code with several is answered. In this order:
 *
 *   1. a populated place of the gazetteer that carries the name of its own municipality, province or region:
 *      `Berlin` in Berlin, `Paris` in Paris;
 *   2. any other populated place of the gazetteer, or a name that is also its area's;
 *   3. everything else: hamlets, districts, companies, buildings;
 *
 * and among equals the larger by population, then the first in the source.
 */
import { cityKey } from '../src/text/city.ts'
import { type CodeDraft, type PlaceDraft, SPOT_NUMBERS } from './drafts.ts'

/** Puts the primary place of `code` first, takes the code's position from it, and drops places that are there twice. */
export function choosePrimary(code: CodeDraft): void {
  let best = 0
  for (let i = 1; i < code.places.length; i++)
    if (weightOf(code.places[i]) > weightOf(code.places[best])) best = i
  const primary = code.places[best]
  if (code.places.length > 1) code.places = [...new Set([primary, ...code.places])]
  const at = best * SPOT_NUMBERS
  code.lat = code.spots[at]
  code.lon = code.spots[at + 1]
  code.accuracy = Number.isNaN(code.lat) ? 0 : code.spots[at + 2]
  code.spots = NO_SPOTS
}

const NO_SPOTS: number[] = []
/** More than the population of any place. */
const RANK = 1e9
const weights = new WeakMap<PlaceDraft, number>()

function weightOf(place: PlaceDraft): number {
  let weight = weights.get(place)
  if (weight === undefined) {
    weight = weigh(place)
    weights.set(place, weight)
  }
  return weight
}

function weigh({ name, admin, city }: PlaceDraft): number {
  if (name === '') return -1
  const isArea = [admin.name1, admin.name2, admin.name3].some(area => isSameCity(name, area))
  const rank = city ? (isArea ? 2 : 1) : isArea ? 1 : 0
  return rank * RANK + (city?.population ?? 0)
}

/** What administrations add to a city's name: `Berlin, Stadt`, `Stadtkreis Stuttgart`, `Chiyoda-ku`. */
const CITY_KINDS =
  /^((kreisfreie|landeshaupt|hansestadt|universitäts)?stadt(kreis)? |city of |ville de |municipality of )|(, ?.*stadt|, ?stadt| city| municipality|-(shi|ku|machi|cho|mura|son))$/i

function isSameCity(name: string, area: string): boolean {
  if (area === '') return false
  const key = cityKey(name)
  return key === cityKey(area) || key === cityKey(area.replace(CITY_KINDS, ''))
}
