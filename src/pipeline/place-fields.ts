/** Fields of a place, from what a service knows of a code. */
import type { Metadata } from '../client/main.ts'
import type { PlaceField } from './plan.ts'

/** What each field is called in the US and elsewhere. */
const NAMES: Readonly<Record<PlaceField, readonly string[]>> = {
  city: ['city', 'placeName'],
  state: ['state', 'admin_name1'],
  ST: ['stateAbbrev', 'admin_code1'],
  county: ['county', 'admin_name2'],
  latitude: ['latitude'],
  longitude: ['longitude'],
  accuracy: ['accuracy'],
  timezone: ['timezone'],
  elevation: ['elevation'],
}

/** `''` when it is unknown. */
export function placeField(record: Metadata, field: PlaceField): string | number {
  const name = NAMES[field].find(name => record[name] !== undefined)
  return name === undefined ? '' : (record[name] ?? '')
}
