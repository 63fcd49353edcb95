/** Where the areas of a country lie, so that a position can be told from a namesake's. */
import type { City } from '../../datasets/reference/cities-500.ts'
import { distanceKm } from '../distance.ts'
import type { AdminModel } from '../model.ts'
import type { CodeDraft, PlaceDraft } from '../rows/drafts.ts'
import { CellGrid } from './cell-grid.ts'
import type { Gazetteer } from './gazetteer.ts'

/** The gazetteer's nearest place within this distance says in which of its areas a position lies. */
const NEAREST_KM = 10
/** A place of the own area this near is enough: a border runs between villages, not through them. */
const OWN_KM = 20
/** Where nobody lives near, the own area's places may be this far. */
const REMOTE_KM = 300
/** And so many times as far as the nearest of all. */
const REMOTE_FACTOR = 2.5
/** Positions that vote on where the areas of a country lie; of a larger country evenly spread ones do. */
const VOTES_MAX = 40_000
/** Share of the names and of the positions of an area that a further area of the gazetteer must have to be a part of it. */
const PART_SHARE = 0.25
/** Share of the positions in one area of the gazetteer from which on the only label of a country may mean just that area. */
const ONLY_SHARE = 0.65

/** The share of the places of an area that an estimate for it has to reach. */
const REACH_SHARE = 0.9

/** Names that the gazetteer has once, of a level-2 area, from which on they say where it lies; and the share that must agree. */
const PART_NAMES_MIN = 3
const PART_NAMES_SHARE = 0.7

type Votes = Map<string, Map<string, number>>
/** What the gazetteer calls an area: its number of level 1, and of level 2 after a tab. */
type Numbers = ReadonlySet<string>

/** The name by which rows mean a level-1 area; `''` when they name none. */
export function areaLabel({ name1, code1 }: AdminModel): string {
  return name1 || code1
}

/** The same for its level-2 area; `''` when they name none. */
export function partLabel(admin: AdminModel): string {
  let label = partLabels.get(admin)
  if (label === undefined) {
    const part = admin.name2 || admin.code2
    label = part === '' ? '' : `${areaLabel(admin)}\t${part}`
    partLabels.set(admin, label)
  }
  return label
}

const partLabels = new WeakMap<AdminModel, string>()

export class AreaExtents {
  readonly #gazetteer: Gazetteer
  /** By label: the gazetteer's level-1 areas that it stands for. */
  readonly #areas: ReadonlyMap<string, Numbers>
  /** By label of a level-2 area: the gazetteer's level-2 areas. */
  readonly #parts: ReadonlyMap<string, Numbers>
  readonly #grids = new Map<string, CellGrid<City>>()
  #cities: Map<string, City[]> | undefined
  /** By label: what was found for positions, each rounded to a hundred metres. */
  readonly #held = new Map<string, Map<number, boolean>>()
  readonly #labels = new Map<AdminModel, string>()

  /**
   * Learns from the codes' positions and from names that the gazetteer has once which of its areas each label means. What most
   * codes say is sure, although many a position may be a namesake's. Costs about 2 us a position.
   */
  constructor(codes: readonly CodeDraft[], gazetteer: Gazetteer) {
    this.#gazetteer = gazetteer
    const byName = nameVotes(codes, gazetteer, areaLabel, ({ admin1 }) => admin1)
    this.#areas = learn(byName, positionVotes(codes, gazetteer))
    this.#parts = learnParts(nameVotes(codes, gazetteer, partLabel, numbersOf))
  }

  /** The gazetteer's level-1 areas that `admin` stands for; undefined when that is not known. */
  areasOf(admin: AdminModel): Numbers | undefined {
    return this.#areas.get(areaLabel(admin))
  }

  /**
   * Whether the gazetteer's `city` may lie in the level-2 area of `admin` where that is known, or else in its level-1 area. The smaller
   * area decides, because sources that name both keep the larger one from before a reform.
   */
  mayHave(admin: AdminModel, city: City): boolean {
    const part = this.#parts.get(partLabel(admin))
    return part?.has(numbersOf(city)) ?? this.areasOf(admin)?.has(city.admin1) ?? true
  }

  /** Whether it is known where the level-2 area of `admin` lies. */
  knowsPart(admin: AdminModel): boolean {
    return this.#parts.has(partLabel(admin))
  }

