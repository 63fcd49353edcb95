/**
 * Fingerprints of codes. The builder takes them from its input, the verifier from the file. Equal ones prove that
 * every key and field reads back. They take 4 bytes a code; a wrong field escapes once in 4 billion.
 */
import { crc32 } from 'node:zlib'
import { ADMIN_FIELDS } from '../../src/postal/format/admin-entry.ts'
import { DEGREE_SCALE } from '../../src/postal/format/code-record.ts'
import type { AdminModel, CodeModel } from '../model.ts'
import { extraText } from './admin-table.ts'

/** Returns the fingerprint of a place with its areas, for all its codes. */
export function placeFingerprint(name: string, admin: AdminModel): number {
  return crc32(JSON.stringify([name, ...ADMIN_FIELDS.map(field => admin[field]), extraText(admin.extra)]))
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
  const degrees = [Math.round(lat * DEGREE_SCALE), Math.round(lon * DEGREE_SCALE)]
  const distinct = [...new Set(places)].sort((a, b) => a - b)
  return crc32(
    JSON.stringify([key, written, ...degrees, timezone, grade, kind, elevation, primary, ...distinct]),
  )
}
