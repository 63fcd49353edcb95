import { addTo } from '../lists.ts'
/** Which of the cities that networks of a code are in is the one that is meant. */

/** The fields of a GeoLite2 City record that say something about a postal code. */
export interface City {
  postal?: { code: string }
  country?: { iso_code: string }
  city?: { names: Record<string, string> }
  location?: Location
  subdivisions?: Subdivision[]
}

export interface Location {
  latitude: number
  longitude: number
  time_zone?: string
}

export interface Subdivision {
  iso_code: string
  names: Record<string, string>
}

/** A city that a code may be in, and how many networks are there. */
export interface Candidate {
  city: City
  count: number
}

/** Characters by which posts number regions, in codes of up to five and in longer ones. */
const REGION_CHARACTERS = 2
const LONG_REGION_CHARACTERS = 3
const LONG_CODE = 6
/** Codes that begin alike are those of one area when there are so many, and this share of them is in it. */
const REGION_CODES_MIN = 8
const REGION_SHARE = 0.6
/** And when its codes have so many names. */
const REGION_NAMES_MIN = 3
/** A beginning that this share of a country's codes has is not a region's: those of New Caledonia and its islands all begin with 98. */
const COUNTRY_SHARE = 0.6
/** Nine in ten codes of a region lie within its radius. Borders run through regions, so only what is so many times as far is a namesake. */
const RADIUS_SHARE = 0.9
const RADIUS_FACTOR = 2
const RADIUS_MIN_DEGREES = 0.5

interface Region {
  area: string
  lat: number
  lon: number
  /** In degrees of latitude, with the margin for borders. */
  radius: number
}

/**
 * The likeliest city of each code. Networks are located by the names of cities, so San Sebastián in the Basque country may stand on an
 * island of that name. Where most codes of one beginning are in one area, those far away are such namesakes. A code that has nothing but
 * a namesake keeps no more than its number.
 */
export function* likeliest(votes: ReadonlyMap<string, ReadonlyMap<string, Candidate>>): Iterable<City> {
  const best = new Map<string, City>()
  const byRegion = new Map<string, City[]>()
  const codesOf = new Map<string, number>()
  for (const [code, cities] of votes) {
    codesOf.set(countryOf(code), (codesOf.get(countryOf(code)) ?? 0) + 1)
    const city = mostOf(cities.values())
    best.set(code, city)
    addTo(byRegion, regionOf(code), city)
  }
  const regions = new Map(
    [...byRegion].map(([beginning, cities]) => {
      const isCountry = cities.length >= (codesOf.get(countryOf(beginning)) ?? 0) * COUNTRY_SHARE
      return [beginning, isCountry ? undefined : areaOfMost(cities)]
    }),
  )
  for (const [code, city] of best) {
    const region = regions.get(regionOf(code))
    if (region === undefined || !isFarFrom(region, city)) yield city
    else {
      const near = [...(votes.get(code)?.values() ?? [])].filter(({ city }) => !isFarFrom(region, city))
      yield near.length > 0 ? mostOf(near) : { postal: city.postal, country: city.country }
    }
  }
}

function countryOf(code: string): string {
  return code.slice(0, code.indexOf('\t'))
}

function regionOf(code: string): string {
  const start = code.indexOf('\t') + 1
  return code.slice(0, start + (code.length - start < LONG_CODE ? REGION_CHARACTERS : LONG_REGION_CHARACTERS))
}

/** The level-1 area of a record by its ISO code, `''` when it has none. */
export function areaOf({ subdivisions }: City): string {
  return subdivisions?.[0]?.iso_code ?? ''
}

/** The first of those with the most networks. */
function mostOf(candidates: Iterable<Candidate>): City {
  let best: Candidate | undefined
  for (const candidate of candidates) if (candidate.count > (best?.count ?? 0)) best = candidate
  return best?.city ?? {}
}

/** The area of most cities, with the middle of those in it; undefined when they are few or in several. */
function areaOfMost(cities: readonly City[]): Region | undefined {
  if (cities.length < REGION_CODES_MIN) return undefined
  const byArea = new Map<string, City[]>()
  for (const city of cities) byArea.set(areaOf(city), [...(byArea.get(areaOf(city)) ?? []), city])
  const [area, own] = [...byArea].reduce((a, b) => (b[1].length > a[1].length ? b : a))
  if (area === '' || own.length < cities.length * REGION_SHARE) return undefined
  // A large city that stands at its namesake takes all its codes there.
  if (new Set(own.map(({ city }) => city?.names.en)).size < REGION_NAMES_MIN) return undefined
  const middle = (numbers: number[]) => numbers.sort((a, b) => a - b)[numbers.length >> 1]
  const located = own.flatMap(({ location }) => location ?? [])
  const lat = middle(located.map(({ latitude }) => latitude))
  const lon = middle(located.map(({ longitude }) => longitude))
  const degrees = located.map(location => degreesBetween(location, lat, lon)).sort((a, b) => a - b)
  const radius = Math.max(
    RADIUS_MIN_DEGREES,
    RADIUS_FACTOR * degrees[Math.floor(degrees.length * RADIUS_SHARE)],
  )
  return { area, lat, lon, radius }
}

function degreesBetween({ latitude, longitude }: Location, lat: number, lon: number): number {
  return Math.hypot(latitude - lat, (longitude - lon) * Math.cos((lat * Math.PI) / 180))
}

function isFarFrom({ lat, lon, radius }: Region, { location }: City): boolean {
  return location !== undefined && degreesBetween(location, lat, lon) > radius
}
