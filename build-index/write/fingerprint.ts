/**
 * Fingerprints of codes. The builder takes them from its input, the verifier from the file. Equal ones prove that
 * every key and field reads back. They take 4 bytes a code; a wrong field escapes once in 4 billion.
 */
import { crc32 } from 'node:zlib'
import { memoised } from '../../datasets/maps.ts'
import { ADMIN_FIELDS } from '../../src/postal/format/admin-entry.ts'
import { DEGREE_SCALE } from '../../src/postal/format/code-entry.ts'
import { formatCode } from '../../src/postal/text/mask.ts'
import type { AdminModel, CodeModel, CountryModel, PlaceModel } from '../model.ts'
import { extraText } from './admin-table.ts'

/** Returns the fingerprints of the codes of a country, in their order. */
export function fingerprintsOf({ codes, rules }: CountryModel): Uint32Array {
  const areasOf = memoised(areasFingerprint)
  const placeOf = memoised(({ name, admin }: PlaceModel) => placeFingerprint(name, areasOf(admin)))
  return Uint32Array.from(codes, code => {
    const places = code.places.map(placeOf)
    return codeFingerprint(code, formatCode(code.key, rules.masks), places[0], places)
  })
}

/** Returns the fingerprint of areas, for all their places. */
export function areasFingerprint(admin: AdminModel): number {
  return crc32(JSON.stringify([...ADMIN_FIELDS.map(field => admin[field]), extraText(admin.extra)]))
}

/** Returns the fingerprint of a place in areas, for all its codes. */
export function placeFingerprint(name: string, areas: number): number {
  return crc32(name, areas)
}

/**
 * @param written the code as its country writes it
 * @param primary fingerprint of the primary place
 * @param places fingerprints of all places, in any order
 */
export function codeFingerprint(
  { key, lat, lon, timezone, grade, kind, elevation }: Omit<CodeModel, 'places'>,
  written: string,
  primary: number,
  places: readonly number[],
): number {
  const distinct = places.length === 1 ? '' : [...new Set(places)].sort((a, b) => a - b).join()
  const degrees = `${Math.round(lat * DEGREE_SCALE)},${Math.round(lon * DEGREE_SCALE)}`
  return crc32(
    `${key},${written},${degrees},${timezone},${grade},${kind},${elevation},${primary},${distinct}`,
  )
}
