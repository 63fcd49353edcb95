/** Writes the record of a code as JSON, from the table of record fields, for metacode and lookup. */
import { ADMIN_EXTRA, ADMIN_WORD, ADMIN_WORDS, adminBefore } from '../format/admin-entry.ts'
import { isPlaced, latitude, longitude } from '../format/code-entry.ts'
import { COMMA, QUOTE } from '../text/json-bytes.ts'
import { type Piece, pieceOf } from '../text/piece.ts'
import { copyWritten } from './codes/written.ts'
import type { Country } from './country.ts'
import type { Output } from './output.ts'
import { nameOfCode } from './places.ts'
import type { PostalIndex } from './postal-index.ts'
import {
  type NamedField,
  type ReadLabel,
  type ReadNumber,
  type RecordField,
  UNKNOWN,
  US_FIELDS,
  WORLD_FIELDS,
} from './record-fields.ts'

/** Field for writing. All have one shape, which makes reading them fast. */
interface Written {
  readonly from: RecordField['from']
  readonly word: number
  readonly label: ReadLabel
  readonly read: ReadNumber
  readonly beginning: Piece
}

const US = writtenFields(US_FIELDS)
const WORLD = writtenFields(WORLD_FIELDS)
const LATITUDE = pieceOf(',"latitude":')
const LONGITUDE = pieceOf(',"longitude":')
const END = pieceOf('}')

function writtenFields(fields: readonly NamedField[]): Written[] {
  // All further fields of a place are in one text.
  const firstExtra = fields.find(({ field }) => field.from === 'extra')
  return fields
    .filter(each => each.field.from !== 'extra' || each === firstExtra)
    .filter(({ field }) => field.isOnRequest !== true)
    .map(({ name, field }, at) => {
      const isNumber = field.from === 'whole' || field.from === 'millionths'
      return {
        from: field.from,
        word: field.from === 'area' ? ADMIN_WORD[field.area] : 0,
        label: field.from === 'label' ? field.read : () => '',
        read: isNumber ? field.read : () => UNKNOWN,
        beginning: pieceOf(`${at === 0 ? '{' : ','}"${name}":${isNumber ? '' : '"'}`),
      }
    })
}

/** Writes all data of a code with the key `symbols[start, start + length)`, as an object. */
export function writeRecord(
  output: Output,
  index: PostalIndex,
  country: Country,
  code: number,
  symbols: Uint8Array,
  start: number,
  length: number,
): void {
  const { text, admins } = index
  const fields = country.cc === 'US' ? US : WORLD
  const name = nameOfCode(index, country, code)
  const admin = adminBefore(text, name) * ADMIN_WORDS
  for (let i = 0; i < fields.length; i++) {
    const { from, word, label, read, beginning } = fields[i]
    switch (from) {
      case 'form':
        output.piece(beginning)
        output.length = copyWritten(country, symbols, start, length, output.bytes, output.length)
        output.byte(QUOTE)
        break
      case 'name':
        if (text[name] !== 0) output.member(beginning, text, name)
        break
      case 'area': {
        const offset = admins[admin + word]
        if (text[offset] !== 0) output.member(beginning, text, offset)
        break
      }
      case 'extra': {
        const extra = admins[admin + ADMIN_EXTRA]
        if (extra === 0) break
        output.byte(COMMA)
        output.indexText(text, extra)
        break
      }
      case 'label': {
        const text = label(index, country, code, admin)
        if (text === '') break
        output.piece(beginning)
        output.ascii(text)
        output.byte(QUOTE)
        break
      }
      default: {
        const value = read(index, code, name)
        if (value === UNKNOWN) break
        output.piece(beginning)
        if (from === 'whole') output.integer(value)
        else output.millionths(value)
      }
    }
  }
  output.piece(END)
}

/** Writes `,"latitude":…,"longitude":…`, or nothing for an unknown position. */
export function writePosition(output: Output, { codes }: PostalIndex, code: number): void {
  if (!isPlaced(codes, code)) return
  output.piece(LATITUDE)
  output.millionths(latitude(codes, code))
  output.piece(LONGITUDE)
  output.millionths(longitude(codes, code))
}
