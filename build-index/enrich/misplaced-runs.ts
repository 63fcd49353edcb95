/** Codes next to each other that have one place, and all of them the position of a namesake: they vouch for each other, and no one else does. */
import type { CodeDraft } from '../rows/drafts.ts'
import { partLabel } from './area-labels.ts'
import type { Point } from './cell-grid.ts'
import { kmTo } from './possible-places.ts'

/** Codes on both sides say where a run lies when they are this near to each other. */
const SIDES_KM = 30
/** And from both it is this far away where it is a namesake's. */
const FAR_KM = 45
/** Characters that keys of one region have in common, of keys of up to `SHORT_KEY` and of longer ones. */
const SHARED = 2
const LONG_SHARED = 3
const SHORT_KEY = 5

/**
 * The codes of such runs, with the position that is not theirs.
 * @param codes in the order of keys
 * @param isNamed whether a code has its position by its name alone
 */
export function misplacedRuns(
  codes: readonly CodeDraft[],
  isNamed: (code: CodeDraft) => boolean,
): Map<CodeDraft, Point> {
  const misplaced = new Map<CodeDraft, Point>()
  for (let start = 0, end = 0; start < codes.length; start = end) {
    const first = codes[start]
    while (end < codes.length && isSamePlace(first, codes[end])) end++
    if (!isNamed(first)) continue
    const [before, after] = [placedBy(codes, start, -1), placedBy(codes, end - 1, 1)]
    if (before === null || after === null || kmTo(before, after.lat, after.lon) > SIDES_KM) continue
    for (let i = start; i < end; i++) {
      const { lat, lon } = codes[i]
      if (isNamed(codes[i]) && kmTo(before, lat, lon) > FAR_KM && kmTo(after, lat, lon) > FAR_KM)
        misplaced.set(codes[i], { lat, lon })
    }
  }
  return misplaced
}

function isSamePlace({ places: [a] }: CodeDraft, { places: [b] }: CodeDraft): boolean {
  return a === b || (a.key === b.key && partLabel(a.admin) === partLabel(b.admin))
}

/** The next code in a direction, of another place in the same region, with a position; null where the next ones have none. */
function placedBy(codes: readonly CodeDraft[], from: number, step: 1 | -1): CodeDraft | null {
  const { key } = codes[from]
  const region = key.slice(0, key.length <= SHORT_KEY ? SHARED : LONG_SHARED)
  for (let i = from + step; codes[i]?.key.startsWith(region); i += step)
    if (!Number.isNaN(codes[i].lat)) return codes[i]
  return null
}
