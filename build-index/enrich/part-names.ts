/** Level-2 areas by their names: a place that is called like one of them is that one's, and not one of the next area's. */
import type { City } from '../../datasets/reference/cities-500.ts'
import { cityKey } from '../../src/text/city.ts'
import type { AdminModel } from '../model.ts'
import type { CodeDraft } from '../rows/drafts.ts'
import { areaLabel, partLabel } from './area-labels.ts'

/** What administrations add to the name of a city that gives a municipality its name. */
const MUNICIPALITY = / City$|-(shi|ku|machi|cho|mura|son)$/

/** The name of the city that an area is called by: `Toyota` of `Toyota-shi`. */
export function seatName(area: string): string {
  return area.replace(MUNICIPALITY, '')
}

export class PartNames {
  /** By level-1 area and key of a name: the level-2 areas that are called so. */
  readonly #parts = new Map<string, Set<string>>()

  constructor(codes: readonly CodeDraft[]) {
    const seen = new Set<AdminModel>()
    for (const { places } of codes)
      for (const { admin } of places) {
        if (seen.has(admin) || admin.name2 === '') continue
        seen.add(admin)
        const name = `${areaLabel(admin)}\t${cityKey(seatName(admin.name2))}`
        const parts = this.#parts.get(name)
        if (parts === undefined) this.#parts.set(name, new Set([partLabel(admin)]))
        else parts.add(partLabel(admin))
      }
  }

  /**
   * Whether `city` is called like a level-2 area next to that of `admin`, in the same level-1 area: the city of Toyota for a code of
   * Oguchi that has a quarter of that name, or the city of Fuchu for a code of the town of Fuchu.
   */
  isOfOther(admin: AdminModel, { name, asciiName }: City): boolean {
    const own = partLabel(admin)
    if (own === '') return false
    for (const key of new Set([cityKey(name), cityKey(asciiName)])) {
      const parts = this.#parts.get(`${areaLabel(admin)}\t${key}`)
      if (parts !== undefined && (parts.size > 1 || !parts.has(own))) return true
    }
    return false
  }
}
