/**
 * A fingerprint of everything the index says of one code. The builder takes it from its input, the verifier from what
 * the reader returns: equal fingerprints for every code mean that every key and field can be read back. Keeping 4 bytes a
 * code instead of the input lets a world be verified in bounded memory; a single wrong field escapes about once in 4 billion.
 */
import { crc32 } from 'node:zlib'
import { ADMIN_FIELDS } from '../../src/format/admin-entry.ts'
import { DEGREE_SCALE } from '../../src/format/code-record.ts'
import type { AdminModel, CodeModel } from '../model.ts'
import { extraText } from './admin-table.ts'

/** What the index keeps of a code itself. */
type Stored = Omit<CodeModel, 'places'>

/** Fingerprint of a place with its areas. Codes share places, so the caller keeps it for all of them. */
export function placeFingerprint(name: string, admin: AdminModel): number {
  let text = name
  for (const field of ADMIN_FIELDS) text += `\x1f${admin[field]}`
  return crc32(`${text}\x1f${extraText(admin.extra)}`)
}

/**
 * @param primary fingerprint of the place that answers for the code
 * @param places fingerprints of all its places, in any order; it sorts them
 */
export function codeFingerprint(code: Stored, primary: number, places: number[]): number {
  let text = `${code.key}\x1e${code.written}\x1e${degreesText(code.lat)}\x1e${degreesText(code.lon)}\x1e`
  text += `${code.timezone}\x1e${code.elevation}\x1e${code.grade}\x1e${primary}`
  places.sort((a, b) => a - b)
  for (let i = 0; i < places.length; i++) if (places[i] !== places[i - 1]) text += `\x1e${places[i]}`
  return crc32(text)
}

function degreesText(degrees: number): string {
  return Number.isNaN(degrees) ? '' : String(Math.round(degrees * DEGREE_SCALE))
}
