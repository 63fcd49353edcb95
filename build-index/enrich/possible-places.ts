/** Which places of the gazetteer a code may mean, by its own name and by those of its areas. */
import type { City } from '../../datasets/reference/cities-500.ts'
import { cityKey, cityWords, keyOfWords } from '../../src/text/city.ts'
import { distanceKm } from '../distance.ts'
import type { AdminModel } from '../model.ts'
import type { CodeDraft } from '../rows/drafts.ts'
import type { AreaExtents } from './area-extents.ts'
import type { Point } from './cell-grid.ts'
import { type Gazetteer, SAME_PLACE_KM } from './gazetteer.ts'
import { PartNames, seatName } from './part-names.ts'
import { isNotContradicted, support, type Witnesses } from './position-evidence.ts'
import type { Towns } from './towns.ts'

/** Distance of a place from a position, in km. */
export function kmTo(city: Point, lat: number, lon: number): number {
  return distanceKm(city.lat, city.lon, lat, lon)
}

/** What post offices add to the name of their town, at the end of a `cityKey`. */
const OFFICE = /(gpo|rp|cascourbano|\d{1,3})$/

export class PossiblePlaces {
  readonly #gazetteer: Gazetteer
  readonly #extents: AreaExtents
  readonly #towns: Towns
  readonly #parts: PartNames

  constructor(codes: readonly CodeDraft[], gazetteer: Gazetteer, extents: AreaExtents, towns: Towns) {
    this.#gazetteer = gazetteer
    this.#extents = extents
    this.#towns = towns
    this.#parts = new PartNames(codes)
  }

  /**
   * The one place with the name of a code's main place that is in its level-1 area: of the gazetteer, or else of the towns that sources
   * know. Null when there are more.
   */
  only({ places }: CodeDraft): Point | null {
    const [{ key, admin, city: joined }] = places
    if (key === '') return null
    const named = this.#namedLike(key)
    const [only, ...others] = named.filter(city => this.#mayHave(admin, city))
    if (only !== undefined) return others.length === 0 ? only : null
    if (joined) return this.#mayHave(admin, joined) ? joined : null
    return named.length > 0 ? null : this.#towns.only(key, admin)
  }

  /**
   * The place with the name of a code's main place that lies within `km` of a position, in the code's level-1 area; the nearest of several.
   * Null where there is none, and where one of them is as near to the code's own position.
   * @param ofPart whether a place will do whose name that of the code's begins with: `Lahore Engineering University`
   */
  near(
    { places, lat: ownLat, lon: ownLon }: CodeDraft,
    lat: number,
    lon: number,
    km: number,
    ofPart: boolean,
  ): City | null {
    const [{ key, name, admin }] = places
    const areas = this.#extents.areasOf(admin)
    let best: City | null = null
    let bestKm = km
    let named = this.#namedLike(key)
    if (ofPart && named.length === 0)
      named = beginnings(name).flatMap(beginning => this.#gazetteer.named(beginning))
    for (const city of named) {
      if (areas?.has(city.admin1) === false || this.#parts.isOfOther(admin, city)) continue
      if (kmTo(city, ownLat, ownLon) <= km) return null
      const cityKm = kmTo(city, lat, lon)
      if (cityKm <= bestKm) [best, bestKm] = [city, cityKm]
    }
    return best
  }

  /** Whether the gazetteer has a place with the very name of a code's main place. */
  hasName({ places }: CodeDraft): boolean {
    return this.#namedLike(places[0].key).length > 0
  }

  /** The place of the gazetteer that a code's names mean, of several the one with the most witnesses; null when none may be it. */
  meant({ places }: CodeDraft, witnesses: Witnesses): City | null {
    let best: City | null = null
    let bestWeight = 0
    for (const [i, place] of places.entries()) {
      const { key, admin, city: joined } = place
      const named = key === '' ? [] : this.#gazetteer.named(key)
      for (const city of joined ? [joined, ...named] : named) {
        if (!this.#mayHave(admin, city) || !isNotContradicted(city, witnesses)) continue
        // Without a witness only what the place was joined with will do, and only where it is the code's main one.
        const weight = support(city, witnesses) * 2 + (city === joined && i === 0 ? 1 : 0)
        if (weight > bestWeight || (weight > 0 && weight === bestWeight && isCloser(city, best, witnesses))) {
          best = city
          bestWeight = weight
        }
      }
      if (best !== null) return best
    }
    return best
  }

  /** The main place of the municipality in `admin`; null when nobody knows it. */
  municipality(admin: AdminModel): Point | null {
    return (
      this.#mainPlace(admin, [admin.code3, admin.code2], [admin.name3, admin.name2]) ??
      this.#town(admin, admin.name3) ??
      this.#town(admin, admin.name2)
    )
  }

  /** The place that has the name of the level-1 area of `admin`; null when there is none. */
  region(admin: AdminModel): City | null {
    return this.#mainPlace(admin, [], [admin.name1])
  }

  /** Whether a position is near the main place of the code's municipality. */
  isAtMunicipality({ places, lat, lon }: CodeDraft): boolean {
    const [{ admin }] = places
    const main = this.municipality(admin)
    return main !== null && kmTo(main, lat, lon) <= SAME_PLACE_KM
  }

  /** The largest place of the first area that the gazetteer knows by number, or by a name that is also a city's of that area. */
  #mainPlace(admin: AdminModel, codes: string[], names: string[]): City | null {
    const numbered = this.#gazetteer.numbered(codes)
    if (numbered !== null && this.#mayHave(admin, numbered)) return numbered
    const hint = { lat: Number.NaN, lon: Number.NaN, areas: this.#extents.areasOf(admin), codes: [] }
    for (const name of names) {
      if (name === '') continue
      const main =
        this.#gazetteer.find(cityKey(name), hint) ?? this.#gazetteer.find(cityKey(seatName(name)), hint)
      if (main !== null && !this.#parts.isOfOther(admin, main)) return main
    }
    return null
  }

  /** Whether the gazetteer's `city` may be meant by a code in the areas of `admin`. */
  #mayHave(admin: AdminModel, city: City): boolean {
    return this.#extents.mayHave(admin, city) && !this.#parts.isOfOther(admin, city)
  }

  /** Places of a name; of an office of the post in a town of that name, where there are none: `Kasur Gpo`, `Долинск 1`. */
  #namedLike(key: string): readonly City[] {
    if (key === '') return []
    const named = this.#gazetteer.named(key)
    return named.length > 0 || !OFFICE.test(key) ? named : this.#gazetteer.named(key.replace(OFFICE, ''))
  }

  #town(admin: AdminModel, name: string): Point | null {
    return name === '' ? null : this.#towns.only(cityKey(seatName(name)), admin)
  }
}

/** Keys of the first words of a name, without all of them. */
function beginnings(name: string): string[] {
  const words = cityWords(name)
  return words.slice(0, -1).map((_, i) => keyOfWords(words.slice(0, i + 1)))
}

function isCloser(city: City, best: City | null, { neighbours, area }: Witnesses): boolean {
  const middle = neighbours ?? area
  if (best === null || middle === null) return false
  return kmTo(city, middle.lat, middle.lon) < kmTo(best, middle.lat, middle.lon)
}
