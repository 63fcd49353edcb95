/**
 * A fingerprint of everything the index says of one code. The builder takes it from its input, the verifier from what
 * the reader returns: equal fingerprints for every code mean that every key and field can be read back. Keeping 4 bytes a
 * code instead of the input lets a world be verified in bounded memory; a single wrong field escapes about once in 4 billion.
 */
import { ADMIN_FIELDS } from '../../src/format/admin-entry.ts'
import { DEGREE_SCALE } from '../../src/format/code-record.ts'
import type { AdminModel, CodeModel } from '../model.ts'
import { extraText } from './admin-table.ts'

/** The fields of a code that the index keeps in its record. */
type Stored = Omit<CodeModel, 'places'>

/** Fingerprint of a place with its areas. Codes share places, so the caller keeps it for all of them. */
export function placeFingerprint(name: string, admin: AdminModel): number {
  let hash = withText(START, name)
  for (const field of ADMIN_FIELDS) hash = withText(hash, admin[field])
  return finished(withText(hash, extraText(admin.extra)))
}

/**
 * @param primary fingerprint of the place that answers for the code
 * @param places fingerprints of all its places, in any order; it sorts them
 */
export function codeFingerprint(code: Stored, primary: number, places: number[]): number {
  let hash = withText(withText(START, code.key), code.written)
  hash = withNumber(withNumber(hash, scaled(code.lat)), scaled(code.lon))
  hash = withText(withText(withText(hash, code.timezone), code.grade), code.kind)
  // As text, so that a fraction of a metre, which a record cannot hold, counts.
  hash = withNumber(withText(hash, `${code.elevation}`), primary)
  places.sort((a, b) => a - b)
  for (let i = 0; i < places.length; i++) if (places[i] !== places[i - 1]) hash = withNumber(hash, places[i])
  return finished(hash)
}

/** FNV-1a over UTF-16 units and 32-bit numbers, then the finalizer of MurmurHash3: a quarter of the time of a CRC of a text. */
const START = 0x811c9dc5
const PRIME = 0x01000193
/** After each text, so that no two lists of texts give the same units. Texts do not contain it, because it is not a character. */
const END = 0xffff
/** In place of the degrees that a code lacks. */
const NO_DEGREES = 0x7fff_ffff

function withText(hash: number, text: string): number {
  let all = hash
  for (let i = 0; i < text.length; i++) all = Math.imul(all ^ text.charCodeAt(i), PRIME)
  return Math.imul(all ^ END, PRIME)
}

/** @param number an integer of 32 bits, with or without a sign */
function withNumber(hash: number, number: number): number {
  const low = Math.imul(hash ^ (number & 0xffff), PRIME)
  return Math.imul(low ^ (number >>> 16), PRIME)
}

function finished(hash: number): number {
  let all = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  all = Math.imul(all ^ (all >>> 13), 0xc2b2ae35)
  return (all ^ (all >>> 16)) >>> 0
}

function scaled(degrees: number): number {
  return Number.isNaN(degrees) ? NO_DEGREES : Math.round(degrees * DEGREE_SCALE)
}
