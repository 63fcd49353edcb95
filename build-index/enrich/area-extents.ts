/** Where the level-1 areas of a country lie, so that a position can be told from a namesake's. */
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

type Votes = Map<string, Map<string, number>>

/** The name by which rows mean a level-1 area; `''` when they name none. */
export function areaLabel({ name1, code1 }: AdminModel): string {
  return name1 || code1
}

export class AreaExtents {
  readonly #gazetteer: Gazetteer
  /** By label: the gazetteer's areas that it stands for. */
  readonly #areas: ReadonlyMap<string, ReadonlySet<string>>
  readonly #grids = new Map<string, CellGrid<City>>()
  /** By label: what was found for positions, each rounded to a hundred metres. */
  readonly #held = new Map<string, Map<number, boolean>>()

  /**
   * Learns from the codes' positions and from names that the gazetteer has once which of its areas each label means. What most
   * codes say is sure, although many a position may be a namesake's. Costs about 2 us a position.
   */
  constructor(codes: readonly CodeDraft[], gazetteer: Gazetteer) {
    this.#gazetteer = gazetteer
    this.#areas = learn(codes, gazetteer)
  }

  /** The gazetteer's areas that `admin` stands for; undefined when that is not known. */
  areasOf(admin: AdminModel): ReadonlySet<string> | undefined {
    return this.#areas.get(areaLabel(admin))
  }

  /** Whether the gazetteer's `city` may lie in the level-1 area of `admin`. */
  mayHave(admin: AdminModel, city: City): boolean {
    return this.areasOf(admin)?.has(city.admin1) ?? true
  }

  /** Whether a position may be in the level-1 area of `admin`, or in the country where the area is not known. */
  holds(admin: AdminModel, lat: number, lon: number): boolean {
    if (Number.isNaN(lat)) return false
    if (this.#gazetteer.cities.length === 0) return true
    const label = areaLabel(admin)
    let held = this.#held.get(label)
    if (held === undefined) {
      held = new Map()
      this.#held.set(label, held)
    }
    const spot = Math.round(lat * 1000) * 1e6 + Math.round(lon * 1000)
    let found = held.get(spot)
    if (found === undefined) {
      found = this.#find(admin, lat, lon)
      held.set(spot, found)
    }
    return found
  }

  #find(admin: AdminModel, lat: number, lon: number): boolean {
    const gazetteer = this.#gazetteer
    const areas = this.areasOf(admin)
    const nearest = gazetteer.nearest(lat, lon, NEAREST_KM)
    if (areas === undefined) return nearest !== null || gazetteer.nearest(lat, lon, REMOTE_KM) !== null
    if (nearest !== null && areas.has(nearest.admin1)) return true
    const own = this.#grid(areaLabel(admin), areas)
    if (own.nearest(lat, lon, OWN_KM) !== null) return true
    if (nearest !== null) return false
    // Far from everything the area of the nearest place is the likeliest, unless the own one is about as near.
    const any = gazetteer.nearest(lat, lon, REMOTE_KM)
    if (any === null) return false
    const anyKm = distanceKm(lat, lon, any.lat, any.lon)
    return own.nearest(lat, lon, Math.min(REMOTE_KM, REMOTE_FACTOR * anyKm)) !== null
  }

  #grid(label: string, areas: ReadonlySet<string>): CellGrid<City> {
    let grid = this.#grids.get(label)
    if (grid === undefined) {
      grid = new CellGrid(this.#gazetteer.cities.filter(({ admin1 }) => areas.has(admin1)))
      this.#grids.set(label, grid)
    }
    return grid
  }
}

function learn(codes: readonly CodeDraft[], gazetteer: Gazetteer): Map<string, ReadonlySet<string>> {
  const [byName, byPosition] = [nameVotes(codes, gazetteer), positionVotes(codes, gazetteer)]
  const areas = new Map<string, ReadonlySet<string>>()
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
function nameVotes(codes: readonly CodeDraft[], gazetteer: Gazetteer): Votes {
  const votes: Votes = new Map()
  const seen = new Set<PlaceDraft>()
  for (const code of codes)
    for (const place of code.places) {
      if (seen.has(place)) continue
      seen.add(place)
      const named = place.key === '' ? [] : gazetteer.named(place.key)
      if (named.length === 1) vote(votes, areaLabel(place.admin), named[0].admin1)
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
