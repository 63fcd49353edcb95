/** POST /api/city: the postal codes of a city. */
import { ENDPOINT_USAGE } from '../../accounts/endpoint-usage.ts'
import type { ApiKey } from '../../accounts/types.ts'
import type { ErrorCode } from '../../errors.ts'
import { type CityMatch, type CityQuery, findCity, putCodes } from '../../index/cities/city-search.ts'
import type { Country } from '../../index/country.ts'
import type { Output } from '../../index/output.ts'
import { CITY_CODES_AT_ONCE, CITY_LISTS_MAX, CITY_PAGE_MAX, NAME_LENGTH_MAX } from '../../limits.ts'
import { BRACKET_CLOSE, BRACKET_OPEN } from '../../text/json-bytes.ts'
import { pieceOf } from '../../text/piece.ts'
import { checkCountry } from '../request/code-request.ts'
import { FIELD, type Field } from '../request/field-slots.ts'
import type { Fields } from '../request/fields.ts'
import { MoreFields } from '../request/more-fields.ts'
import { itemStarts } from '../response/item-starts.ts'
import { isRefused } from '../response/key-rules.ts'
import { ending, fail, failCharge, writeEnding } from '../response/respond.ts'
import type { ApiRequest, AwaitedList, Endpoint, Page, Service } from '../service.ts'

/** Bytes of UTF-8 that a character can take. */
const CHARACTER_BYTES_MAX = 4
const CITY_USAGE = ENDPOINT_USAGE.city

const HEAD = pieceOf('{"zipcodes":')
const PERFORMANCE = pieceOf(',"performance":{"totalTime":"')
const PERFORMANCE_END = pieceOf('ms"}')

const ENDING = ending(',"performance":{"totalTime":"0ms"}', ({ output, startedMs }, nowMs) => {
  output.piece(PERFORMANCE)
  output.integer(Math.round(nowMs - startedMs))
  output.piece(PERFORMANCE_END)
})

const EMPTY_LIST = pieceOf('[]').bytes

/** From this length on an answer is sent in parts, each when its reader has taken the one before. */
const PARTS_BYTES = 4096

/** What `find` leaves for `write`, next to a short list, which is in the output already. */
let match: CityMatch | undefined
/** A list that a worker has made, or that is answered in part: a JSON array. */
let prepared: Uint8Array | undefined
let page: Page | undefined

/** Lists that workers have made, by `listName`, the oldest first. They are dropped with their index. */
const lists = new WeakMap<Service['index'], Map<string, Uint8Array>>()

export const city: Endpoint = {
  usage: CITY_USAGE,
  check: checkCity,
  find: findCodes,
  write(request, key) {
    writeAnswer(request, prepared, match, page, key)
  },
}

function checkCity(request: ApiRequest): ErrorCode | null {
  const { fields } = request
  if (!fields.hasText(FIELD.city)) return 'MISSING_CITY'
  const invalid = checkCountry(request)
  if (invalid !== null) return invalid
  const stateless = !fields.hasText(FIELD.state) && !fields.hasText(FIELD.ST)
  return stateless && request.country?.cc === 'US' ? 'MISSING_STATE' : checkPage(request)
}

const pageFields = new MoreFields(['limit', 'offset'])

/** Reads `limit` and `offset`, which few requests have. A name with escapes may be one of them. */
function checkPage(request: ApiRequest): ErrorCode | null {
  page = undefined
  const { buffer, byteOffset, length } = request.body
  const body = Buffer.from(buffer, byteOffset, length)
  if (!body.includes('limit"') && !body.includes('offset"') && !body.includes('\\')) return null
  pageFields.read(request.body, request.fields.writtenView)
  if (!pageFields.has('limit') && !pageFields.has('offset')) return null
  const limit = pageFields.whole('limit', 1, CITY_PAGE_MAX, CITY_PAGE_MAX)
  if (limit === undefined) return 'INVALID_LIMIT'
  const offset = pageFields.whole('offset', 0, CITY_PAGE_MAX, 0)
  if (offset === undefined) return 'INVALID_OFFSET'
  page = { limit, offset }
  return null
}

function findCodes(request: ApiRequest): ErrorCode | null {
  const { country, service } = request
  if (country === null || country === undefined) return 'CITY_NOT_FOUND'
  const query = queryOf(request)
  match = query && findCity(service.index, country, query)
  if (query === undefined || match === undefined) return 'CITY_NOT_FOUND'
  prepared = undefined
  if (match.codeCount <= CITY_CODES_AT_ONCE) {
    const { output } = request
    output.piece(HEAD)
    output.length = putCodes(service.index, country, match.places, output.bytes, output.length)
    if (page !== undefined) {
      prepared = new Uint8Array(output.bytes.subarray(HEAD.bytes.length, output.length))
      output.length = 0
    }
    return null
  }
  const name = listName(country, match)
  prepared = lists.get(service.index)?.get(name)
  if (prepared === undefined)
    request.awaits = { name, cc: country.cc, query, match, index: service.index, page }
  return null
}

