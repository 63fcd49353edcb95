import { featuresContaining } from '@rapideditor/country-coder'
import { kmBetweenDegrees } from '../../build-index/distance.ts'
import { CellGrid } from '../../build-index/gazetteer/cell-grid.ts'
import { membersOf } from '../../build-index/rows/postal-unions.ts'
import { addTo } from '../../datasets/maps.ts'
import { areaName } from '../../datasets/reference/area-gazetteer.ts'
import type { City } from '../../datasets/reference/cities-500.ts'
import { areaKey } from '../../src/postal/text/area.ts'
import { cityKey } from '../../src/postal/text/city.ts'
import { type Check, counting } from './check.ts'
import { type CheckedCode, groupBy, median } from './codes.ts'

/** Borders of the package are simplified, and post offices near a border serve both sides. */
const BORDER_KM = 20
/** Military post abroad. */
export const MILITARY = /^A[AEP]$/

export const inOtherCountry = counting('position in another country', ({ cc, placed }, count) => {
  const own = new Set<string | undefined>([cc, ...membersOf(cc)])
  for (const { key, city, lat, lon, code1 } of placed) {
    if (cc === 'US' && MILITARY.test(code1)) continue
    const isNear = AROUND.some(([north, east]) => {
      const around: [number, number] = [
        lon + (east * BORDER_KM) / 111 / Math.max(0.1, Math.cos((lat * Math.PI) / 180)),
        lat + (north * BORDER_KM) / 111,
      ]
      return featuresContaining(around).some(({ properties }) => own.has(properties.iso1A2))
    })
    count.add(!isNear, () => `${key} ${city} at ${lat},${lon}`)
  }
})

const AROUND: readonly (readonly [north: number, east: number])[] = [
  [0, 0],
  [0, 1],
  [0, -1],
  [1, 0],
  [-1, 0],
]

/** No border is more exact than half the distance between villages. */
const OWN_AREA_KM = 20
/** Without a closer place of any area, the position cannot be judged. */
const ANY_AREA_KM = 10

/** Minimum number of codes that identify an area of the gazetteer. */
const LEVEL2_CODES_MIN = 5

export const outsideLevel1 = outsideArea(
  'level-1',
  ({ area1 }) => area1,
  ({ admin1 }) => admin1,
)
export const outsideLevel2 = outsideArea(
  'level-2',
  ({ area2 }) => area2,
  ({ admin1, admin2 }) => (admin2 === '' ? '' : `${admin1} ${admin2}`),
  LEVEL2_CODES_MIN,
)

/** Finds positions near places of another area and far from places of their own area. */
function outsideArea(
  level: string,
  areaOf: (code: CheckedCode) => string,
  numberOf: (city: City) => string,
  codesMin = 1,
): Check {
  return counting(`position outside its ${level} area`, ({ placed, cities }, count) => {
    const all = new CellGrid(cities)
    const grids = new Map(
      [...groupBy(cities, numberOf)].map(([number, list]) => [number, new CellGrid(list)]),
    )
    for (const [area, codes] of groupBy(placed, areaOf)) {
      const own = codes.length < codesMin ? undefined : grids.get(areaOfMost(codes, all, numberOf) ?? '')
      if (own === undefined) continue
      for (const code of codes) {
        const { key, city, lat, lon } = code
        const isOutside =
          own.nearest(lat, lon, OWN_AREA_KM) === null && all.nearest(lat, lon, ANY_AREA_KM) !== null
        const problem = () => `${key} ${city} of ${area} at ${lat},${lon}`
        count.add(isOutside, problem, () => reasonOf(code, cities))
      }
    }
  })
}

/** Returns the gazetteer's area of more than half of `codes`, or undefined. */
function areaOfMost(
  codes: readonly CheckedCode[],
  all: CellGrid<City>,
  numberOf: (city: City) => string,
): string | undefined {
  const votes = new Map<string, number>()
  let placed = 0
  for (const { lat, lon } of codes) {
    const nearest = all.nearest(lat, lon, ANY_AREA_KM)
    const number = nearest === null ? '' : numberOf(nearest)
    if (number === '') continue
    placed++
    votes.set(number, (votes.get(number) ?? 0) + 1)
  }
  return [...votes].find(([, count]) => count > placed / 2)?.[0]
}

const LEVEL2_KM = 150

/** Finds positions far from the median of their level-2 area. */
export const farFromLevel2 = counting(
  `position over ${LEVEL2_KM} km from its level-2 area's median`,
  ({ placed, cities }, count) => {
    for (const [area, codes] of groupBy(placed, ({ area2 }) => area2)) {
      if (codes.length < LEVEL2_CODES_MIN) continue
      const middle = middleOf(codes)
      for (const code of codes) {
        const { key, city, lat, lon } = code
        const km = kmBetweenDegrees(lat, lon, ...middle)
        const problem = () => `${key} ${city} of ${area} by ${Math.round(km)} km`
        count.add(km > LEVEL2_KM, problem, () => reasonOf(code, cities))
      }
    }
  },
)

const CROWD_NAMES_MIN = 8

/** Finds positions that many differently named places share. */
export const onCrowdedPoint = counting(
  `position that ${CROWD_NAMES_MIN} or more names share`,
  ({ placed }, count) => {
    for (const [point, codes] of groupBy(placed, ({ lat, lon }) => `${lat},${lon}`)) {
      const isCrowd = new Set(codes.map(({ city }) => city)).size >= CROWD_NAMES_MIN
      for (const { key, city } of codes) count.add(isCrowd, () => `${key} ${city} at ${point}`)
    }
  },
)

