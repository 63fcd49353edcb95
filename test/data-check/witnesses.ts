/** Positions against rows of sources that did not give them. */
import { distanceKm } from '../../build-index/distance.ts'
import { normaliser } from '../../build-index/rows/normal-form.ts'
import type { Source } from '../../datasets/source.ts'
import { type Check, Count } from './check.ts'

const WITNESS_KM = 20
/** A position that equals the witness's has been taken from it. */
const SAME_KM = 0.02

/**
 * Positions over 20 km from every one that `source` gives the code. Countries whose codes are those of `source` itself, or of its
 * family, are left out, and so is each position that was taken from it.
 * @param family identifiers of sources that copy each other
 */
export function against(source: Source, sourceIds: readonly string[], family: readonly string[]): Check {
  return {
    name: `position over ${WITNESS_KM} km from ${source.id}`,
    run({ cc, country, placed }) {
      const count = new Count()
      const giver = sourceIds[country.meta.sources[0] ?? -1]
      if (!(cc in source.countries) || giver === source.id) return count
      if (family.includes(source.id) && family.includes(giver)) return count
      const normalise = normaliser(cc)
      const spots = new Map<string, number[]>()
      for (const { code, lat, lon, code1 } of source.rows(cc)) {
        const key = normalise(code)?.key
        if (key === undefined || Number.isNaN(lat) || (cc === 'US' && /^A[AEP]$/.test(code1))) continue
        const known = spots.get(key)
        if (known === undefined) spots.set(key, [lat, lon])
        else known.push(lat, lon)
      }
      for (const { key, city, lat, lon } of placed) {
        const known = spots.get(key) ?? []
        let nearest = Number.POSITIVE_INFINITY
        for (let i = 0; i < known.length; i += 2)
          nearest = Math.min(nearest, distanceKm(lat, lon, known[i], known[i + 1]))
        if (known.length === 0 || nearest < SAME_KM) continue
        count.add(nearest > WITNESS_KM, () => `${key} ${city} by ${Math.round(nearest)} km`)
      }
      return count
    },
  }
}
