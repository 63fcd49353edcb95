/** Fields of a place, from what a service knows of a code. */
import type { Metadata } from '../client/main.ts'
import type { PlaceField } from './plan.ts'

/** What each field is called elsewhere and in the US. Brazil and Mexico have a `city` and a `state` besides, which may be others. */
const NAMES: Readonly<Record<PlaceField, readonly string[]>> = {
  city: ['placeName', 'city'],
  state: ['admin_name1', 'state'],
  ST: ['admin_code1', 'stateAbbrev'],
  county: ['admin_name2', 'county'],
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
