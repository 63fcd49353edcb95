/** The name that a code answers with. */
import { NAME_HEAD_BYTES } from '../../format/admin-entry.ts'
import { nameOffset } from '../../format/code-record.ts'
import type { Country } from '../country.ts'
import type { PostalIndex } from '../postal-index.ts'

/** Where in TEXT the name of the primary place of code index `code` is. `adminBefore` reads its index into ADMN. */
export function nameOfCode({ codes }: PostalIndex, country: Country, code: number): number {
  return country.textStart + nameOffset(codes, code) + NAME_HEAD_BYTES
}
