/** How far a city reaches, and which codes near it are those of another town. */
import type { City } from '../../datasets/reference/cities-500.ts'
import { distanceKm } from '../distance.ts'
import type { CodeDraft } from '../rows/drafts.ts'

/** GeoNames' kinds of populated places that are none of their own or no more: sections, former and ruined ones. */
export const NO_CITIES: ReadonlySet<string> = new Set(['PPLX', 'PPLH', 'PPLQ', 'PPLW', 'PPLCH'])
/** People on a square kilometre: what makes a city of 1 million a circle of 9 km. */
const DENSITY = 4000
/** The circle of a city is not smaller than this, and that of a town not smaller than the next. */
export const RADIUS_MIN_KM = 3
const TOWN_RADIUS_MIN_KM = 0.5
/** A code with a place of so many people within the circle belongs to that town. */
const OWN_TOWN_POPULATION_MIN = 1_000

/**
 * Whether one of the places of `code` is a town of another municipality than `city`, and the code lies nearer to its middle
 * than to that of `city`, measured by the size of either.
 */
export function hasOwnTown(code: CodeDraft, city: City): boolean {
  const share = kmBetween(code, city) / radiusKm(city, RADIUS_MIN_KM)
  return code.places.some(
    ({ city: other }) =>
      other &&
      other !== city &&
      isOwnTown(other, city) &&
      kmBetween(code, other) / radiusKm(other, TOWN_RADIUS_MIN_KM) < share,
  )
}

/** Whether `town` is a populated place of another municipality than `city`. */
export function isOwnTown(town: City, city: City): boolean {
  if (NO_CITIES.has(town.kind) || town.population < OWN_TOWN_POPULATION_MIN) return false
  const number = town.admin4 || town.admin3
  return number === '' || number !== (city.admin4 || city.admin3)
}

/** Radius of the circle that the people of `city` fill. */
export function radiusKm({ population }: City, minKm: number): number {
  return Math.max(minKm, Math.sqrt(population / DENSITY / Math.PI))
}

/** Whether a code lies within `km` of the city, or its position is not known. */
export function isNear(code: CodeDraft, city: City, km: number): boolean {
  return !(kmBetween(code, city) > km)
}

/** The distance of a code from the middle of a city, in km; NaN when its position is not known. */
export function kmBetween({ lat, lon }: CodeDraft, city: City): number {
  return distanceKm(lat, lon, city.lat, city.lon)
}
