/**
 * Lookup, metacode and validate: answered from the bytes of the body, and written from the texts of the index. Metacode with
 * requested fields and unusual bodies are cold, and the fourth hot endpoint, validate-bulk, is in `batches.ts`.
 */
import { performance } from 'node:perf_hooks'
import { QUERY_PRICE_MICROS } from '../../billing/money.ts'
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
import type { Endpoint } from '../endpoints/endpoint.ts'
import type { ErrorCode } from '../errors.ts'
import { FIELD } from './body-scanner.ts'
import { answerCold, type LEFT } from './cold.ts'
import { authenticated, fail, failCharge, failRateLimit, isRefusedByRules } from './refuse.ts'
import type { ApiRequest } from './service.ts'
import { type Ending, endingOf, writeEnding } from './write-ending.ts'

const DEFAULT_SLOT = countrySlotOf(DEFAULT_COUNTRY)

interface HotEndpoint {
  readonly definition: Endpoint
  readonly usage: number
  readonly needsCode: boolean
  readonly ending: Ending
  write(request: ApiRequest): void
}

export const HOT_ENDPOINTS: Readonly<Record<string, HotEndpoint>> = {
  [lookup.name]: hotEndpoint(lookup, true, writeLookup),
  [metacode.name]: hotEndpoint(metacode, true, writeMetacode),
  [validate.name]: hotEndpoint(validate, false, writeValidity),
}

function hotEndpoint(definition: Endpoint, needsCode: boolean, write: HotEndpoint['write']): HotEndpoint {
  return { definition, usage: Number(definition.usage), needsCode, ending: endingOf(definition), write }
}

/**
 * Answers `body` into `request.output`. The order of the checks is part of the contract: presence of the key, shape of the other
 * fields, the key itself, its rules, rate limits, balance, data. Only a success is charged: after it is in `output`, before it is
 * sent.
 */
export function answerHot(
  request: ApiRequest,
  endpoint: HotEndpoint,
  body: Uint8Array,
  made?: typeof LEFT,
): unknown {
  const { meter } = request.service
  request.begin(performance.now())
  if (!meter.healthy) return fail(request, 'UNAVAILABLE')
  const { fields, headerKey } = request
  // `answerCold` refuses malformed bodies and reads unusual ones.
  if (!fields.read(body) || (endpoint.usage === metacode.usage && fields.asksMore))
    return answerCold(request, endpoint.definition, body, made)
  const hasKey = fields.hasText(FIELD.apiKey)
  if (!hasKey && headerKey === '') return fail(request, 'MISSING_API_KEY')
  const secret = hasKey ? fields.bytes : Buffer.from(headerKey)
  const start = hasKey ? fields.starts[FIELD.apiKey] : 0
  const end = hasKey ? fields.ends[FIELD.apiKey] : secret.length
  const malformed = checkCode(request)
  if (malformed !== null) {
    request.key = meter.authenticate(secret, start, end)
    return fail(request, malformed)
  }
  const key = authenticated(request, secret, start, end)
  if (key === undefined) return
  if (key.rules !== null && isRefusedByRules(request, key.rules, endpoint.usage)) return
  const wait = meter.admit(key, 1)
  if (wait > 0) return failRateLimit(request, 'RATE_LIMIT', key, 1, wait)
  // Without limits nothing was checked: saves a clock read.
  request.limitedMs = key.limited.limits === null ? request.authenticatedMs : performance.now()
  if (key.account.availableMicros < QUERY_PRICE_MICROS && !meter.canPay(key, 1))
    return failCharge(request, key, 1, 'INSUFFICIENT_BALANCE')
  findRequestedCode(request)
  if (request.code < 0 && endpoint.needsCode) return fail(request, 'CODE_NOT_FOUND')
  endpoint.write(request)
  // The key's cap may refuse although the account could pay.
  if (!meter.charge(key, endpoint.usage, 1)) return failCharge(request, key, 1, 'INSUFFICIENT_BALANCE')
  request.chargedQueries = 1
  return writeEnding(request, endpoint.ending, key)
}

const CITY = pieceOf('{"city":"')
const STATE = pieceOf(',"state":"')
const ST = pieceOf(',"ST":"')
const NO_STATE = pieceOf(',"state":"","ST":""')

function writeLookup(request: ApiRequest): void {
  const { output, code } = request
  const { index } = request.service
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
  const { output, query, code, service } = request
  const { symbols, keyStart, keyLength } = query
  output.piece(META)
  // A code was found, so there is a country.
  writeRecord(output, service.index, request.country as Country, code, symbols, keyStart, keyLength)
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

function detailOf({ service: { index }, country, fields, query }: ApiRequest): Detail | undefined {
  const cc = country?.cc ?? isoOf(index, fields.text(FIELD.country))
  return index.posts.detail(cc, query.text, country !== null)
}

/** Checks the shape of both fields, and sets `request.country`. */
function checkCode(request: ApiRequest): ErrorCode | null {
  const { fields } = request
  if (fields.kinds[FIELD.zipcode] !== NUMBER && !fields.hasText(FIELD.zipcode)) return 'MISSING_ZIPCODE'
  return checkCountry(request)
}

/** An empty text counts as absent, because clients send one for an option that is not set. */
function checkCountry(request: ApiRequest): ErrorCode | null {
  const { fields, service } = request
  const { countries } = service.index
  const kind = fields.kinds[FIELD.country]
  const start = fields.starts[FIELD.country]
  const length = fields.ends[FIELD.country] - start
  if (kind === ABSENT || (kind === STRING && length === 0)) {
    request.country = countries.at(DEFAULT_SLOT)
    return null
  }
  if (kind !== STRING || length !== 2) return 'INVALID_COUNTRY'
  request.country = countries.at(countrySlot(fields.bytes[start], fields.bytes[start + 1]))
  return request.country === undefined ? 'INVALID_COUNTRY' : null
}

/** Sets `request.code` to the code's index, or to -1 when there is no such code. */
function findRequestedCode(request: ApiRequest): void {
  const { fields, query, country, service } = request
  const { trie } = service.index
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
