/** Where towns lie that the gazetteer lacks: what the sources know of places without a postal code. */
import type { Source } from '../../datasets/source.ts'
import { cityKey } from '../../src/text/city.ts'
import { distanceKm } from '../distance.ts'
import type { AdminModel } from '../model.ts'
import type { AreaExtents } from './area-extents.ts'
import type { Point } from './cell-grid.ts'
import { SAME_PLACE_KM } from './gazetteer.ts'

export class Towns {
  readonly #byKey = new Map<string, Point[]>()
  readonly #extents: AreaExtents

  /** Reads the towns of `country` from every source that has some: about a microsecond each. */
  constructor(country: string, sources: readonly Source[], extents: AreaExtents) {
    this.#extents = extents
    for (const source of sources)
      for (const { name, lat, lon } of source.towns?.(country) ?? []) {
        const key = cityKey(name)
        const known = this.#byKey.get(key)
        if (known === undefined) this.#byKey.set(key, [{ lat, lon }])
        else known.push({ lat, lon })
      }
  }

  /** The town that `key` means in the areas of `admin`; null when there is none, or more than one. */
  only(key: string, admin: AdminModel): Point | null {
    const [first, ...others] = (this.#byKey.get(key) ?? []).filter(({ lat, lon }) =>
      this.#extents.holds(admin, lat, lon),
    )
    const isOne = others.every(({ lat, lon }) => distanceKm(lat, lon, first.lat, first.lon) <= SAME_PLACE_KM)
    return first !== undefined && isOne ? first : null
  }
}
