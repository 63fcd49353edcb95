/** The steps that lookup, metacode and validate share: reading `zipcode` and `country`, and finding the code. */
import type { ErrorCode } from '../../errors.ts'
import { countrySlot } from '../../index/country-table.ts'
import { digitsEnd, MINUS } from '../../text/json-bytes.ts'
import type { ApiRequest } from '../service.ts'
import { ABSENT, FIELD, NUMBER, STRING } from './field-slots.ts'

/** Slot of `US`, the country of a request that names none. */
const DEFAULT_SLOT = countrySlot(0x55, 0x53)

/** Sets `request.country`. */
export function checkCountry(request: ApiRequest): ErrorCode | null {
  const { fields, service } = request
  const { countries } = service.index
  const kind = fields.kinds[FIELD.country]
  if (kind === ABSENT) {
    request.country = countries.at(DEFAULT_SLOT)
    return null
  }
  const start = fields.starts[FIELD.country]
  if (kind !== STRING || fields.ends[FIELD.country] - start !== 2) return 'INVALID_COUNTRY'
  request.country = countries.at(countrySlot(fields.bytes[start], fields.bytes[start + 1]))
  return request.country === undefined ? 'INVALID_COUNTRY' : null
}

export function checkCode(request: ApiRequest): ErrorCode | null {
  const { fields } = request
  if (fields.kinds[FIELD.zipcode] !== NUMBER && !fields.hasText(FIELD.zipcode)) return 'MISSING_ZIPCODE'
  return checkCountry(request)
}

/** Sets `request.code` to the code's index, or to -1 when there is no such code. */
export function findRequestedCode(request: ApiRequest): void {
  const { fields, query, country, service } = request
  request.code = -1
  if (country === null || country === undefined) return
  const start = fields.starts[FIELD.zipcode]
  const end = fields.ends[FIELD.zipcode]
  if (fields.kinds[FIELD.zipcode] === NUMBER) {
    // A negative or broken number is no code; its sign and point are not the separators that they are in text.
    if (fields.bytes[start] === MINUS || digitsEnd(fields.bytes, start) < end) return
    if (!query.set(fields.bytes, start, end)) return
    query.pad(country.padTo)
  } else if (!query.set(fields.bytes, start, end)) return
  request.code = query.resolve(service.index.trie, country)
}
