/** Positions against rows of sources that did not give them. */
import { distanceKm } from '../../build-index/distance.ts'
import { normaliser } from '../../build-index/rows/normal-form.ts'
import { addTo } from '../../datasets/maps.ts'
import type { Source } from '../../datasets/source.ts'
import { type Check, Count } from './check.ts'
import type { CheckedCode } from './codes.ts'

const WITNESS_KM = 20
/** An estimate that may be further off is left out of an index. */
const ESTIMATE_KM = 30
/** A position that equals the witness's has been taken from it. */
const SAME_KM = 0.02
/** GeoNames' scale: 1 is an estimate, by its own word, and no witness. */
const ESTIMATED = 1

type Spot = readonly [lat: number, lon: number]

/**
 * Positions over 20 km from every one that `source` gives the code. Countries whose codes are those of `source` itself, or of its family,
 * are left out, and so is each position that was taken from it.
 * @param family identifiers of sources that copy each other
 */
export function against(source: Source, sourceIds: readonly string[], family: readonly string[]): Check {
  return farOff(`position over ${WITNESS_KM} km from ${source.id}`, source, sourceIds, family, WITNESS_KM)
}

/** Like `against`, of the positions that the index calls estimates. */
export function estimatesOff(source: Source, sourceIds: readonly string[], family: readonly string[]): Check {
  const name = `estimate over ${ESTIMATE_KM} km from ${source.id}`
  return farOff(name, source, sourceIds, family, ESTIMATE_KM, 'area')
}

function farOff(
  name: string,
  source: Source,
  sourceIds: readonly string[],
  family: readonly string[],
  kmMax: number,
  wanted?: CheckedCode['grade'],
): Check {
  return {
    name,
    run({ cc, country, placed }) {
      const count = new Count()
      const giver = sourceIds[country.meta.sources[0] ?? -1]
      const isKin = source.id === giver || (family.includes(source.id) && family.includes(giver))
      if (!(cc in source.countries) || isKin) return count
      const spots = spotsOf(source, cc)
      for (const { key, city, lat, lon, grade } of placed) {
        const nearest = Math.min(...(spots.get(key) ?? []).map(spot => distanceKm(lat, lon, ...spot)))
        const isNoWitness = nearest === Number.POSITIVE_INFINITY || nearest < SAME_KM
        if (isNoWitness || (wanted !== undefined && grade !== wanted)) continue
        count.add(nearest > kmMax, () => `${key} ${city} by ${Math.round(nearest)} km`)
      }
      return count
    },
  }
}

/** Positions of a source by the keys of its codes, without those that a source with a scale of accuracy calls estimates. */
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
