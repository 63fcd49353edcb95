/** Lookup, metacode and validate, from bytes of the body to texts of the index. Unusual bodies are cold. */
import { ADMIN_WORD, ADMIN_WORDS, adminBefore } from '../../postal/format/admin-entry.ts'
import type { Country } from '../../postal/index/country.ts'
import { countrySlot, countrySlotOf, DEFAULT_COUNTRY } from '../../postal/index/country-table.ts'
import { nameOfCode } from '../../postal/index/places.ts'
import { DETAILS, type Detail } from '../../postal/index/post-table.ts'
import { isoOf } from '../../postal/index/postal-index.ts'
import { writePosition, writeRecord } from '../../postal/index/record-json.ts'
import { MINUS, QUOTE } from '../../postal/text/json-bytes.ts'
import { ABSENT, NUMBER, STRING } from '../../postal/text/json-members.ts'
import { pieceOf } from '../../postal/text/piece.ts'
import { lookup, metacode, validate } from '../endpoints/codes.ts'
import type { Endpoint, Fault } from '../endpoints/endpoint.ts'
import { FIELD } from './body-scanner.ts'
import { answer, type Handling } from './checks.ts'
import { type ApiRequest, NO_SECRET } from './request.ts'
import { endingOf, writeEnding } from './write-ending.ts'

const DEFAULT_SLOT = countrySlotOf(DEFAULT_COUNTRY)

/** Endpoints whose usual bodies are read without `JSON.parse`. */
export const HOT_ENDPOINTS: Readonly<Record<string, Handling | undefined>> = {
  [lookup.name]: hotHandling(lookup, true, writeLookup),
  [metacode.name]: hotHandling(metacode, true, writeMetacode),
  [validate.name]: hotHandling(validate, false, writeValidity),
}

const NOT_FOUND: Fault = { error: 'CODE_NOT_FOUND' }
const MISSING_ZIPCODE: Fault = { error: 'MISSING_ZIPCODE' }
const INVALID_COUNTRY: Fault = { error: 'INVALID_COUNTRY' }

function hotHandling(endpoint: Endpoint, needsCode: boolean, write: (request: ApiRequest) => void): Handling {
  const ending = endingOf(endpoint)
  return {
    endpoint,
    malformed: checkCode,
    run(request) {
      findRequestedCode(request)
      if (request.code < 0 && needsCode) return NOT_FOUND
      write(request)
      return null
    },
    end: (request, key) => writeEnding(request, ending, key),
  }
}

/** Answers a request into `request.output`. Returns false for an unusual or malformed body, which `answerCold` answers. */
export function answerHot(request: ApiRequest, handling: Handling, body: Uint8Array): boolean {
  const { fields } = request
  if (!fields.read(body) || (handling.endpoint.name === metacode.name && fields.asksMore)) return false
  request.isReadable = true
  if (fields.hasText(FIELD.apiKey))
    request.takeSecret(fields.bytes, fields.starts[FIELD.apiKey], fields.ends[FIELD.apiKey])
  else request.takeSecret(NO_SECRET)
  answer(request, handling)
  return true
}

const CITY = pieceOf('{"city":"')
const STATE = pieceOf(',"state":"')
const ST = pieceOf(',"ST":"')
const NO_STATE = pieceOf(',"state":"","ST":""')

function writeLookup(request: ApiRequest): void {
  const { output, code } = request
  const { index } = request.answering
  const { admins, text } = index
  // A code was found, so there is a country.
  const country = request.country as Country
  const name = nameOfCode(index, country, code)
  output.member(CITY, text, name)
  if (country.cc === 'US') {
    const admin = adminBefore(text, name) * ADMIN_WORDS
    output.member(STATE, text, admins[admin + ADMIN_WORD.name1])
    output.member(ST, text, admins[admin + ADMIN_WORD.code1])
  } else output.piece(NO_STATE)
  writePosition(output, index, code)
}

const META = pieceOf('{"meta":')

function writeMetacode(request: ApiRequest): void {
  const { output, query, code, answering } = request
  const { symbols, keyStart, keyLength } = query
  output.piece(META)
  // A code was found, so there is a country.
  writeRecord(output, answering.index, request.country as Country, code, symbols, keyStart, keyLength)
}

const VALID = pieceOf('{"valid":true,"zipcode":')
const INVALID = pieceOf('{"valid":false,"zipcode":')
const DETAIL_PIECES = Object.fromEntries(DETAILS.map(detail => [detail, pieceOf(`,"detail":"${detail}"`)]))

function writeValidity(request: ApiRequest): void {
  const { code, fields, output } = request
  const isQuoted = fields.kinds[FIELD.zipcode] !== NUMBER
  output.piece(code < 0 ? INVALID : VALID)
  if (isQuoted) output.byte(QUOTE)
  output.slice(fields.bytes, fields.starts[FIELD.zipcode], fields.ends[FIELD.zipcode])
  if (isQuoted) output.byte(QUOTE)
  const detail = code < 0 ? detailOf(request) : undefined
  if (detail !== undefined) output.piece(DETAIL_PIECES[detail])
}

function detailOf({ answering: { index }, country, fields, query }: ApiRequest): Detail | undefined {
  const cc = country?.cc ?? isoOf(index, fields.text(FIELD.country))
  return index.posts.detail(cc, query.text, country !== null)
}

/** Checks the shape of both fields, and sets `request.country`. */
function checkCode(request: ApiRequest): Fault | null {
  const { fields } = request
  if (fields.kinds[FIELD.zipcode] !== NUMBER && !fields.hasText(FIELD.zipcode)) return MISSING_ZIPCODE
  return checkCountry(request)
}

/** An empty text counts as absent, because clients send one for an option that is not set. */
function checkCountry(request: ApiRequest): Fault | null {
  const { fields, answering } = request
  const { countries } = answering.index
  const kind = fields.kinds[FIELD.country]
  const start = fields.starts[FIELD.country]
  const length = fields.ends[FIELD.country] - start
  if (kind === ABSENT || (kind === STRING && length === 0)) {
    request.country = countries.at(DEFAULT_SLOT)
    return null
  }
  if (kind !== STRING || length !== 2) return INVALID_COUNTRY
  request.country = countries.at(countrySlot(fields.bytes[start], fields.bytes[start + 1]))
  return request.country === undefined ? INVALID_COUNTRY : null
}

/** Sets `request.code` to the code's index, or to -1 when there is no such code. */
function findRequestedCode(request: ApiRequest): void {
  const { fields, query, country, answering } = request
  const { trie } = answering.index
  const start = fields.starts[FIELD.zipcode]
  const end = fields.ends[FIELD.zipcode]
  if (fields.kinds[FIELD.zipcode] !== NUMBER) {
    request.code = query.findBytes(trie, country, fields.bytes, start, end)
    return
  }
  query.length = 0
  // A negative number is no code. In a string, `-` is a separator.
  if (fields.bytes[start] !== MINUS) query.set(fields.bytes, start, end)
  query.pad(country)
  request.code = query.resolve(trie, country)
}
