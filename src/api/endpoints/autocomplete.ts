/** POST /api/autocomplete: the codes and the cities that somebody who is typing may mean. */
import { ENDPOINT_USAGE } from '../../accounts/endpoint-usage.ts'
import type { ApiKey } from '../../accounts/types.ts'
import type { ErrorCode } from '../../errors.ts'
import { suggestNames } from '../../index/autocomplete/suggest.ts'
import type { Suggestion } from '../../index/autocomplete/suggestion.ts'
import { nameOfCode } from '../../index/codes/code-name.ts'
import { KeyReader } from '../../index/codes/key-reader.ts'
import { type CodeRange, findPrefix } from '../../index/codes/prefix.ts'
import { putFormNear } from '../../index/codes/written.ts'
import type { Country } from '../../index/country.ts'
import type { PostalIndex } from '../../index/postal-index.ts'
import { writePosition } from '../../index/record-json.ts'
import {
  CODE_LENGTH_MAX,
  NAME_LENGTH_MAX,
  SHORT_QUERY_LENGTH_MAX,
  SUGGESTIONS_DEFAULT,
  SUGGESTIONS_MAX,
} from '../../limits.ts'
import { putSymbols } from '../../text/code.ts'
import { QUOTE } from '../../text/json-bytes.ts'
import { pieceOf } from '../../text/piece.ts'
import { checkCountry } from '../request/code-request.ts'
import { MoreFields } from '../request/more-fields.ts'
import { writeEnding } from '../response/respond.ts'
import { checkRoom } from '../response/room.ts'
import { ShortAnswers } from '../response/short-answers.ts'
import { SHORT_ENDING } from '../response/short-ending.ts'
import type { ApiRequest, Endpoint } from '../service.ts'

const CODES = pieceOf('{"codes":[')
const FIRST_CODE = pieceOf('{"postalCode":"')
const NEXT_CODE = pieceOf('},{"postalCode":"')
const CODE_NAME = pieceOf('","placeName":"')
const PLACES = pieceOf('],"places":[')
const PLACES_AFTER_CODES = pieceOf('}],"places":[')
const FIRST_PLACE = pieceOf('{"placeName":"')
const NEXT_PLACE = pieceOf(']},{"placeName":"')
const CODE_COUNT = pieceOf('","codes":')
const AREAS = pieceOf(',"areas":[')
const FIRST_AREA = pieceOf('{"name":"')
const NEXT_AREA = pieceOf('"},{"name":"')
const AREA_CODE = pieceOf('","code":"')
const AREA_END = pieceOf('"}')
const END = pieceOf(']}]')
const NO_PLACES = pieceOf(']')

export const autocomplete: Endpoint = { usage: ENDPOINT_USAGE.autocomplete, check, find, write }

const fields = new MoreFields(['query', 'limit'])
/** What `check` leaves for `find`, and `find` for `write`. */
let typed = ''
let limit = 0
let places: readonly Suggestion[] = []
const range: CodeRange = { first: 0, end: 0 }
const symbols = new Uint8Array(CODE_LENGTH_MAX)
/** Holds a typed text as UTF-8. */
const bytes = Buffer.alloc(4 * NAME_LENGTH_MAX)
const readers = new WeakMap<PostalIndex, KeyReader>()
const answers = new ShortAnswers()
/** Under what the answer is to be kept, and what has been kept; '' and undefined for nearly all longer texts. */
let name = ''
let kept: Uint8Array | undefined

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
  name = ''
  kept = undefined
  // As with the name of a city: a longer text is not searched for.
  if (country === null || country === undefined || typed.length > NAME_LENGTH_MAX) return null
  if (typed.length <= SHORT_QUERY_LENGTH_MAX && limit === SUGGESTIONS_DEFAULT) {
    name = country.cc + typed
    kept = answers.get(service.index, name)
    if (kept !== undefined) return null
  }
  const length = putSymbols(bytes, 0, bytes.write(typed), symbols, 0)
  if (length > 0) findPrefix(service.index.trie, country, symbols, 0, length, range)
  const names = suggestNames(service.index, country, typed, limit)
  if (names === undefined) return 'UNAVAILABLE'
  places = names
  return null
}

function write(request: ApiRequest, key: ApiKey): void {
  const { output, country } = request
  if (kept !== undefined) {
    output.bytes.set(kept, 0)
    output.length = kept.length
  } else {
    writeAnswer(request, country ?? undefined)
    if (name !== '') answers.keep(name, output.view())
  }
  writeEnding(request, SHORT_ENDING, key)
}

function writeAnswer(request: ApiRequest, country: Country | undefined): void {
  const { output } = request
  output.piece(CODES)
  if (country === undefined || range.first === range.end) output.piece(PLACES)
  else {
    writeCodes(request, country)
    output.piece(PLACES_AFTER_CODES)
  }
  for (let i = 0; i < places.length; i++) {
    output.piece(i === 0 ? FIRST_PLACE : NEXT_PLACE)
    writePlace(request, places[i])
  }
  output.piece(places.length === 0 ? NO_PLACES : END)
}

function writeCodes(request: ApiRequest, country: Country): void {
  const { output } = request
  const { index } = request.service
  const keys = keyReader(index)
  const end = Math.min(range.end, range.first + limit)
  for (let code = range.first; code < end; code++) {
    checkRoom(output)
    output.piece(code === range.first ? FIRST_CODE : NEXT_CODE)
    output.length = putFormNear(index, country, code, keys, output.bytes, output.length)
    output.piece(CODE_NAME)
    output.indexText(index.text, nameOfCode(index, country, code))
    output.byte(QUOTE)
    writePosition(output, index, code)
  }
}

function keyReader(index: PostalIndex): KeyReader {
  let reader = readers.get(index)
  if (reader === undefined) {
    reader = new KeyReader(index.trie)
    readers.set(index, reader)
  }
  return reader
}

function writePlace(request: ApiRequest, { name, areas, codes }: Suggestion): void {
  const { output } = request
  const { index } = request.service
  checkRoom(output)
  output.indexText(index.text, name)
  output.piece(CODE_COUNT)
  output.integer(codes)
  output.piece(AREAS)
  for (let i = 0; i < areas.length; i++) {
    checkRoom(output)
    output.piece(i === 0 ? FIRST_AREA : NEXT_AREA)
    output.indexText(index.text, index.admins[areas[i]])
    output.piece(AREA_CODE)
    output.indexText(index.text, index.admins[areas[i] + 1])
  }
  if (areas.length > 0) output.piece(AREA_END)
}
