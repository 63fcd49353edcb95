/** Replaces positions that their areas or their neighbours by code contradict, or makes them rough. */
import { addTo, getOrMake, incrementIn, mostFrequent, sumOf } from '../../datasets/maps.ts'
import type { City } from '../../datasets/reference/cities-500.ts'
import { kmBetween, type Point } from '../distance.ts'
import type { AdminModel } from '../model.ts'
import type { CodeDraft } from '../rows/drafts.ts'
import { areaLabel, partLabel, partNumber } from './area-labels.ts'
import { CellGrid } from './cell-grid.ts'
import type { CountryDraft } from './country-draft.ts'
import type { Gazetteer } from './gazetteer.ts'
import { AT_PLACE_KM, ESTIMATED, isAtPlace } from './grade-positions.ts'
import { Middles, scattered } from './middles.ts'

/** Maximum distance from the codes of the level-2 area. */
const AREA_KM_MAX = 150
/** Maximum distance from neighbours by code. */
const NEIGHBOURS_KM_MAX = 75
/** A place of the own area within this distance is enough: borders run between villages. */
const OWN_KM = 20
/** Without a place within this distance nothing can be said. */
const NEAREST_KM = 10

/** Positions that are replaced are evidence in the next round. */
const ROUNDS = 2

/**
 * Judges estimates by each witness, and points of sources where areas and neighbours both contradict them. The
 * gazetteer's word stands.
 */
export function mendContradicted(draft: CountryDraft): void {
  for (let round = 0; round < ROUNDS; round++) mendOnce(draft)
}

function mendOnce({ codes, extents, gazetteer }: CountryDraft): void {
  const middles = new Middles(codes, extents)
  const levels = [
    outside(codes, gazetteer, areaLabel, ({ admin1 }) => admin1),
    outside(codes, gazetteer, partLabel, partNumber),
  ]
  for (const [i, code] of codes.entries()) {
    if (
      Number.isNaN(code.lat) ||
      code.reachKm === Number.POSITIVE_INFINITY ||
      code.grade === 'code' ||
      isAtPlace(code, AT_PLACE_KM)
    )
      continue
    const [{ admin }] = code.places
    const [neighbours, area] = [scattered(middles.neighbours(i)), middles.anyOfArea(code)]
    const isFar = (at: Point) => neighbours !== null && kmBetween(at, neighbours) > NEIGHBOURS_KM_MAX
    const isElsewhere = (at: Point) =>
      levels.some(isOutside => isOutside(admin, at)) || (area !== null && kmBetween(at, area) > AREA_KM_MAX)
    const [far, elsewhere] = [isFar(code), isElsewhere(code)]
    if (code.grade === 'area' ? !far && !elsewhere : !far || !elsewhere) continue
    const [better] = [neighbours, area]
      .filter(middle => middle !== null)
      .filter(middle => !isFar(middle) && !isElsewhere(middle))
      .sort((a, b) => a.reachKm() - b.reachKm())
    if (better === undefined) code.reachKm = Number.POSITIVE_INFINITY
    else code.setPosition(better.lat, better.lon, ESTIMATED, better.reachKm())
    code.grade = 'area'
  }
}

type Outside = (admin: AdminModel, at: Point) => boolean

/**
 * Returns a function that tells a position near another area and far from its own. Most codes of a label tell which
 * area of the gazetteer is its own.
 */
function outside(
  codes: readonly CodeDraft[],
  gazetteer: Gazetteer,
  labelOf: (admin: AdminModel) => string,
  areaOf: (city: City) => string,
): Outside {
  const votes = new Map<string, Map<string, number>>()
  for (const { places, lat, lon } of codes) {
    const label = labelOf(places[0].admin)
    const nearest = Number.isNaN(lat) || label === '' ? null : gazetteer.nearest(lat, lon, NEAREST_KM)
    if (nearest !== null && areaOf(nearest) !== '') incrementIn(votes, label, areaOf(nearest))
  }
  const cities = new Map<string, City[]>()
  for (const city of gazetteer.cities) addTo(cities, areaOf(city), city)
  const grids = new Map<string, CellGrid<City> | null>()
  const gridOf = (label: string) =>
    getOrMake(grids, label, () => {
      const counts = votes.get(label) ?? new Map()
      const main = mostFrequent(counts) ?? ''
      return (counts.get(main) ?? 0) > sumOf(counts) / 2 ? new CellGrid(cities.get(main) ?? []) : null
    })
  return (admin, { lat, lon }) => {
    const own = gridOf(labelOf(admin))
    if (own === null || own.nearest(lat, lon, OWN_KM) !== null) return false
    return gazetteer.nearest(lat, lon, NEAREST_KM) !== null
  }
}
