import type { Source } from '../../datasets/source.ts'
import type { Collected } from '../rows/collect.ts'
import type { Explanation } from '../rows/explanation.ts'
import type { Code } from '../rows/places.ts'
import type { RowCode } from '../rows/row-code.ts'
import type { AreaExtents } from './area-extents.ts'
import type { Gazetteer } from './gazetteer.ts'
import type { IsoAreas } from './iso-codes.ts'

/** Codes of a country in one stage of the build, and the knowledge that all stages share. */
export interface Country<C extends Code = Code> extends Omit<Collected, 'codes'> {
  codes: readonly C[]
  gazetteer: Gazetteer
  /** Gazetteer of the country whose post serves this one; undefined for most. */
  wider?: Gazetteer
  extents: AreaExtents
  isoAreas: IsoAreas
  sources: readonly Source[]
  explanation?: Explanation
}

/** Country before the first places of its codes are chosen. */
export type CountryRows = Country<RowCode>
