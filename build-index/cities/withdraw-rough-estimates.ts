import type { GradedCode } from '../rows/code.ts'
import { isRough, UNPLACED } from '../rows/position.ts'

/** Removes positions that are too rough for an answer. Time zones and cities have been derived from them. */
export function withdrawRoughEstimates(codes: readonly GradedCode[]): readonly GradedCode[] {
  return codes.map(code => (isRough(code.position) ? { ...code, position: UNPLACED } : code))
}