  /** The gazetteer's places in the level-2 area of `admin`, by their names or its number; none where it is not known which they are. */
  placesOfPart(admin: AdminModel): readonly City[] {
    this.#cities ??= citiesByArea(this.#gazetteer.cities)
    const numbered = Array.from(this.areasOf(admin) ?? [], area => `${area}\t${admin.code2}`)
    const parts = this.#parts.get(partLabel(admin)) ?? (admin.code2 === '' ? [] : numbered)
    return [...parts].flatMap(part => this.#cities?.get(part) ?? [])
  }

  /** How far most of the places in the level-1 area of `admin` lie from `middle`, in km; infinite where it is not known which they are. */
  reachKm(admin: AdminModel, middle: { lat: number; lon: number }): number {
    const areas = this.areasOf(admin)
    this.#cities ??= citiesByArea(this.#gazetteer.cities)
    const places =
      areas === undefined ? this.#gazetteer.cities : [...areas].flatMap(area => this.#cities?.get(area) ?? [])
    const km = Float64Array.from(places, city =>
      distanceKm(city.lat, city.lon, middle.lat, middle.lon),
    ).sort()
    return km.length === 0 ? Number.POSITIVE_INFINITY : km[Math.floor(km.length * REACH_SHARE)]
  }

  /** Whether a position may be in the smallest area of `admin` that is known, or in the country where none is. */
  holds(admin: AdminModel, lat: number, lon: number): boolean {
    if (Number.isNaN(lat)) return false
    if (this.#gazetteer.cities.length === 0) return true
    const label = this.#knownLabel(admin)
    let held = this.#held.get(label)
    if (held === undefined) {
      held = new Map()
      this.#held.set(label, held)
    }
    const spot = Math.round(lat * 1000) * 1e6 + Math.round(lon * 1000)
    let found = held.get(spot)
    if (found === undefined) {
      found = this.#find(admin, label, lat, lon)
      held.set(spot, found)
    }
    return found
  }

  /** The gazetteer's place nearest to a position, of those in the level-1 area of `admin` where that is known; null when none is in reach. */
  nearest(admin: AdminModel, lat: number, lon: number, maxKm: number): City | null {
    const areas = this.areasOf(admin)
    return areas === undefined
      ? this.#gazetteer.nearest(lat, lon, maxKm)
      : this.#grid(areaLabel(admin), areas).nearest(lat, lon, maxKm)
  }

  /** The label of the smallest area that is known; that of level 1 when none is. */
  #knownLabel(admin: AdminModel): string {
    let label = this.#labels.get(admin)
    if (label === undefined) {
      const part = partLabel(admin)
      label = this.#parts.has(part) ? part : areaLabel(admin)
      this.#labels.set(admin, label)
    }
    return label
  }

  #find(admin: AdminModel, label: string, lat: number, lon: number): boolean {
    const gazetteer = this.#gazetteer
    const nearest = gazetteer.nearest(lat, lon, NEAREST_KM)
    const areas = this.#parts.get(label) ?? this.#areas.get(label)
    if (areas === undefined) return nearest !== null || gazetteer.nearest(lat, lon, REMOTE_KM) !== null
    if (nearest !== null && this.mayHave(admin, nearest)) return true
    const own = this.#grid(label, areas)
    if (own.nearest(lat, lon, OWN_KM) !== null) return true
    if (nearest !== null) return false
    // Far from everything the area of the nearest place is the likeliest, unless the own one is about as near.
    const any = gazetteer.nearest(lat, lon, REMOTE_KM)
    if (any === null) return false
    const anyKm = distanceKm(lat, lon, any.lat, any.lon)
    return own.nearest(lat, lon, Math.min(REMOTE_KM, REMOTE_FACTOR * anyKm)) !== null
  }