/** Undefined when one of the texts is too long to be a name: the Unicode forms of such a text are never computed. */
function queryOf({ fields }: ApiRequest): CityQuery | undefined {
  const city = nameIn(fields, FIELD.city)
  const state = nameIn(fields, FIELD.state)
  const stateCode = nameIn(fields, FIELD.ST)
  return city === null || city === undefined || state === null || stateCode === null
    ? undefined
    : { city, state, stateCode }
}

/** The text of a field; undefined when it has none, null when that is too long to be a name. */
function nameIn(fields: Fields, field: Field): string | undefined | null {
  if (!fields.hasText(field)) return undefined
  const bytes = fields.ends[field] - fields.starts[field]
  if (bytes > NAME_LENGTH_MAX * CHARACTER_BYTES_MAX) return null
  const text = fields.text(field)
  // Few texts are so long that their characters, which are not their units, have to be counted.
  return text.length > NAME_LENGTH_MAX && [...text].length > NAME_LENGTH_MAX ? null : text
}

/** The same for every query that leads to the same places. */
function listName({ cc }: Country, { places }: CityMatch): string {
  return `${cc} ${places.join()}`
}

/**
 * Answers a request whose list a worker has made, and keeps the list for the next one.
 * @param made a JSON array in UTF-8
 */
export function answerAwaited(
  request: ApiRequest,
  awaited: AwaitedList,
  key: ApiKey,
  made: Uint8Array,
): void {
  keepList(awaited, made)
  // The key may have been revoked, or its rules changed, while the request waited.
  if (!request.service.meter.isActive(key)) return fail(request, 'INVALID_API_KEY')
  request.key = key
  if (key.rules !== null && isRefused(request, key.rules, CITY_USAGE)) return
  if (!request.service.meter.charge(key, CITY_USAGE, 1))
    return failCharge(request, key, 1, 'INSUFFICIENT_BALANCE')
  request.chargedQueries = 1
  writeAnswer(request, made, awaited.match, awaited.page, key)
}

function keepList({ index, name }: AwaitedList, made: Uint8Array): void {
  const kept = lists.get(index) ?? new Map<string, Uint8Array>()
  lists.set(index, kept)
  for (const oldest of kept.keys()) {
    if (kept.size < CITY_LISTS_MAX) break
    kept.delete(oldest)
  }
  kept.set(name, made)
}

/**
 * Writes the rest of the answer after the list, which is `made` or in the output already. It has room there: a list of
 * `CITY_CODES_AT_ONCE` codes takes 52 KB at most, the three texts 12.
 */
function writeAnswer(
  request: ApiRequest,
  made: Uint8Array | undefined,
  match: CityMatch | undefined,
  page: Page | undefined,
  key: ApiKey,
): void {
  const { output } = request
  const list = made === undefined || page === undefined ? made : partOf(made, page)
  const matched = match?.matched
  if (matched !== undefined) {
    writeMatched(output, 'matchedCity', matched.city)
    writeMatched(output, 'matchedState', matched.state)
    writeMatched(output, 'matchedST', matched.stateCode)
  }
  if (made !== undefined && page !== undefined) output.utf8(`,"total":${startsIn(made).length - 1}`)
  writeEnding(request, ENDING, key)
  if (list !== undefined) request.large = Buffer.concat([HEAD.bytes, list, output.view()])
  else if (output.length >= PARTS_BYTES) request.large = output.view()
}

function writeMatched(output: Output, name: string, text: string): void {
  if (text !== '') output.utf8(`,"${name}":${JSON.stringify(text)}`)
}

/** Where the codes of a list begin: found at the first part of it that is asked for. */
const starts = new WeakMap<Uint8Array, Uint32Array>()

function startsIn(list: Uint8Array): Uint32Array {
  let at = starts.get(list)
  if (at === undefined) {
    at = itemStarts(list)
    starts.set(list, at)
  }
  return at
}

/** The part of a list that was asked for, as a JSON array. */
function partOf(list: Uint8Array, { limit, offset }: Page): Uint8Array {
  const at = startsIn(list)
  const total = at.length - 1
  const first = Math.min(offset, total)
  const end = Math.min(offset + limit, total)
  if (first === end) return EMPTY_LIST
  // Each code begins after the bracket or comma before it, and that comma, or the closing bracket, becomes a bracket.
  const part = new Uint8Array(list.subarray(at[first] - 1, at[end]))
  part[0] = BRACKET_OPEN
  part[part.length - 1] = BRACKET_CLOSE
  return part
}
