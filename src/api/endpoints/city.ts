/** POST /api/city: the postal codes of a city. */
import { performance } from 'node:perf_hooks'
import type { ApiKey } from '../../accounts/types.ts'
import type { ErrorCode } from '../../errors.ts'
import { type CityAnswer, searchCity } from '../../index/cities/city-search.ts'
import { dollarsJson } from '../../money.ts'
import { checkCountry } from '../request/code-request.ts'
import { FIELD, type Field } from '../request/field-slots.ts'
import { rateLimitView } from '../response/respond.ts'
import type { ApiRequest, Endpoint } from '../service.ts'

/**
 * A city answer is a list of strings of any length, so it is made as strings and not in the output buffer: the list costs
 * far more than they do.
 */
let found: CityAnswer | undefined

export const city: Endpoint = {
  usage: 3,
  check: checkCity,
  find(request) {
    found = find(request)
    return found === undefined ? 'CITY_NOT_FOUND' : null
  },
  write: writeCity,
}

function checkCity(request: ApiRequest): ErrorCode | null {
  const { fields } = request
  if (!fields.hasText(FIELD.city)) return 'MISSING_CITY'
  const invalid = checkCountry(request)
  if (invalid !== null) return invalid
  const stateless = !fields.hasText(FIELD.state) && !fields.hasText(FIELD.ST)
  return stateless && request.country?.cc === 'US' ? 'MISSING_STATE' : null
}

function find(request: ApiRequest): CityAnswer | undefined {
  const { country, fields, service } = request
  if (country === null || country === undefined) return undefined
  const optional = (field: Field) => (fields.hasText(field) ? fields.text(field) : undefined)
  return searchCity(service.index, country, {
    city: fields.text(FIELD.city),
    state: optional(FIELD.state),
    stateCode: optional(FIELD.ST),
  })
}

function writeCity(request: ApiRequest, { account }: ApiKey): void {
  // `find` has succeeded, so there is an answer.
  const { codes, matched } = found as CityAnswer
  const body = {
    zipcodes: codes,
    ...(matched !== undefined && { matchedCity: matched.city }),
    ...(matched?.state && { matchedState: matched.state }),
    ...(matched?.stateCode && { matchedST: matched.stateCode }),
    performance: { totalTime: `${Math.round(performance.now() - request.startedMs)}ms` },
    rateLimit: rateLimitView(account),
  }
  // The balance is spelled from whole micro-dollars; a number could not carry it without noise.
  request.large = `${JSON.stringify(body).slice(0, -1)},"balance":${dollarsJson(account.availableMicros)}}`
}
