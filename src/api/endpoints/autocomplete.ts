/** POST /api/autocomplete: the codes and the cities that somebody who is typing may mean. */
import { ENDPOINT_USAGE } from '../../accounts/endpoint-usage.ts'
import type { ApiKey } from '../../accounts/types.ts'
import type { ErrorCode } from '../../errors.ts'
import { suggestNames } from '../../index/autocomplete/suggest.ts'
import type { Suggestion } from '../../index/autocomplete/suggestion.ts'
import { nameOfCode } from '../../index/codes/code-name.ts'
import { type CodeRange, findPrefix } from '../../index/codes/prefix.ts'
import { putForm } from '../../index/codes/written.ts'
import type { Country } from '../../index/country.ts'
import { writePosition } from '../../index/record-json.ts'
import { CODE_LENGTH_MAX, NAME_LENGTH_MAX, SUGGESTIONS_DEFAULT, SUGGESTIONS_MAX } from '../../limits.ts'
import { putSymbols } from '../../text/code.ts'
import { BRACKET_CLOSE, COMMA, QUOTE } from '../../text/json-bytes.ts'
import { pieceOf } from '../../text/piece.ts'
import { checkCountry } from '../request/code-request.ts'
import { MoreFields } from '../request/more-fields.ts'
import { writeEnding } from '../response/respond.ts'
import { checkRoom } from '../response/room.ts'
import { SHORT_ENDING } from '../response/short-ending.ts'
import type { ApiRequest, Endpoint } from '../service.ts'

const CODES = pieceOf('{"codes":[')
const POSTAL_CODE = pieceOf('{"postalCode":"')
const PLACE_NAME = pieceOf('","placeName":"')
const CODE_END = pieceOf('}')
const PLACES = pieceOf('],"places":[')
const PLACE = pieceOf('{"placeName":"')
const CODE_COUNT = pieceOf('","codes":')
const AREAS = pieceOf(',"areas":[')
const AREA_NAME = pieceOf('{"name":"')
const AREA_CODE = pieceOf('","code":"')
const AREA_END = pieceOf('"}')
const PLACE_END = pieceOf(']}')

export const autocomplete: Endpoint = { usage: ENDPOINT_USAGE.autocomplete, check, find, write }

const fields = new MoreFields(['query', 'limit'])
/** What `check` leaves for `find`, and `find` for `write`. */
let typed = ''
let limit = 0
let places: readonly Suggestion[] = []
const range: CodeRange = { first: 0, end: 0 }
const symbols = new Uint8Array(CODE_LENGTH_MAX)

function check(request: ApiRequest): ErrorCode | null {
  fields.read(request.body, request.fields.writtenView)
  const text = fields.text('query')
  if (text === undefined) return 'MISSING_QUERY'
  typed = text
  const invalid = checkCountry(request)
  if (invalid !== null) return invalid
  const wanted = fields.whole('limit', 1, SUGGESTIONS_MAX, SUGGESTIONS_DEFAULT)
  if (wanted === undefined) return 'INVALID_LIMIT'
  limit = wanted
  return null
}

function find(request: ApiRequest): ErrorCode | null {
  const { country, service } = request
  range.first = range.end = 0
  places = []
  // As with the name of a city: a longer text is not searched for.
  if (country === null || country === undefined || typed.length > NAME_LENGTH_MAX) return null
  const bytes = Buffer.from(typed)
  const length = putSymbols(bytes, 0, bytes.length, symbols, 0)
  if (length > 0) findPrefix(service.index.trie, country, symbols, 0, length, range)
  const names = suggestNames(service.index, country, typed, limit)
  if (names === undefined) return 'UNAVAILABLE'
  places = names
  return null
}

function write(request: ApiRequest, key: ApiKey): void {
  const { output, country } = request
  output.piece(CODES)
  if (country) writeCodes(request, country)
  output.piece(PLACES)
  for (let i = 0; i < places.length; i++) {
    if (i > 0) output.byte(COMMA)
    writePlace(request, places[i])
  }
  output.byte(BRACKET_CLOSE)
  writeEnding(request, SHORT_ENDING, key)
}

function writeCodes(request: ApiRequest, country: Country): void {
  const { output } = request
  const { index } = request.service
  const end = Math.min(range.end, range.first + limit)
  for (let code = range.first; code < end; code++) {
    if (code > range.first) output.byte(COMMA)
    checkRoom(output)
    output.piece(POSTAL_CODE)
    output.length = putForm(index, country, code, output.bytes, output.length)
    output.piece(PLACE_NAME)
    output.indexText(index.text, nameOfCode(index, country, code))
    output.byte(QUOTE)
    writePosition(output, index, code)
    output.piece(CODE_END)
  }
}

function writePlace(request: ApiRequest, { name, areas, codes }: Suggestion): void {
  const { output } = request
  const { index } = request.service
  checkRoom(output)
  output.piece(PLACE)
  output.indexText(index.text, name)
  output.piece(CODE_COUNT)
  output.integer(codes)
  output.piece(AREAS)
  for (let i = 0; i < areas.length; i++) {
    if (i > 0) output.byte(COMMA)
    checkRoom(output)
    output.piece(AREA_NAME)
    output.indexText(index.text, index.admins[areas[i]])
    output.piece(AREA_CODE)
    output.indexText(index.text, index.admins[areas[i] + 1])
    output.piece(AREA_END)
  }
  output.piece(PLACE_END)
}
