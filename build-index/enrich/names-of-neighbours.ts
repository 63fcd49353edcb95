import type { CodeDraft, PlacePool } from '../rows/drafts.ts'

/** Minimum number of characters that a code shares with its neighbours. */
const SHARED_MIN = 3
/** Minimum number of neighbours that prove a name. */
const NEIGHBOURS_MIN = 3

interface Neighbours {
  codes: number
  /** Place of their common name; null when their names differ. */
  place: CodeDraft['places'][number] | null
}

/**
 * Gives codes without a name that of all codes that begin alike, if these agree: codes of post boxes have no name in some sources.
 * Returns the number of codes that gained a name.
 */
export function takeNamesOfNeighbours(codes: readonly CodeDraft[], pool: PlacePool): number {
  const isNameless = ({ places }: CodeDraft) => places[0].name === ''
  if (!codes.some(isNameless)) return 0
  const groups = new Map<string, Neighbours>()
  for (const { key, places } of codes) {
    const [place] = places
    if (place.name === '') continue
    for (let length = SHARED_MIN; length < key.length; length++) {
      const start = key.slice(0, length)
      const group = groups.get(start)
      if (group === undefined) groups.set(start, { codes: 1, place })
      else {
        group.codes++
        if (group.place?.name !== place.name) group.place = null
      }
    }
  }
  let gained = 0
  for (const code of codes.filter(isNameless)) {
    for (let length = code.key.length - 1; length >= SHARED_MIN && isNameless(code); length--) {
      const { codes: count, place } = groups.get(code.key.slice(0, length)) ?? { codes: 0, place: null }
      if (place === null || count < NEIGHBOURS_MIN) continue
      code.replace(0, pool.place(place.name, place.admin, []))
      code.places[0].city ??= place.city
      gained++
    }
  }
  return gained
}
