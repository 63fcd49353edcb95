/** Fields of a postal code as plain values, for verification and comparison. */

import {
  ADMIN_EXTRA,
  ADMIN_FIELDS,
  ADMIN_WORDS,
  ADMIN_ZONE,
  type AdminField,
  adminBefore,
} from '../../src/postal/format/admin-entry.ts'
import {
  ACCURACIES,
  accuracyAt,
  CODE_KINDS,
  DEGREE_SCALE,
  elevation,
  hasElevation,
  isPlaced,
  kindAt,
  latitude,
  longitude,
} from '../../src/postal/format/code-entry.ts'
import { LIST_SYMBOLS_MAX } from '../../src/postal/format/trie-layout.ts'
import { codeSymbols, findCode } from '../../src/postal/index/codes/trie.ts'
import { formOfCode } from '../../src/postal/index/codes/written.ts'
import type { Country } from '../../src/postal/index/country.ts'
import { areaText, checkedAdmin, nameOfCode } from '../../src/postal/index/places.ts'
import type { PostalIndex } from '../../src/postal/index/postal-index.ts'
import { escapedText, plainText, unescaped } from '../../src/postal/index/text-section.ts'
import { CODE_LENGTH_MAX } from '../../src/postal/limits.ts'
import { SYMBOL_OF_BYTE, SYMBOLS } from '../../src/postal/text/code.ts'
import type { AdminModel, CodeModel } from '../model.ts'

export interface CodeView extends Omit<CodeModel, 'places'> {
  /** The code as its country writes it. */
  written: string
  city: string
  /** Index into ADMN of its areas. */
  admin: number
}

/** Reads a code of a country. Costs some microseconds, too much for a request. */
export function viewCode(index: PostalIndex, country: Country, code: number): CodeView {
  const { codes, text } = index
  const name = nameOfCode(index, country, code)
  const admin = checkedAdmin(index, adminBefore(text, name))
  return {
    key: keyOf(index, country, code),
    written: formOfCode(index, country, code),
    lat: isPlaced(codes, code) ? latitude(codes, code) / DEGREE_SCALE : Number.NaN,
    lon: isPlaced(codes, code) ? longitude(codes, code) / DEGREE_SCALE : Number.NaN,
    timezone: index.zones[index.admins[admin * ADMIN_WORDS + ADMIN_ZONE]] ?? '',
    elevation: hasElevation(codes, code) ? elevation(codes, code) : Number.NaN,
    grade: ACCURACIES[accuracyAt(index.grades, code)],
    kind: CODE_KINDS[kindAt(index.grades, code)],
    city: plainText(text, name),
    admin,
  }
}

export function keyOf(index: PostalIndex, country: Country, code: number): string {
  const symbols = new Uint8Array(CODE_LENGTH_MAX + LIST_SYMBOLS_MAX)
  const length = codeSymbols(index.trie, country.root, code, symbols)
  let key = ''
  for (let i = 0; i < length; i++) key += SYMBOLS[symbols[i]]
  return key
}

export function viewAdmin(index: PostalIndex, admin: number): AdminModel {
  const fields = ADMIN_FIELDS.map((name, field) => [
    name,
    areaText(index, checkedAdmin(index, admin) * ADMIN_WORDS + field),
  ])
  const extra = escapedText(index.text, index.admins[admin * ADMIN_WORDS + ADMIN_EXTRA])
  return { ...(Object.fromEntries(fields) as Record<AdminField, string>), extra: unescaped(`{${extra}}`) }
}

/** Returns the code of a key in `country`, negative if there is none. */
export function codeOfKey(index: PostalIndex, country: Country, key: string): number {
  const symbols = new Uint8Array(key.length)
  for (let i = 0; i < key.length; i++) symbols[i] = SYMBOL_OF_BYTE[key.charCodeAt(i)]
  return findCode(index.trie, country.root, symbols, 0, symbols.length)
}
