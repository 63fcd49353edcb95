/** The steps that the hot endpoints for one code share: checking `zipcode` and `country`, and finding the code. */
import type { ErrorCode } from '../errors.ts'
import type { Country } from '../index/country.ts'
import { countrySlot } from '../index/country-table.ts'
import { digitsEnd, MINUS } from '../text/json-bytes.ts'
import { ABSENT, NUMBER, STRING } from '../text/json-members.ts'
import { hasCedex, mayBePasted, putPasted } from '../text/pasted-code.ts'
import { FIELD } from './fields.ts'
import type { ApiRequest } from './service.ts'

/** Slot of `US`, the country of a request without one. */
const DEFAULT_SLOT = countrySlot(0x55, 0x53)

/** Checks the shape of both fields, and sets `request.country`. */
export function checkCode(request: ApiRequest): ErrorCode | null {
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
export function findRequestedCode(request: ApiRequest): void {
  const { fields, query, country, service } = request
  request.code = -1
  if (country === null || country === undefined) return
  const { bytes } = fields
  const start = fields.starts[FIELD.zipcode]
  const end = fields.ends[FIELD.zipcode]
  if (fields.kinds[FIELD.zipcode] === NUMBER) {
    // A negative or broken number is no code. In a string, `-` and `.` would be separators.
    if (bytes[start] === MINUS || digitsEnd(bytes, start) < end) return
    if (!query.set(bytes, start, end)) return
    query.pad(country.padTo)
    request.code = query.resolve(service.index.trie, country)
    return
  }
  if (query.set(bytes, start, end)) request.code = query.resolve(service.index.trie, country)
  if (request.code < 0 && mayBePasted(query.length)) findPasted(request, country)
}

function findPasted(request: ApiRequest, country: Country): void {
  const { fields, query, service } = request
  const start = fields.starts[FIELD.zipcode]
  const end = fields.ends[FIELD.zipcode]
  query.length = putPasted(fields.bytes, start, end, query.symbols, 0, hasCedex(country.cc))
  if (query.length > 0) request.code = query.resolve(service.index.trie, country)
}