  #grid(label: string, areas: Numbers): CellGrid<City> {
    let grid = this.#grids.get(label)
    if (grid === undefined) {
      this.#cities ??= citiesByArea(this.#gazetteer.cities)
      grid = new CellGrid([...areas].flatMap(area => this.#cities?.get(area) ?? []))
      this.#grids.set(label, grid)
    }
    return grid
  }
}

function numbersOf({ admin1, admin2 }: City): string {
  return admin2 === '' ? '' : `${admin1}\t${admin2}`
}

/** Cities by the numbers of their level-1 and of their level-2 area. */
function citiesByArea(cities: readonly City[]): Map<string, City[]> {
  const byArea = new Map<string, City[]>()
  for (const city of cities)
    for (const area of [city.admin1, numbersOf(city)]) {
      const known = byArea.get(area)
      if (known === undefined) byArea.set(area, [city])
      else known.push(city)
    }
  return byArea
}

/** Level-2 areas for which enough names speak, and nearly all for one area of the gazetteer. */
function learnParts(byName: Votes): Map<string, Numbers> {
  const parts = new Map<string, Numbers>()
  for (const [label, counts] of byName) {
    let [main, most, all] = ['', 0, 0]
    for (const [area, count] of counts) {
      all += count
      if (count > most) [main, most] = [area, count]
    }
    if (most < PART_NAMES_MIN || most < all * PART_NAMES_SHARE) continue
    // A second area with several names is a part of it too: the label is that of a larger district of before.
    const others = [...counts].filter(([, count]) => count >= PART_NAMES_MIN).map(([area]) => area)
    parts.set(label, new Set([main, ...others]))
  }
  return parts
}

function learn(byName: Votes, byPosition: Votes): Map<string, Numbers> {
  const areas = new Map<string, Numbers>()
  const labels = new Set([...byName.keys(), ...byPosition.keys()])
  for (const label of labels) {
    const [names, positions] = [sharesOf(byName.get(label)), sharesOf(byPosition.get(label))]
    const known = positions.size > 0 ? positions : names
    const [main] = [...known].reduce((a, b) => (b[1] > a[1] ? b : a))
    // Where names and positions contradict each other, neither is believed.
    if ((known.get(main) ?? 0) <= 0.5 && !isMost(names, main)) continue
    // A single label with places in several areas means the whole country, as that of Åland does.
    if (labels.size === 1 && (known.get(main) ?? 0) < ONLY_SHARE) continue
    const isPart = (area: string) =>
      (names.get(area) ?? 0) >= PART_SHARE && (positions.get(area) ?? 0) >= PART_SHARE
    areas.set(label, new Set([main, ...[...known.keys()].filter(isPart)]))
  }
  return areas
}

/** Whether no other area has more of the votes. */
function isMost(shares: ReadonlyMap<string, number>, area: string): boolean {
  return shares.has(area) && Math.max(...shares.values()) === shares.get(area)
}

/** Names that only one place of the gazetteer has, each place of the rows once. */
function nameVotes(
  codes: readonly CodeDraft[],
  gazetteer: Gazetteer,
  labelOf: (admin: AdminModel) => string,
  areaOf: (city: City) => string,
): Votes {
  const votes: Votes = new Map()
  const seen = new Set<PlaceDraft>()
  for (const code of codes)
    for (const place of code.places) {
      if (seen.has(place)) continue
      seen.add(place)
      const named = place.key === '' ? [] : gazetteer.named(place.key)
      if (named.length === 1) vote(votes, labelOf(place.admin), areaOf(named[0]))
    }
  return votes
}

function positionVotes(codes: readonly CodeDraft[], gazetteer: Gazetteer): Votes {
  const votes: Votes = new Map()
  const step = Math.ceil(codes.length / VOTES_MAX)
  for (let at = 0; at < codes.length; at += step) {
    const { places, lat, lon } = codes[at]
    if (Number.isNaN(lat)) continue
    const nearest = gazetteer.nearest(lat, lon, NEAREST_KM)
    if (nearest !== null) vote(votes, areaLabel(places[0].admin), nearest.admin1)
  }
  return votes
}

function vote(votes: Votes, label: string, area: string): void {
  if (label === '' || area === '') return
  let counts = votes.get(label)
  if (counts === undefined) {
    counts = new Map()
    votes.set(label, counts)
  }
  counts.set(area, (counts.get(area) ?? 0) + 1)
}

function sharesOf(counts: ReadonlyMap<string, number> = new Map()): Map<string, number> {
  const all = [...counts.values()].reduce((sum, count) => sum + count, 0)
  return new Map([...counts].map(([area, count]) => [area, count / all]))
}
