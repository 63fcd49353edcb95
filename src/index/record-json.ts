/** Writes what the index knows of a code as JSON, for every endpoint that answers with it. */
import { ACCURACIES, accuracyAt } from '../format/accuracy.ts'
import { ADMIN_EXTRA, ADMIN_WORDS, ADMIN_ZONE, adminBefore } from '../format/admin-entry.ts'
import { elevation, hasElevation, isPlaced, latitude, longitude } from '../format/code-record.ts'
import { COMMA, QUOTE } from '../text/json-bytes.ts'
import { type Piece, pieceOf } from '../text/piece.ts'
import { nameOfCode } from './codes/code-name.ts'
import { copyWritten } from './codes/written.ts'
import type { Country } from './country.ts'
import type { Output } from './output.ts'
import type { PostalIndex } from './postal-index.ts'

/** The beginnings of a country's fields, each with its name. Undefined: the country does not show that level. */
interface FieldNames {
  code: Piece
  place: Piece
  /** Name and code of levels 1 to 3. */
  admin: readonly (Piece | undefined)[]
}

const US_FIELDS: FieldNames = {
  code: pieceOf('{"zipcode":"'),
  place: pieceOf(',"city":"'),
  admin: [pieceOf(',"state":"'), pieceOf(',"stateAbbrev":"'), pieceOf(',"county":"')],
}
const WORLD_FIELDS: FieldNames = {
  code: pieceOf('{"postalCode":"'),
  place: pieceOf(',"placeName":"'),
  admin: ['name1', 'code1', 'name2', 'code2', 'name3', 'code3'].map(field => pieceOf(`,"admin_${field}":"`)),
}
const COUNTRY = pieceOf(',"country":"')
const LATITUDE = pieceOf(',"latitude":')
const LONGITUDE = pieceOf(',"longitude":')
/** By the numbers of ACCU; the first is for codes of which nothing is said. */
const ACCURACY = ACCURACIES.map(name => pieceOf(`,"accuracy":"${name}"`))
const TIMEZONE = pieceOf(',"timezone":"')
const ELEVATION = pieceOf(',"elevation":')
const END = pieceOf('}')

/**
 * Writes everything that is known of code index `code`, whose key is `symbols[start, start + length)`, as an object.
 * @throws DamagedIndexError
 */
export function writeRecord(
  output: Output,
  index: PostalIndex,
  country: Country,
  code: number,
  symbols: Uint8Array,
  start: number,
  length: number,
): void {
  const names = country.cc === 'US' ? US_FIELDS : WORLD_FIELDS
  output.piece(names.code)
  output.length = copyWritten(index, country, code, symbols, start, length, output.bytes, output.length)
  output.byte(QUOTE)
  if (names === WORLD_FIELDS) {
    output.piece(COUNTRY)
    output.byte(country.cc.charCodeAt(0))
    output.byte(country.cc.charCodeAt(1))
    output.byte(QUOTE)
  }
  const name = nameOfCode(index, country, code)
  const admin = adminBefore(index.text, name) * ADMIN_WORDS
  writePlace(output, index, names, name, admin)
  writePosition(output, index, code)
  const accuracy = accuracyAt(index.accuracies, code)
  if (accuracy !== 0) output.piece(ACCURACY[accuracy])
  writeZoneAndElevation(output, index, code, admin)
  output.piece(END)
}

/** `,"latitude":…,"longitude":…`, or nothing when the position is unknown. */
export function writePosition(output: Output, { codes }: PostalIndex, code: number): void {
  if (!isPlaced(codes, code)) return
  output.piece(LATITUDE)
  output.millionths(latitude(codes, code))
  output.piece(LONGITUDE)
  output.millionths(longitude(codes, code))
}

/**
 * Name and administrative fields of the primary place, each only when it is known.
 * @param place offset of its name in TEXT
 * @param admin word of ADMN at which its areas begin
 */
function writePlace(
  output: Output,
  { admins, text }: PostalIndex,
  names: FieldNames,
  place: number,
  admin: number,
): void {
  writeText(output, text, names.place, place)
  for (let field = 0; field < names.admin.length; field++) {
    const name = names.admin[field]
    if (name !== undefined) writeText(output, text, name, admins[admin + field])
  }
  const extra = admins[admin + ADMIN_EXTRA]
  if (extra !== 0) {
    output.byte(COMMA)
    output.indexText(text, extra)
  }
}

function writeZoneAndElevation(
  output: Output,
  { admins, codes, zones }: PostalIndex,
  code: number,
  admin: number,
): void {
  const zone = zones.piece(admins[admin + ADMIN_ZONE])
  if (zone.words.length > 0) {
    output.piece(TIMEZONE)
    output.piece(zone)
    output.byte(QUOTE)
  }
  if (hasElevation(codes, code)) {
    output.piece(ELEVATION)
    output.integer(elevation(codes, code))
  }
}

/** A field with the string at `offset` of TEXT, unless that is empty. */
function writeText(output: Output, text: Uint8Array, name: Piece, offset: number): void {
  if (text[offset] !== 0) output.member(name, text, offset)
}
