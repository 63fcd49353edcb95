/** Step 3: each place's entry in the gazetteer. */
import type { City } from '../datasets/cities-500.ts'
import { type CodeDraft, type PlaceDraft, SPOT_NUMBERS } from './drafts.ts'
import type { Gazetteer, Hint } from './gazetteer.ts'

/** Joins every place of `codes` with `gazetteer`; sets `city` to null where no entry fits. Returns how many have one. */
export function joinPlaces(codes: Iterable<CodeDraft>, gazetteer: Gazetteer): number {
  const spots = new Map<PlaceDraft, [lat: number, lon: number]>()
  for (const { places, spots: numbers } of codes)
    places.forEach((place, i) => {
      const at = i * SPOT_NUMBERS
      // The first position will do: codes of one place lie close together.
      if (!spots.has(place) || Number.isNaN(spots.get(place)?.[0]))
        spots.set(place, [numbers[at], numbers[at + 1]])
    })
  const areas = learnAreas(spots.keys(), gazetteer)
  let joined = 0
  for (const [place, [lat, lon]] of spots) {
    const { name1, code1, code2, code3 } = place.admin
    const hint: Hint = { lat, lon, admin1: areas.get(name1 || code1) ?? '', codes: [code3, code2] }
    const city = findByNames(place, gazetteer, hint)
    place.city = city === null || city.kind === SECTION ? (joinWhole(place, gazetteer, hint) ?? city) : city
    if (place.city !== null) joined++
  }
  return joined
}

/** By its name, else by one of those that its source knows. */
function findByNames({ name, aliases }: PlaceDraft, gazetteer: Gazetteer, hint: Hint): City | null {
  if (name === '') return null
  let city = gazetteer.find(name, hint)
  for (let i = 0; city === null && i < aliases.length; i++) city = gazetteer.find(aliases[i], hint)
  return city
}

/** Which of the gazetteer's level-1 areas each of the rows' is: the one in which most of its unmistakable names lie. */
function learnAreas(places: Iterable<PlaceDraft>, gazetteer: Gazetteer): Map<string, string> {
  const votes = new Map<string, Map<string, number>>()
  for (const { name, admin } of places) {
    const area = admin.name1 || admin.code1
    const named = area === '' || name === '' ? [] : gazetteer.named(name)
    if (named.length !== 1) continue
    const [{ admin1 }] = named
    const counts = votes.get(area) ?? new Map<string, number>()
    counts.set(admin1, (counts.get(admin1) ?? 0) + 1)
    votes.set(area, counts)
  }
  return new Map(
    [...votes].map(([area, counts]) => [area, [...counts].reduce((a, b) => (b[1] > a[1] ? b : a))[0]]),
  )
}

/** GeoNames' code of a section of a populated place: the gazetteer knows some arrondissements by name. */
const SECTION = 'PPLX'
/** What makes a part of a city out of its name: `Paris 01`, `Praha XII`, `New Delhi G.P.O.`. */
const PART = /^(.{3,}?)[ -]+(\d{1,2}|[IVX]{1,5}|[GHS]\.? ?(P\.? ?)?O\.?)$/
/** A smaller place has no numbered parts; there the number belongs to the name. */
const PARTED_POPULATION_MIN = 15_000

/**
 * A numbered part of a city becomes the city, and keeps its own name as another one: people ask for `Paris` and expect it
 * back, but `Paris 01` must be found too.
 */
function joinWhole(place: PlaceDraft, gazetteer: Gazetteer, hint: Hint): City | null {
  const [, whole] = PART.exec(place.name) ?? []
  const city = whole === undefined ? null : gazetteer.find(whole, hint)
  if (city === null || city.population < PARTED_POPULATION_MIN) return null
  place.aliases.unshift(place.name)
  place.name = whole
  return city
}
