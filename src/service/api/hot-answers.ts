/** Finds the code of a lookup, metacode or validate, and writes the answer as JSON, without objects. */
import { ADMIN_EXTRA, ADMIN_WORD, ADMIN_WORDS, adminBefore } from '../../postal/format/admin-entry.ts'
import { isPlaced, latitude, longitude, nameOfCode } from '../../postal/format/code-entry.ts'
import { copyWritten } from '../../postal/index/codes/written.ts'
import type { Country } from '../../postal/index/country.ts'
import { NO_DATA } from '../../postal/index/country-table.ts'
import { type Piece, pieceOf } from '../../postal/index/output.ts'
import { DETAILS } from '../../postal/index/post-table.ts'
import { isoOf } from '../../postal/index/postal-index.ts'
import {
  type NamedField,
  type ReadLabel,
  type ReadNumber,
  type RecordField,
  UNKNOWN,
  US_FIELDS,
  WORLD_FIELDS,
} from '../../postal/index/record-fields.ts'
import { COMMA, MINUS, NUMBER, QUOTE } from '../../postal/text/json.ts'
import { lookup, metacode, validate } from '../endpoints/codes.ts'
import type { Fault } from '../endpoints/endpoint.ts'
import type { MakeAnswer } from './checks.ts'
import { type ApiRequest, HOT_FIELD } from './request.ts'

/** Endpoints whose usual bodies are read without `JSON.parse`. */
export const HOT_ANSWERS: Readonly<Record<string, MakeAnswer | undefined>> = {
  [lookup.name]: foundBy(writeLookup),
  [metacode.name]: foundBy(writeMetacode),
  [validate.name](request) {
    writeValidity(request, findRequestedCode(request))
    return null
  },
}

const NOT_FOUND: Fault = { error: 'CODE_NOT_FOUND' }

function foundBy(write: (request: ApiRequest, country: Country, code: number) => void): MakeAnswer {
  return request => {
    const { country } = request
    const code = findRequestedCode(request)
    if (code < 0 || !country) return NOT_FOUND
    write(request, country, code)
    return null
  }
}

/** Returns the index of the requested code; -1 when there is no such code. */
function findRequestedCode(request: ApiRequest): number {
  const { fields, query, country, context } = request
  const { trie } = context.index
  const start = fields.starts[HOT_FIELD.zipcode]
  const end = fields.ends[HOT_FIELD.zipcode]
  if (fields.kinds[HOT_FIELD.zipcode] !== NUMBER)
    return query.findBytes(trie, country, fields.bytes, start, end)
  query.length = 0
  // A negative number is no code. In a string, `-` is a separator.
  if (fields.bytes[start] !== MINUS) query.set(fields.bytes, start, end)
  query.pad(country)
  return query.resolve(trie, country)
}

const CITY = pieceOf('{"city":"')
const STATE = pieceOf(',"state":"')
const ST = pieceOf(',"ST":"')
const NO_STATE = pieceOf(',"state":"","ST":""')
const LATITUDE = pieceOf(',"latitude":')
const LONGITUDE = pieceOf(',"longitude":')

/** Writes the place of the found code. An unknown position is left out. */
function writeLookup({ output, context: { index } }: ApiRequest, country: Country, code: number): void {
  const { admins, codes, text } = index
  const name = nameOfCode(index, country, code)
  const hasPosition = isPlaced(codes, code)
  const north = latitude(codes, code)
  const east = longitude(codes, code)
  const admin = adminBefore(text, name) * ADMIN_WORDS
  output.member(CITY, text, name)
  if (country.cc === 'US') {
    output.member(STATE, text, admins[admin + ADMIN_WORD.name1])
    output.member(ST, text, admins[admin + ADMIN_WORD.code1])
  } else output.piece(NO_STATE)
  if (!hasPosition) return
  output.piece(LATITUDE)
  output.millionths(north)
  output.piece(LONGITUDE)
  output.millionths(east)
}

const VALID = pieceOf('{"valid":true,"zipcode":')
const INVALID = pieceOf('{"valid":false,"zipcode":')
const DETAIL_PIECES = Object.fromEntries(DETAILS.map(detail => [detail, pieceOf(`,"detail":"${detail}"`)]))

function writeValidity(request: ApiRequest, code: number): void {
  const { fields, output, query, country } = request
  const { index } = request.context
  const isQuoted = fields.kinds[HOT_FIELD.zipcode] !== NUMBER
  output.piece(code < 0 ? INVALID : VALID)
  if (isQuoted) output.byte(QUOTE)
  output.slice(fields.bytes, fields.starts[HOT_FIELD.zipcode], fields.ends[HOT_FIELD.zipcode])
  if (isQuoted) output.byte(QUOTE)
  if (code >= 0) return
  const cc = country?.cc ?? isoOf(index, fields.text(HOT_FIELD.country))
  const detail = index.posts.detail(cc, query.text, country !== NO_DATA)
  if (detail !== undefined) output.piece(DETAIL_PIECES[detail])
}

/** Field of a record, ready for writing. All have one shape, which makes reading them fast. */
interface WrittenField {
  readonly from: RecordField['from']
  readonly word: number
  readonly label: ReadLabel
  readonly read: ReadNumber
  readonly beginning: Piece
}

const US_WRITTEN = writtenFields(US_FIELDS)
const WORLD_WRITTEN = writtenFields(WORLD_FIELDS)
const META = pieceOf('{"meta":')
const END = pieceOf('}')

function writtenFields(fields: readonly NamedField[]): WrittenField[] {
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

/** Writes all data of the found code, by the table of record fields. */
function writeMetacode(request: ApiRequest, country: Country, code: number): void {
  const { output, query, context } = request
  const { index } = context
  const { text, admins } = index
  const fields = country.cc === 'US' ? US_WRITTEN : WORLD_WRITTEN
  const name = nameOfCode(index, country, code)
  const admin = adminBefore(text, name) * ADMIN_WORDS
  output.piece(META)
  for (let i = 0; i < fields.length; i++) {
    const { from, word, label, read, beginning } = fields[i]
    switch (from) {
      case 'form':
        output.piece(beginning)
        output.length = copyWritten(country, query, output.bytes, output.length)
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
