import { kmBetweenDegrees } from '../../build-index/distance.ts'
import { CellGrid } from '../../build-index/gazetteer/cell-grid.ts'
import { normaliser } from '../../build-index/rows/normal-form.ts'
import { codeAreas } from '../../datasets/reference/code-areas.ts'
import { level1Of } from '../../datasets/reference/iso-areas.ts'
import type { Source } from '../../datasets/source.ts'
import { searchCity } from '../../src/postal/index/cities/city-search.ts'
import { cityKey } from '../../src/postal/text/city.ts'
import { type Check, counting } from './check.ts'
import { groupBy } from './codes.ts'

/** Metres: the lowest and the highest inhabited place. */
const [LOWEST, HIGHEST] = [-430, 5200]

/** Finds codes without a field in countries where more than `share` of the codes have it. */
const without = (name: string, field: 'city' | 'area1' | 'area2', share: number): Check =>
  counting(name, ({ codes }, count) => {
    if (codes.filter(code => code[field] !== '').length <= codes.length * share) return
    for (const code of codes) count.add(code[field] === '', () => `${code.key} ${code.city}`)
  })

export const lacking: readonly Check[] = [
  without('code without the name of a city', 'city', -1),
  without('code without a level-1 area, in countries that have such', 'area1', 0),
  without('code without a level-2 area, in countries where most have one', 'area2', 0.5),
]

/** Places this near, and this much lower or higher, contradict an elevation. */
const [AROUND_KM, STEP_METRES] = [5, 400]

export const oddElevation = counting(
  `elevation where nobody lives, or ${STEP_METRES} m from all places around`,
  ({ codes, cities }, count) => {
    const grid = new CellGrid(cities.filter(city => !Number.isNaN(city.elevation)))
    for (const { key, city, elevation, lat, lon } of codes) {
      if (Number.isNaN(elevation)) continue
      const around = Number.isNaN(lat) ? [] : [...grid.within(lat, lon, AROUND_KM)]
      const isOdd =
        around.length > 0 && around.every(place => Math.abs(place.elevation - elevation) > STEP_METRES)
      count.add(isOdd || elevation < LOWEST || elevation > HIGHEST, () => `${key} ${city} at ${elevation} m`)
    }
  },
)

export const areaOfTwoNames = counting('level-1 area with several names', ({ codes }, count) => {
  for (const [code1, members] of groupBy(codes, ({ code1 }) => code1)) {
    const names = new Set(members.map(({ area1 }) => area1))
    count.add(names.size > 1, () => `${code1}: ${[...names].join(', ')}`)
  }
})

export const areaOfOtherDigits = counting(
  'level-1 area that the first digits contradict',
  ({ cc, codes }, count) => {
    const areas = codeAreas(cc).map(area => ({ ...area, code: level1Of(cc, area.code) }))
    const used = new Set(codes.map(({ code1 }) => code1))
    for (const { key, city, area1, code1 } of codes) {
      const told = areas.filter(({ beginning }) => beginning.test(key))
      if (!told.some(({ code }) => used.has(code))) continue
      const isTold = told.some(({ code, name }) => code === code1 || cityKey(name) === cityKey(area1))
      count.add(!isTold, () => `${key} ${city} of ${area1}, not ${told.map(({ name }) => name)}`)
    }
  },
)

/** Finds codes of `source` that the index lacks. Skips sources that only fill gaps. */
export function missingCodes(source: Source): Check {
  return counting(`code of ${source.id} that the index lacks`, ({ cc, codes }, count) => {
    if (!source.addsCodes?.includes(cc)) return
    const keys = new Set(codes.map(({ key }) => key))
    const normalise = normaliser(cc)
    const theirs = new Set(Array.from(source.rows(cc), ({ code }) => normalise(code)?.key ?? ''))
    theirs.delete('')
    for (const key of theirs) count.add(!keys.has(key), () => key)
  })
}

const ASKED_MAX = 150
/** A close match farther away is another town. */
const ANOTHER_KM = 50

export const townElsewhere = counting(
  `town answered by a close match over ${ANOTHER_KM} km away`,
  ({ index, country, cities, placed }, count) => {
    const places = new Map(placed.map(code => [code.key, code]))
    const step = Math.max(1, Math.floor(cities.length / ASKED_MAX))
    for (const town of cities.filter((_, i) => i % step === 0)) {
      const answer = searchCity(index, country, { city: town.name, state: undefined, ST: undefined })
      const near = answer?.codes.some(written => {
        const code = places.get(written.replace(/[^A-Z0-9]/g, ''))
        return code === undefined || kmBetweenDegrees(code.lat, code.lon, town.lat, town.lon) <= ANOTHER_KM
      })
      count.add(answer?.matched !== undefined && !near, () => `${town.name} gives ${answer?.matched?.city}`)
    }
  },
)

/** Estimates the number of codes of each country from the overlap of each list with GeoNames. */
export function registerLines(sources: readonly Source[], geonames: Source): string[] {
  const keysOf = (source: Source, cc: string) => {
    const normalise = normaliser(cc)
    const forms = Array.from(source.rows(cc), ({ code }) => normalise(code))
    return new Set(forms.flatMap(form => (form === null || form.kind !== '' ? [] : [form.key])))
  }
  return sources.flatMap(source =>
    Object.keys(source.countries).flatMap(cc => {
      if (source.countries[cc] !== 'full' || !(cc in geonames.countries)) return []
      const [one, other] = [keysOf(source, cc), keysOf(geonames, cc)]
      const both = [...one].filter(key => other.has(key)).length
      const expected = Math.round((one.size * other.size) / both)
      return [`${cc}: ${source.id} ${one.size}, GeoNames ${other.size}, both ${both}, expected ${expected}`]
    }),
  )
}

/** Finds level-1 areas named `Vi`, and those that have a word in capitals that others have in small letters. */
export const oddCasing = counting('level-1 area in another casing than others', ({ cc, codes }, count) => {
  const kinds = new Set(codes.map(({ area1 }) => area1.split(' ').at(-1) ?? ''))
  for (const { key, area1 } of codes) {
    const kind = area1.split(' ').slice(1).at(-1) ?? ''
    const isOdd = area1.toUpperCase() === cc || (kind !== kind.toLowerCase() && kinds.has(kind.toLowerCase()))
    if (area1 !== '') count.add(isOdd, () => `${key} in ${area1}`)
  }
})
