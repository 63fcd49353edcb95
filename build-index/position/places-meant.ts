/** Places that a code may mean, by its own names and the names of its areas. */
import { addTo, addToSet, getOrMake, memoised } from '../../datasets/maps.ts'
import { type City, namesOf } from '../../datasets/reference/cities-500.ts'
import { NOWHERE } from '../../datasets/row.ts'
import { areaKey } from '../../src/postal/text/area.ts'
import { cityKey, cityWords } from '../../src/postal/text/city.ts'
import type { AreaExtents } from '../areas/area-extents.ts'
import type { Country } from '../areas/country.ts'
import { kmBetween, type Point } from '../distance.ts'
import { dominant, type Gazetteer, isIn, keysOfBeginnings } from '../gazetteer/gazetteer.ts'
import { adminsOf, type Code, type Witness } from '../rows/code.ts'
import type { Areas, Place } from '../rows/places.ts'
import { NEAREST_POPULATION_MIN, SAME_PLACE_KM } from '../thresholds.ts'
import type { AreaReach } from './reach.ts'

/** Words of post offices after the name of a town: `Kasur Gpo`, `Долинск 1`. */
const OFFICE = /(gpo|rp|cascourbano|\d{1,3})$/
/** Kinds of areas that have the name of a city: `Toyota-shi`. */
const SEAT = / City$|-(shi|ku|machi|cho|mura|son)$/

/** Areas called by an adjective: `Bobrynetskyi` after Bobrynets, `БОРОВИЧСКИЙ РАЙОН` after Боровичи. */
const ADJECTIVE = /^(\p{L}{4,}?)(?:(?:[iy]v|[iy]n|an)?skyi|(?:ов|ев|ин|ен)?ский(?: район)?)$/iu
/** Maximum length of the ending of such a town: Рамен-ское. */
const ENDING_MAX = 4

export interface PlaceMeant {
  at: Witness
  /** True if the code's areas allow no other place of the name. */
  isOnly: boolean
  /** True if it lies outside the known level-2 area, or has only the first words of the name. */
  isVague: boolean
  /** True if it surely lies in the level-2 area. */
  isInLevel2: boolean
  /** True if it is large enough to have all codes of a run. */
  isCity: boolean
}

interface Municipality {
  at: Witness
  /**
   * Distance in km within which nine tenths of the level-3 area lie; undefined if `at` is the main place of level 2, because
   * the codes of that area tell.
   */
  reachKm: number | undefined
  /** True if the name of the area only begins like the town's. */
  isSeat: boolean
}

export class PlacesMeant {
  readonly #gazetteer: Gazetteer
  readonly #extents: AreaExtents
  readonly #reach: AreaReach
  /** Level-2 areas by level-1 area and key of their name. */
  readonly #named = new Map<string, Map<string, Set<string>>>()
  /** By `cityKey`. */
  readonly #towns = new Map<string, Witness[]>()
  readonly #regions = new Map<string, City | null>()

