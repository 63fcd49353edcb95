/** What a code answers with: the name of its place and, before it, the place's areas. */
import { NAME_ADMIN_BYTES } from '../../format/admin-entry.ts'
import { nameOffset } from '../../format/code-record.ts'
import type { Country } from '../country.ts'
import type { PostalIndex } from '../postal-index.ts'

/** Where in TEXT the name of the primary place of code index `code` is. `adminBefore` reads its index into ADMN. */
export function nameOfCode({ codes }: PostalIndex, country: Country, code: number): number {
  return country.nameStart + nameOffset(codes, code) + NAME_ADMIN_BYTES
}
