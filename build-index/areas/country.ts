import type { Source } from '../../datasets/source.ts'
import type { Gazetteer } from '../gazetteer/gazetteer.ts'
import type { Code } from '../rows/code.ts'
import type { Collected } from '../rows/collect.ts'
import type { Explanation } from '../rows/explanation.ts'
import { MILITARY_STATES } from '../rows/us-states.ts'
import type { AreaExtents } from './area-extents.ts'
import type { IsoAreas } from './iso-areas.ts'

/** Codes of a country, and the knowledge that all steps share. */
export interface CountryDraft extends Omit<Collected, 'codes'> {
  /** In the order of rows until the first places are chosen, then ascending. */
  codes: readonly Code[]
  gazetteer: Gazetteer
  /** Gazetteer of the country whose post serves this one; undefined for most. */
  wider?: Gazetteer
  extents: AreaExtents
  isoAreas: IsoAreas
  sources: readonly Source[]
  explanation?: Explanation
}

/** Returns a country without US military post, which lies abroad: its neighbours by code are worlds apart. */
export function atHome(draft: CountryDraft): CountryDraft {
  if (draft.cc !== 'US') return draft
  const codes = draft.codes.filter(({ places }) => !MILITARY_STATES.has(places[0].admin.code1))
  return { ...draft, codes }
}
