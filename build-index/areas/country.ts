import type { Source } from '../../datasets/source.ts'
import type { Gazetteer } from '../gazetteer/gazetteer.ts'
import type { Collected } from '../rows/collect.ts'
import type { Explanation } from '../rows/explanation.ts'
import type { AreaExtents } from './area-extents.ts'
import type { IsoAreas } from './iso-areas.ts'

/** What all steps know about a country, beside its codes. */
export interface Country extends Readonly<Omit<Collected, 'codes'>> {
  readonly gazetteer: Gazetteer
  /** Gazetteer of the country whose post serves this one; undefined for most. */
  readonly wider?: Gazetteer
  readonly extents: AreaExtents
  readonly isoAreas: IsoAreas
  readonly sources: readonly Source[]
  readonly explanation?: Explanation
}
