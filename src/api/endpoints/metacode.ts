/** POST /api/metacode and its older name /api/metazip: everything that is known about a postal code. */
import type { ApiKey } from '../../accounts/types.ts'
import { ADMIN_EXTRA, ADMIN_WORDS, ADMIN_ZONE, adminBefore } from '../../format/admin-entry.ts'
import { elevation, hasElevation } from '../../format/code-record.ts'
import { nameOfCode } from '../../index/codes/code-name.ts'
import { copyWritten } from '../../index/codes/written.ts'
import type { Country } from '../../index/country.ts'
import { COMMA, QUOTE } from '../../text/json-bytes.ts'
import { type Piece, pieceOf } from '../../text/piece.ts'
import { checkCode } from '../request/code-request.ts'
import { FULL_ENDING, writeEnding } from '../response/respond.ts'
import type { ApiRequest, Endpoint } from '../service.ts'
import { findCodeOrFail, writePosition } from './lookup.ts'

/** The beginnings of a country's fields, each with its name. Undefined: the country does not show that level. */
interface FieldNames {
  code: Piece
  place: Piece
  /** Name and code of levels 1 to 3. */
  admin: readonly (Piece | undefined)[]
}

const US_FIELDS: FieldNames = {
  code: pieceOf('{"meta":{"zipcode":"'),
  place: pieceOf(',"city":"'),
  admin: [pieceOf(',"state":"'), pieceOf(',"stateAbbrev":"'), pieceOf(',"county":"')],
}
const WORLD_FIELDS: FieldNames = {
  code: pieceOf('{"meta":{"postalCode":"'),
  place: pieceOf(',"placeName":"'),
  admin: ['name1', 'code1', 'name2', 'code2', 'name3', 'code3'].map(field => pieceOf(`,"admin_${field}":"`)),
}
const COUNTRY = pieceOf(',"country":"')
const TIMEZONE = pieceOf(',"timezone":"')
const ELEVATION = pieceOf(',"elevation":')
const META_END = pieceOf('}')

export const metacode: Endpoint = {
  usage: 1,
  check: checkCode,
  find: findCodeOrFail,
  write: writeMetacode,
}

function writeMetacode(request: ApiRequest, key: ApiKey): void {
  const { output, query, code } = request
  const { index } = request.service
  // `find` has succeeded, so there is a country.
  const country = request.country as Country
  const names = country.cc === 'US' ? US_FIELDS : WORLD_FIELDS
  output.piece(names.code)
  output.length = copyWritten(
    index,
    country,
    code,
    query.symbols,
    query.keyStart,
    query.keyLength,
    output.bytes,
    output.length,
  )
  output.byte(QUOTE)
  if (names === WORLD_FIELDS) {
    output.piece(COUNTRY)
    output.byte(country.cc.charCodeAt(0))
    output.byte(country.cc.charCodeAt(1))
    output.byte(QUOTE)
  }
  const name = nameOfCode(index, country, code)
  const admin = adminBefore(index.text, name) * ADMIN_WORDS
  writePlace(request, names, name, admin)
  writePosition(request)
  writeZoneAndElevation(request, admin)
  output.piece(META_END)
  writeEnding(request, FULL_ENDING, key.account)
}

/**
 * Name and administrative fields of the primary place, each only when it is known.
 * @param place offset of its name in TEXT
 * @param admin word of ADMN at which its areas begin
 */
function writePlace(request: ApiRequest, names: FieldNames, place: number, admin: number): void {
  const { admins } = request.service.index
  writeText(request, names.place, place)
  for (let field = 0; field < names.admin.length; field++) {
    const name = names.admin[field]
    if (name !== undefined) writeText(request, name, admins[admin + field])
  }
  const extra = admins[admin + ADMIN_EXTRA]
  if (extra !== 0) {
    request.output.byte(COMMA)
    request.output.indexText(request.service.index.text, extra)
  }
}

function writeZoneAndElevation(request: ApiRequest, admin: number): void {
  const { output, code } = request
  const { admins, codes, zones } = request.service.index
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
function writeText(request: ApiRequest, name: Piece, offset: number): void {
  const { text } = request.service.index
  if (text[offset] !== 0) request.output.member(name, text, offset)
}
