import type { Accuracy, Kind } from '../../src/postal/format/code-entry.ts'
import type { Point } from '../distance.ts'
import type { Country } from '../gazetteer/country.ts'
import type { CodeModel } from '../model.ts'
import type { Code, PlaceDraft } from '../rows/places.ts'
import type { Position } from '../rows/position.ts'
import type { RowCode } from '../rows/row-code.ts'
import { MILITARY_STATES } from '../rows/us-states.ts'
import { rowPosition } from './row-position.ts'

/** A code with its first place. Its position, time zone and elevation are its rows' until steps decide them. */
export class CodeDraft implements Code, CodeModel {
  readonly key: string
  readonly kind: Kind
  places: readonly PlaceDraft[]
  position: Position
  timezone: string
  elevation: number
  /** Second witness of the position: the point of a weaker source, or of a row about a further place. */
  readonly second: Point | undefined
  /** True if the position came from a weaker source than the names: it may be a namesake's. */
  readonly isBorrowed: boolean
  /** True if a weaker source than the names gave areas. */
  readonly hasOtherAreas: boolean

  /** @param first place that answers for the code */
  constructor(rows: RowCode, first: number) {
    const { places, position } = rows
    this.key = rows.key
    this.kind = rows.kind
    this.places = places.length > 1 ? [...new Set([places[first], ...places])] : places
    this.position = rowPosition(rows, first)
    this.timezone = rows.timezone
    this.elevation = rows.elevation
    // The position of another place is better than none.
    const { lat, lon } = position
    const isLost = Number.isNaN(rows.positionOf(first).lat) && !Number.isNaN(lat)
    this.second = rows.second ?? (isLost ? { lat, lon } : undefined)
    this.isBorrowed = rows.isBorrowed
    this.hasOtherAreas = rows.hasOtherAreas
  }

  get lat(): number {
    return this.position.lat
  }

  get lon(): number {
    return this.position.lon
  }

  get grade(): Accuracy {
    return this.position.grade
  }
}

/** Country whose codes have their first places. Its codes ascend. */
export type CountryDraft = Country<CodeDraft>

/** Returns a country without US military post, which lies abroad: its neighbours by code are worlds apart. */
export function atHome(draft: CountryDraft): CountryDraft {
  if (draft.country !== 'US') return draft
  return { ...draft, codes: draft.codes.filter(({ places }) => !MILITARY_STATES.has(places[0].admin.code1)) }
}

export function setPositions(codes: readonly CodeDraft[], positions: readonly Position[]): void {
  for (const [i, code] of codes.entries()) code.position = positions[i]
}
