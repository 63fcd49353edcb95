import type { CodeDraft, PlacePool } from '../rows/drafts.ts'
import type { AreaExtents } from './area-extents.ts'
import type { Gazetteer } from './gazetteer.ts'
import type { IsoAreas } from './iso-codes.ts'

/** Country whose codes are being enriched, and the knowledge that the steps share. */
export interface CountryDraft {
  country: string
  codes: CodeDraft[]
  pool: PlacePool
  gazetteer: Gazetteer
  extents: AreaExtents
  isoAreas: IsoAreas
}