const NAMED_KM = 30
/** Nationalities after the name of a county of CN. */
const AUTONOMOUS = /(?<=^\S+) .*Autonomous.*$/

type Find = (name: string) => readonly City[] | undefined

/** Finds codes without a position near the place of their name in their level-2 area, where both have the gazetteer's name. */
export const farFromNamesake = farFromName(
  'level-2',
  ({ area2 }) => area2,
  ({ city }, find) => find(cityKey(city)) ?? find(areaKey(city)) ?? [],
)

/** Finds codes that are near no place of their name in their level-1 area, where the gazetteer has one: counties of CN. */
export const farFromItsName = farFromName(
  'level-1',
  ({ area1 }) => area1,
  ({ city }, find) =>
    [cityKey(city), areaKey(city), cityKey(city.replace(AUTONOMOUS, ''))].flatMap(name => find(name) ?? []),
)

function farFromName(
  level: 'level-1' | 'level-2',
  areaOf: (code: CheckedCode) => string,
  placesOf: (code: CheckedCode, find: Find) => readonly City[],
) {
  return counting(
    `over ${NAMED_KM} km from its name's place in its ${level} area, or nowhere`,
    ({ cc, codes, cities }, count) => {
      const named = new Map<string, City[]>()
      for (const city of cities) {
        const area = areaKey(areaName(cc, city.admin1, level === 'level-1' ? undefined : city.admin2))
        for (const name of new Set([city.name, city.asciiName, ...city.otherNames].map(cityKey)))
          if (area !== '') addTo(named, `${area} ${name}`, city)
      }
      for (const code of codes) {
        const { key, city, lat, lon } = code
        const area = areaOf(code)
        const own = areaKey(area.slice(level === 'level-1' ? 0 : area.indexOf(' / ') + 3))
        const places = placesOf(code, name => named.get(`${own} ${name}`))
        if (places.length === 0) continue
        const km = Math.min(...places.map(place => kmBetweenDegrees(lat, lon, place.lat, place.lon)))
        count.add(!(km <= NAMED_KM), () => `${key} ${city} of ${area} by ${Math.round(km)} km`)
      }
    },
  )
}

const IN_TOWN_KM = 1

/** Finds codes in a town of their name whose level-2 area is another one of the gazetteer. */
export const areaOfOtherTown = counting(
  'level-2 area that its town is not in',
  ({ cc, placed, cities }, count) => {
    const towns = new CellGrid(cities)
    const areaOf = ({ admin1, admin2 }: City) => areaKey(areaName(cc, admin1, admin2))
    const areas = new Set(cities.map(areaOf))
    for (const { key, city, area2, lat, lon } of placed) {
      const own = areaKey(area2.slice(area2.indexOf(' / ') + 3))
      const town = towns.nearest(lat, lon, IN_TOWN_KM)
      if (own === '' || !areas.has(own) || town === null || cityKey(town.name) !== cityKey(city)) continue
      // A capital that is several areas lies in none of them.
      if (areaOf(town) !== '') count.add(areaOf(town) !== own, () => `${key} ${city} in ${area2}`)
    }
  },
)

const NEIGHBOURS = 4
const NEIGHBOUR_KM = 80
/** Half of the neighbours must lie this close to their middle. */
const SPREAD_KM = 25

/** Finds positions far from the four codes before and after, if those lie close together. */
export const farFromNeighbours = counting(
  `position over ${NEIGHBOUR_KM} km from its neighbours by code`,
  ({ cc, placed, cities }, count) => {
    placed.forEach((code, at) => {
      const { key, city, lat, lon, area1, code1 } = code
      if (cc === 'US' && MILITARY.test(code1)) return
      const around = [
        ...placed.slice(Math.max(0, at - NEIGHBOURS), at),
        ...placed.slice(at + 1, at + 1 + NEIGHBOURS),
      ]
      const near = around.filter(other => other.area1 === area1)
      if (near.length < NEIGHBOURS) return
      const middle = middleOf(near)
      const spread = median(near.map(other => kmBetweenDegrees(other.lat, other.lon, ...middle)))
      if (spread > SPREAD_KM) return
      const km = kmBetweenDegrees(lat, lon, ...middle)
      const problem = () => `${key} ${city} by ${Math.round(km)} km`
      count.add(km > NEIGHBOUR_KM, problem, () => reasonOf(code, cities))
    })
  },
)

/** A closer place with the code's name proves the position. */
const SAME_PLACE_KM = 5

/** Names the place at a position. Then the area or the order of codes is unusual. */
function reasonOf({ city, lat, lon, grade }: CheckedCode, cities: readonly City[]): string {
  const key = cityKey(city)
  const isNamed = (other: City) =>
    kmBetweenDegrees(lat, lon, other.lat, other.lon) <= SAME_PLACE_KM &&
    [other.name, other.asciiName, ...other.otherNames].some(name => cityKey(name) === key)
  if (cities.some(isNamed)) return 'the gazetteer has the place there'
  if (grade === 'code') return "the source has the code's own point there"
  return grade === 'place' ? 'the source has the place there, the gazetteer lacks it' : 'an estimate'
}

function middleOf(codes: readonly CheckedCode[]): [lat: number, lon: number] {
  return [median(codes.map(({ lat }) => lat)), median(codes.map(({ lon }) => lon))]
}
