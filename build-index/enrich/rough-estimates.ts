/** Estimates that say too little: a position that may be off by more than an hour's drive is none. */
import type { CodeDraft } from '../rows/drafts.ts'

/** How far from an estimate the code may lie, in km, for the estimate to be kept. */
const REACH_MAX_KM = 30

/** Whether the position of a code is an estimate that may be too far off to be given. */
export function isRough({ reachKm }: CodeDraft): boolean {
  return reachKm > REACH_MAX_KM
}

/**
 * Leaves out the positions that are too rough. It comes last, because the time zone of a region, and the city that its codes belong to,
 * follow from them all the same. Returns how many.
 */
export function withdrawRoughEstimates(codes: readonly CodeDraft[]): number {
  let withdrawn = 0
  for (const code of codes) {
    if (!isRough(code)) continue
    code.setPosition(Number.NaN, Number.NaN, 0)
    code.grade = ''
    withdrawn++
  }
  return withdrawn
}