  /** Reads the towns of all sources: about a microsecond each. */
  constructor(codes: readonly Code[], { cc, gazetteer, extents, sources }: Country, reach: AreaReach) {
    this.#gazetteer = gazetteer
    this.#extents = extents
    this.#reach = reach
    for (const admin of adminsOf(codes)) {
      if (admin.name2 === '') continue
      const named = getOrMake(this.#named, admin.level1, () => new Map<string, Set<string>>())
      addToSet(named, seatKey(admin.name2), admin.level2)
    }
    for (const [rank, source] of sources.entries())
      for (const { name, lat, lon } of source.towns?.(cc) ?? [])
        addTo(this.#towns, cityKey(name), { lat, lon, source: rank })
  }

  readonly named = memoised(({ key, name, admin, city: joined }: Place): readonly PlaceMeant[] => {
    if (key === '') return []
    const { cities, isBeginning } = this.#namedLike(key, name)
    if (cities.length === 0 && !joined) {
      const town = this.#town(key, admin)
      return town === null ? [] : [this.#meant(admin, town, { isOnly: true })]
    }
    const inside = cities.filter(city => this.#mayHave(admin, city))
    const outside = cities.filter(city => !inside.includes(city) && this.#mayBeOutside(admin, city))
    const others = joined && !cities.includes(joined) && this.#mayHave(admin, joined) ? [joined] : []
    const isOnly = !isBeginning && inside.length === 1
    return [
      ...inside.map(city => this.#meant(admin, city, { isOnly, isVague: isBeginning })),
      ...outside.map(city => this.#meant(admin, city, { isVague: true })),
      ...others.map(city => this.#meant(admin, city, {})),
    ]
  })

  #meant(admin: Areas, at: Witness & Partial<City>, { isOnly = false, isVague = false }): PlaceMeant {
    const isCity = (at.population ?? 0) >= NEAREST_POPULATION_MIN
    return { at, isOnly, isVague, isInLevel2: this.#extents.isInLevel2(admin, at.lat, at.lon), isCity }
  }

  /** Returns the main place of the level-3 area in `admin`, else of the level-2 area, or null. */
  readonly municipality = memoised((admin: Areas): Municipality | null => {
    const small = this.#mainPlace(admin, [admin.code3], [admin.name3])
    const at = small ?? this.#mainPlace(admin, [admin.code2], [admin.name2])
    const smallReachKm = (at: Point | null) => (at === null ? undefined : this.#reach.ofLevel3(admin, at))
    if (at !== null) return { at, reachKm: smallReachKm(small), isSeat: false }
    const town = this.#town(seatKey(admin.name3), admin)
    const other = town ?? this.#town(seatKey(admin.name2), admin)
    if (other !== null) return { at: other, reachKm: smallReachKm(town), isSeat: false }
    const seat = this.#seat(admin)
    return (
      seat && {
        at: seat,
        reachKm: this.#reach.ofShare(admin, seat) ?? Number.POSITIVE_INFINITY,
        isSeat: true,
      }
    )
  })

  /** Returns the town after which the level-2 area is called, by the beginning of its name, or null. */
  #seat(admin: Areas): City | null {
    const [, stem] = ADJECTIVE.exec(admin.name2) ?? []
    const areas = this.#extents.areasOf(admin)
    if (stem === undefined || areas === undefined) return null
    const key = cityKey(stem)
    const isLike = (city: City) =>
      namesOf(city).some((name, i) => city.keys[i].startsWith(key) && name.length <= stem.length + ENDING_MAX)
    return dominant(this.#gazetteer.cities.filter(city => isIn(areas, city) && isLike(city)))
  }

  /** Returns the place with the name of the level-1 area, or the main one of a small country, or null. */
  region(admin: Areas): City | null {
    return getOrMake(
      this.#regions,
      admin.level1,
      () => this.#mainPlace(admin, [], [admin.name1]) ?? this.#gazetteer.main,
    )
  }

  /** Returns the largest place of the first area known by number, or by a name that is also a city's. */
  #mainPlace(admin: Areas, codes: string[], names: string[]): City | null {
    const numbered = this.#gazetteer.numbered(codes)
    if (numbered !== null && this.#mayHave(admin, numbered)) return numbered
    const hint = { ...NOWHERE, areas: this.#extents.areasOf(admin), codes: [] }
    for (const name of names) {
      if (name === '') continue
      const main = this.#gazetteer.find(cityKey(name), hint) ?? this.#gazetteer.find(seatKey(name), hint)
      if (main !== null && !this.#isOfOther(admin, main)) return main
    }
    return null
  }

  #mayHave(admin: Areas, city: City): boolean {
    return this.#extents.mayHave(admin, city) && !this.#isOfOther(admin, city)
  }

  /** Returns true if `city` lies in the level-1 area, but perhaps outside the level-2 area. */
  #mayBeOutside(admin: Areas, city: City): boolean {
    const areas = this.#extents.areasOf(admin)
    return (areas === undefined || isIn(areas, city)) && !this.#isOfOther(admin, city)
  }

  /** Returns places of a name, or of a post office's town, or else of its first words. */
  #namedLike(key: string, name: string): { cities: readonly City[]; isBeginning: boolean } {
    let cities = this.#gazetteer.named(key)
    if (cities.length === 0) cities = this.#gazetteer.named(areaKey(name))
    if (cities.length === 0 && OFFICE.test(key)) cities = this.#gazetteer.named(key.replace(OFFICE, ''))
    if (cities.length > 0) return { cities, isBeginning: false }
    const beginnings = keysOfBeginnings(cityWords(name).slice(0, -1))
    return { cities: beginnings.flatMap(beginning => this.#gazetteer.named(beginning)), isBeginning: true }
  }

  /** Returns the town that `key` means in the areas of `admin`; null for none or several. */
  #town(key: string, admin: Areas): Witness | null {
    const [first, ...others] = (this.#towns.get(key) ?? []).filter(({ lat, lon }) =>
      this.#extents.holds(admin, lat, lon),
    )
    const isOne = others.every(other => kmBetween(other, first) <= SAME_PLACE_KM)
    return first !== undefined && isOne ? first : null
  }

  /** Returns true if `city` has the name of another level-2 area: Toyota, for a quarter of Oguchi. */
  #isOfOther({ level1, level2: own }: Areas, { keys: [key, ascii] }: City): boolean {
    const named = own === '' ? undefined : this.#named.get(level1)
    return [key, ascii].some(name => {
      const areas = named?.get(name)
      return areas !== undefined && (areas.size > 1 || !areas.has(own))
    })
  }
}

function seatKey(area: string): string {
  return cityKey(area.replace(SEAT, ''))
}
