/** POST /api/city: the postal codes of a city. */
import type { Account, ApiKey } from '../../accounts/types.ts'
import type { ErrorCode } from '../../errors.ts'
import { type CityMatch, type CityQuery, codesOf, findCity } from '../../index/cities/city-search.ts'
import type { Country } from '../../index/country.ts'
import { CITY_CODES_AT_ONCE, CITY_LISTS_MAX, CITY_PAGE_MAX, NAME_LENGTH_MAX } from '../../limits.ts'
import { checkCountry } from '../request/code-request.ts'
import { FIELD, type Field } from '../request/field-slots.ts'
import { hasField, moreFields, wholeField } from '../request/more-fields.ts'
import { itemStarts } from '../response/item-starts.ts'
import { fail, failCharge, listEnding, rateLimitView } from '../response/respond.ts'
import type { ApiRequest, AwaitedList, Endpoint, Page, Service } from '../service.ts'

/** Bytes of UTF-8 that a character can take. */
const CHARACTER_BYTES_MAX = 4
const CITY_USAGE = 3

/** The codes of a city: as texts, or as a JSON array in UTF-8. */
type Codes = readonly string[] | Uint8Array

/** What `check` leaves for `find`, and `find` for `write`. */
let match: CityMatch | undefined
let list: Codes = []
let page: Page | undefined

/** Lists that workers have made, by `listName`, the oldest first. They are dropped with their index. */
const lists = new WeakMap<Service['index'], Map<string, Uint8Array>>()

export const city: Endpoint = {
  usage: CITY_USAGE,
  check: checkCity,
  find: findCodes,
  write(request, { account }) {
    request.large = answerText(request, list, match, page, account)
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

/** Reads `limit` and `offset`, which few requests have. A name with escapes may be one of them. */
function checkPage(request: ApiRequest): ErrorCode | null {
  page = undefined
  const body = Buffer.from(request.body.buffer, request.body.byteOffset, request.body.length)
  if (!body.includes('limit"') && !body.includes('offset"') && !body.includes('\\')) return null
  const fields = moreFields(request)
  if (!hasField(fields, 'limit') && !hasField(fields, 'offset')) return null
  const limit = wholeField(fields, 'limit', 1, CITY_PAGE_MAX, CITY_PAGE_MAX)
  if (limit === undefined) return 'INVALID_LIMIT'
  const offset = wholeField(fields, 'offset', 0, CITY_PAGE_MAX, 0)
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
  if (match.codeCount <= CITY_CODES_AT_ONCE) {
    list = codesOf(service.index, country, match.places)
    return null
  }
  const name = listName(country, match)
  const prepared = lists.get(service.index)?.get(name)
  if (prepared !== undefined) list = prepared
  else request.awaits = { name, cc: country.cc, query, match, index: service.index, page }
  return null
}

/** Undefined when one of the texts is too long to be a name: the Unicode forms of such a text are never computed. */
function queryOf({ fields }: ApiRequest): CityQuery | undefined {
  const texts = [FIELD.city, FIELD.state, FIELD.ST]
  const isLong = (field: Field) =>
    fields.hasText(field) &&
    (fields.ends[field] - fields.starts[field] > NAME_LENGTH_MAX * CHARACTER_BYTES_MAX ||
      [...fields.text(field)].length > NAME_LENGTH_MAX)
  if (texts.some(isLong)) return undefined
  const optional = (field: Field) => (fields.hasText(field) ? fields.text(field) : undefined)
  return { city: fields.text(FIELD.city), state: optional(FIELD.state), stateCode: optional(FIELD.ST) }
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
  if (key.revokedMs !== 0) return fail(request, 'INVALID_API_KEY')
  if (!request.service.meter.charge(key, CITY_USAGE, 1))
    return failCharge(request, key, 1, 'INSUFFICIENT_BALANCE')
  request.large = answerText(request, made, awaited.match, awaited.page, key.account)
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

function answerText(
  request: ApiRequest,
  codes: Codes,
  match: CityMatch | undefined,
  page: Page | undefined,
  account: Account,
): string | Uint8Array {
  const matched = match?.matched
  const field = (name: string, text: string | undefined) =>
    text === undefined || text === '' ? '' : `,"${name}":${JSON.stringify(text)}`
  const [list, total] = page === undefined ? [whole(codes), ''] : pageOf(codes, page)
  const rest = [
    field('matchedCity', matched?.city),
    field('matchedState', matched?.state),
    field('matchedST', matched?.stateCode),
    total,
    listEnding(request, account, rateLimitView(account)),
  ].join('')
  const head = '{"zipcodes":'
  if (typeof list === 'string') return head + list + rest
  return Buffer.concat([Buffer.from(head), list, Buffer.from(rest)])
}

function whole(codes: Codes): string | Uint8Array {
  return codes instanceof Uint8Array ? codes : JSON.stringify(codes)
}

/** Where the codes of a list that a worker has made begin: found at the first page that is asked for. */
const starts = new WeakMap<Uint8Array, Uint32Array>()

/** The part of a list, as a JSON array, and the member that says how long the whole is. */
function pageOf(codes: Codes, { limit, offset }: Page): [list: string | Uint8Array, total: string] {
  if (!(codes instanceof Uint8Array))
    return [JSON.stringify(codes.slice(offset, offset + limit)), `,"total":${codes.length}`]
  let at = starts.get(codes)
  if (at === undefined) {
    at = itemStarts(codes)
    starts.set(codes, at)
  }
  const total = at.length - 1
  const first = Math.min(offset, total)
  const end = Math.min(offset + limit, total)
  // Each begins after the comma or bracket before it, and the last one ends before the closing bracket.
  const part = Buffer.from(codes.buffer, codes.byteOffset, codes.length).toString(
    'utf8',
    at[first],
    at[end] - 1,
  )
  return [first === end ? '[]' : `[${part}]`, `,"total":${total}`]
}
