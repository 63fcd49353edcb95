import type { Source } from '../../datasets/source.ts'
import type { CodeDraft, PlacePool } from '../rows/drafts.ts'
import type { Explanation } from '../rows/explanation.ts'
import type { AreaExtents } from './area-extents.ts'
import type { Gazetteer } from './gazetteer.ts'
import type { IsoAreas } from './iso-codes.ts'

/** Country whose codes are being enriched, and the knowledge that the steps share. */
export interface CountryDraft {
  country: string
  codes: CodeDraft[]
  pool: PlacePool
  towns: ReadonlyMap<string, ReadonlySet<string>>
  gazetteer: Gazetteer
  /** Gazetteer of the country whose post serves this one; undefined for most. */
  wider?: Gazetteer
  extents: AreaExtents
  isoAreas: IsoAreas
  sources: readonly Source[]
  explanation?: Explanation
}
