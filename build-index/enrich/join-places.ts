/** Step 3: each place's entry in the gazetteer. */
import type { City } from '../../datasets/reference/cities-500.ts'
import { cityKey } from '../../src/text/city.ts'
import type { AdminModel } from '../model.ts'
import type { CodeDraft, PlaceDraft } from '../rows/drafts.ts'
import type { Gazetteer, Hint } from './gazetteer.ts'
import { bilingualHalves } from './spellings.ts'

/** Joins every place of `codes` with `gazetteer`; sets `city` to null where no entry fits. Returns how many have one. */
export function joinPlaces(codes: Iterable<CodeDraft>, gazetteer: Gazetteer): number {
  const spots = new Map<PlaceDraft, [lat: number, lon: number]>()
  for (const code of codes)
    for (let i = 0; i < code.places.length; i++) {
      // The first position will do: codes of one place lie close together.
      const known = spots.get(code.places[i])
      if (known === undefined || Number.isNaN(known[0]))
        spots.set(code.places[i], [code.latOf(i), code.lonOf(i)])
    }
  const areas = learnAreas(spots.keys(), gazetteer)
  let joined = 0
  for (const [place, [lat, lon]] of spots) {
    const hint = hintOf(place.admin, lat, lon, areas)
    place.city = findByNames(place, gazetteer, hint)
    if (place.city !== null) joined++
  }
  return joined
}

/** What a row tells about where its place is. */
export function hintOf(
  admin: AdminModel,
  lat: number,
  lon: number,
  areas?: ReadonlyMap<string, string>,
): Hint {
  const admin1 = areas?.get(admin.name1 || admin.code1) ?? ''
  return { lat, lon, admin1, codes: [admin.code3, admin.code2] }
}

/** By its name, else by one of those that its source knows. */
function findByNames({ name, key, aliases }: PlaceDraft, gazetteer: Gazetteer, hint: Hint): City | null {
  if (key === '') return null
  let city = gazetteer.find(key, hint)
  const others = [...aliases, ...bilingualHalves(name)]
  for (let i = 0; city === null && i < others.length; i++) city = gazetteer.find(cityKey(others[i]), hint)
  return city
}

/** Which of the gazetteer's level-1 areas each of the rows' is: the one in which most of its unmistakable names lie. */
export function learnAreas(places: Iterable<PlaceDraft>, gazetteer: Gazetteer): Map<string, string> {
  const votes = new Map<string, Map<string, number>>()
  for (const { key, admin } of places) {
    const area = admin.name1 || admin.code1
    const named = area === '' || key === '' ? [] : gazetteer.named(key)
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
