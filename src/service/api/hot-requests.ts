/** Reads requests of lookup, metacode and validate from the bytes of the body. Unusual bodies are cold. */
import { countrySlot, countrySlotOf, DEFAULT_COUNTRY, NO_COUNTRY } from '../../postal/index/country-table.ts'
import { ABSENT, NUMBER, STRING, scanObject } from '../../postal/text/json.ts'
import { metacode } from '../endpoints/codes.ts'
import type { Endpoint, Fault } from '../endpoints/endpoint.ts'
import { answerChecked, type MakeAnswer } from './checks.ts'
import {
  type ApiRequest,
  HOT_FIELD,
  HOT_FIELD_NAMES,
  type HotField,
  type HotFields,
  NO_SECRET,
} from './request.ts'

const DEFAULT_SLOT = countrySlotOf(DEFAULT_COUNTRY)
const FIRST_REQUESTED = Object.keys(HOT_FIELD).length
const MISSING_ZIPCODE: Fault = { error: 'MISSING_ZIPCODE' }
const INVALID_COUNTRY: Fault = { error: 'INVALID_COUNTRY' }

/** Answers into `request.output`. Returns false for a body that `answerCold` must answer. */
export function answerHot(
  request: ApiRequest,
  endpoint: Endpoint,
  makeAnswer: MakeAnswer,
  body: Uint8Array,
): boolean {
  const { fields } = request
  fields.bytes.set(body)
  if (!scanObject(body, HOT_FIELD_NAMES, fields) || (endpoint.name === metacode.name && asksMore(fields)))
    return false
  if (hasText(fields, HOT_FIELD.apiKey)) {
    request.secret = fields.bytes
    request.secretStart = fields.starts[HOT_FIELD.apiKey]
    request.secretEnd = fields.ends[HOT_FIELD.apiKey]
  } else request.takeSecret(NO_SECRET)
  const hasCode = fields.kinds[HOT_FIELD.zipcode] === NUMBER || hasText(fields, HOT_FIELD.zipcode)
  answerChecked(request, endpoint, hasCode ? readCountry(request) : MISSING_ZIPCODE, makeAnswer)
  return true
}

/** Returns true if the body asks for fields that records have on request only. */
function asksMore({ kinds }: HotFields): boolean {
  for (let field = FIRST_REQUESTED; field < kinds.length; field++) if (kinds[field] !== ABSENT) return true
  return false
}

function hasText({ kinds, starts, ends }: HotFields, field: HotField): boolean {
  return kinds[field] === STRING && ends[field] > starts[field]
}

/** Sets `request.country`. Empty text counts as absent: clients send it for an option that is not set. */
function readCountry(request: ApiRequest): Fault | null {
  const { fields, context } = request
  const { countries } = context.index
  const kind = fields.kinds[HOT_FIELD.country]
  const start = fields.starts[HOT_FIELD.country]
  const length = fields.ends[HOT_FIELD.country] - start
  if (kind === ABSENT || (kind === STRING && length === 0)) {
    request.country = countries.at(DEFAULT_SLOT)
    return null
  }
  if (kind !== STRING || length !== 2) return INVALID_COUNTRY
  request.country = countries.at(countrySlot(fields.bytes[start], fields.bytes[start + 1]))
  return request.country === NO_COUNTRY ? INVALID_COUNTRY : null
}
