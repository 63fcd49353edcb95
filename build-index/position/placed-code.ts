/** A code whose first place and position are decided. */
import type { Accuracy, Kind } from '../../src/postal/format/code-record.ts'
import type { Country } from '../gazetteer/country.ts'
import type { CodeModel } from '../model.ts'
import type { Code, PlaceDraft } from '../rows/places.ts'
import type { Position } from '../rows/position.ts'
import type { RowCode } from '../rows/row-code.ts'

export class PlacedCode implements Code, CodeModel {
  readonly key: string
  readonly kind: Kind
  places: readonly PlaceDraft[]
  position: Position
  /** Of the source, until the time zones are decided. */
  timezone: string
  /** Of the source, until the elevations are decided. */
  elevation: number
  /** True if a weaker source than the names gave areas. */
  readonly hasOtherAreas: boolean

  constructor({ key, kind, places, timezone, elevation, hasOtherAreas }: RowCode, position: Position) {
    this.key = key
    this.kind = kind
    this.places = places
    this.position = position
    this.timezone = timezone
    this.elevation = elevation
    this.hasOtherAreas = hasOtherAreas
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

/** Country whose codes have their positions. */
export type PlacedCountry = Country<PlacedCode>
