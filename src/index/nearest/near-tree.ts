/** A tree of the section SITE, SPOT or NEAR: that of one country. */
import type { Frame } from '../../format/near-tree.ts'

export interface NearTree {
  readonly cc: string
  readonly codeStart: number
  readonly codeCount: number
  /** Sites that it holds: in SPOT and NEAR each is a single code. */
  readonly count: number
  readonly frame: Frame
  /** Of the frame. */
  readonly south: number
  readonly west: number
  /** Millionths of a degree of a step; steps of a millionth, 0 where all codes have one latitude or longitude. */
  readonly northStep: number
  readonly eastStep: number
  readonly northSteps: number
  readonly eastSteps: number
  /** Word of the first box of each level, from the lowest, and their numbers. */
  readonly starts: readonly number[]
  readonly counts: readonly number[]
  /** Word at which the leaves begin; -1 in SPOT and NEAR, which have none. */
  readonly leavesAt: number
  /** Word at which the order of SPOT begins, and bits of an entry; 0 bits in SITE, and in NEAR, where codes keep their own order. */
  readonly orderAt: number
  readonly bits: number
}
