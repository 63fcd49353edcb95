/**
 * A fingerprint of everything the index says of one code. The builder takes it from its input, the verifier from what the reader returns.
 * Equal fingerprints of every code mean that every key and field can be read back. The input of a world would not fit in memory; its
 * fingerprints are 4 bytes a code, and a wrong field escapes once in 4 billion.
 */
import { crc32 } from 'node:zlib'
import { ADMIN_FIELDS } from '../../src/format/admin-entry.ts'
import { DEGREE_SCALE } from '../../src/format/code-record.ts'
import type { AdminModel, CodeModel } from '../model.ts'
import { extraText } from './admin-table.ts'

/** Fingerprint of a place with its areas. Codes share places, so the caller keeps it for all of them. */
export function placeFingerprint(name: string, admin: AdminModel): number {
  return crc32(JSON.stringify([name, ...ADMIN_FIELDS.map(field => admin[field]), extraText(admin.extra)]))
}

/**
 * @param primary fingerprint of the place that answers for the code
 * @param places fingerprints of all its places, in any order
 */
export function codeFingerprint(
  { key, written, lat, lon, timezone, grade, kind, elevation }: Omit<CodeModel, 'places'>,
  primary: number,
  places: readonly number[],
): number {
  const degrees = [Math.round(lat * DEGREE_SCALE), Math.round(lon * DEGREE_SCALE)]
  const distinct = [...new Set(places)].sort((a, b) => a - b)
  return crc32(
    JSON.stringify([key, written, ...degrees, timezone, grade, kind, elevation, primary, ...distinct]),
  )
}
