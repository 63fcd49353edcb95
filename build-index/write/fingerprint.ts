/**
 * A fingerprint of everything the index says of one code. The builder takes it from its input, the verifier from what
 * the reader returns: equal fingerprints for every code mean that every key and field can be read back. Keeping 4 bytes a
 * code instead of the input lets a world be verified in bounded memory; a single wrong field escapes once in 4 billion.
 */
import { crc32 } from 'node:zlib'
import { ADMIN_FIELDS } from '../../src/format/admin-entry.ts'
import { DEGREE_SCALE } from '../../src/format/code-record.ts'
import type { CodeModel } from '../model.ts'
import { extraText } from './admin-table.ts'
import { compareText } from './order.ts'

/** A code without what the index does not keep. */
type Stored = Omit<CodeModel, 'accuracy'>

export function codeFingerprint(code: Stored): number {
  const places = code.places.map(place => {
    const areas = ADMIN_FIELDS.map(field => place.admin[field])
    return [place.name, ...areas, extraText(place.admin.extra)].join('\x1f')
  })
  const [primary] = places
  return crc32(
    [
      code.key,
      code.written,
      degreesText(code.lat),
      degreesText(code.lon),
      code.timezone,
      code.elevation,
      primary,
      ...[...new Set(places)].sort(compareText),
    ].join('\x1e'),
  )
}

function degreesText(degrees: number): string {
  return Number.isNaN(degrees) ? '' : String(Math.round(degrees * DEGREE_SCALE))
}
