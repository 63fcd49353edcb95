/** Fields of codes that no code should lack, or have otherwise than the others of its country. */

import { distanceKm } from '../../build-index/distance.ts'
import { normaliser } from '../../build-index/rows/normal-form.ts'
import type { Source } from '../../datasets/source.ts'
import { searchCity } from '../../src/index/cities/city-search.ts'
import { type Check, Count } from './check.ts'
import { groupBy } from './codes.ts'

/** The lowest and the highest place where people live, in metres. */
const [LOWEST, HIGHEST] = [-430, 5200]

export const withoutCity: Check = {
  name: 'code without the name of a city',
  run({ codes }) {
    const count = new Count()
    for (const { key, city } of codes) count.add(city === '', () => key)
    return count
  },
}

export const withoutArea: Check = {
  name: 'code without a level-1 area, in countries that have such',
  run({ codes }) {
    const count = new Count()
    if (codes.every(({ area1 }) => area1 === '')) return count
    for (const { key, city, area1 } of codes) count.add(area1 === '', () => `${key} ${city}`)
    return count
  },
}

export const oddElevation: Check = {
  name: 'elevation where nobody lives',
  run({ codes }) {
    const count = new Count()
    for (const { key, elevation } of codes) {
      if (Number.isNaN(elevation)) continue
      count.add(elevation < LOWEST || elevation > HIGHEST, () => `${key} at ${elevation} m`)
    }
    return count
  },
}

export const areaOfTwoNames: Check = {
  name: 'level-1 area with several names',
  run({ codes }) {
    const count = new Count()
    for (const [code1, members] of groupBy(codes, ({ code1 }) => code1)) {
      const names = new Set(members.map(({ area1 }) => area1))
      count.add(names.size > 1, () => `${code1}: ${[...names].join(', ')}`)
    }
    return count
  },
}

/** Codes of `source` that the index lacks. Those of a source that only fills gaps are not vouched for by it. */
export function lacking(source: Source): Check {
  return {
    name: `code of ${source.id} that the index lacks`,
    run({ cc, codes }) {
      const count = new Count()
      if (!source.addsCodes?.includes(cc)) return count
      const keys = new Set(codes.map(({ key }) => key))
      const normalise = normaliser(cc)
      const theirs = new Set(Array.from(source.rows(cc), ({ code }) => normalise(code)?.key ?? ''))
      theirs.delete('')
      for (const key of theirs) count.add(!keys.has(key), () => key)
      return count
    },
  }
}

/** Towns of a country that are asked for, at most. */
const ASKED_MAX = 150
/** A close match further away is another town. */
const ANOTHER_KM = 50

export const townElsewhere: Check = {
  name: `town answered by a close match over ${ANOTHER_KM} km away`,
  run({ index, country, cities, placed }) {
    const count = new Count()
    const places = new Map(placed.map(code => [code.key, code]))
    const step = Math.max(1, Math.floor(cities.length / ASKED_MAX))
    for (const town of cities.filter((_, i) => i % step === 0)) {
      const answer = searchCity(index, country, { city: town.name, state: undefined, ST: undefined })
      const near = answer?.codes.some(written => {
        const code = places.get(written.replace(/[^A-Z0-9]/g, ''))
        return code === undefined || distanceKm(code.lat, code.lon, town.lat, town.lon) <= ANOTHER_KM
      })
      count.add(answer?.matched !== undefined && !near, () => `${town.name} gives ${answer?.matched?.city}`)
    }
    return count
  },
}

/** For a list of each country and GeoNames: how many codes they have, how many both, and how many that lets expect. */
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
