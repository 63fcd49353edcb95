/** Fields of codes that no code should lack, or have otherwise than the others of its country. */

import { normaliser } from '../../build-index/rows/normal-form.ts'
import type { Source } from '../../datasets/source.ts'
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
