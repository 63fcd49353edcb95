import type { Source } from '../../datasets/source.ts'
import type { Explanation } from '../explanation.ts'
import type { CodeDraft, PlacePool } from '../rows/drafts.ts'
import { MILITARY_STATES } from '../rows/us-states.ts'
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
  extents: AreaExtents
  isoAreas: IsoAreas
  sources: readonly Source[]
  explanation?: Explanation
}

/** Returns the codes without US military post. It lies abroad, and its neighbours by code are worlds apart. */
export function codesAtHome({ country, codes }: CountryDraft): CodeDraft[] {
  return country === 'US' ? codes.filter(({ places }) => !MILITARY_STATES.has(places[0].admin.code1)) : codes
}
