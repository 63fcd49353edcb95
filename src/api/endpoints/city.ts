/** POST /api/city: the postal codes of a city. */
import type { Account, ApiKey } from '../../accounts/types.ts'
import type { ErrorCode } from '../../errors.ts'
import { type CityMatch, type CityQuery, codesOf, findCity } from '../../index/cities/city-search.ts'
import type { Country } from '../../index/country.ts'
import { CITY_CODES_AT_ONCE, CITY_LISTS_MAX, NAME_LENGTH_MAX } from '../../limits.ts'
import { checkCountry } from '../request/code-request.ts'
import { FIELD, type Field } from '../request/field-slots.ts'
import { fail, failCharge, listEnding, rateLimitView } from '../response/respond.ts'
import type { ApiRequest, AwaitedList, Endpoint, Service } from '../service.ts'

/** Bytes of UTF-8 that a character can take. */
const CHARACTER_BYTES_MAX = 4
const CITY_USAGE = 3

/** What `find` leaves for `write`. The list of codes is a JSON array, as text or in UTF-8. */
let match: CityMatch | undefined
let list: string | Uint8Array = ''

/** Lists that workers have made, by `listName`, the oldest first. They are dropped with their index. */
const lists = new WeakMap<Service['index'], Map<string, Uint8Array>>()

export const city: Endpoint = {
  usage: CITY_USAGE,
  check: checkCity,
  find: findCodes,
  write(request, { account }) {
    request.large = answerText(request, list, match, account)
  },
}

function checkCity(request: ApiRequest): ErrorCode | null {
  const { fields } = request
  if (!fields.hasText(FIELD.city)) return 'MISSING_CITY'
  const invalid = checkCountry(request)
  if (invalid !== null) return invalid
  const stateless = !fields.hasText(FIELD.state) && !fields.hasText(FIELD.ST)
  return stateless && request.country?.cc === 'US' ? 'MISSING_STATE' : null
}

function findCodes(request: ApiRequest): ErrorCode | null {
  const { country, service } = request
  if (country === null || country === undefined) return 'CITY_NOT_FOUND'
  const query = queryOf(request)
  match = query && findCity(service.index, country, query)
  if (query === undefined || match === undefined) return 'CITY_NOT_FOUND'
  if (match.codeCount <= CITY_CODES_AT_ONCE) {
    list = JSON.stringify(codesOf(service.index, country, match.places))
    return null
  }
  const name = listName(country, match)
  const prepared = lists.get(service.index)?.get(name)
  if (prepared !== undefined) list = prepared
  else request.awaits = { name, cc: country.cc, query, match, index: service.index }
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
  request.large = answerText(request, made, awaited.match, key.account)
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
  list: string | Uint8Array,
  match: CityMatch | undefined,
  account: Account,
): string | Uint8Array {
  const matched = match?.matched
  const field = (name: string, text: string | undefined) =>
    text === undefined || text === '' ? '' : `,"${name}":${JSON.stringify(text)}`
  const rest = [
    field('matchedCity', matched?.city),
    field('matchedState', matched?.state),
    field('matchedST', matched?.stateCode),
    listEnding(request, account, rateLimitView(account)),
  ].join('')
  const head = '{"zipcodes":'
  if (typeof list === 'string') return head + list + rest
  return Buffer.concat([Buffer.from(head), list, Buffer.from(rest)])
}
