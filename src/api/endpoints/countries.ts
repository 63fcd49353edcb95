/** POST /api/countries: what the index covers, and POST /api/format: how a country writes its codes. */
import { ENDPOINT_USAGE } from '../../accounts/endpoint-usage.ts'
import type { ApiKey } from '../../accounts/types.ts'
import type { ErrorCode } from '../../errors.ts'
import { codeForms } from '../../index/code-forms.ts'
import { formOfCode } from '../../index/codes/written.ts'
import type { Country } from '../../index/country.ts'
import { countriesOf, type PostalIndex } from '../../index/postal-index.ts'
import type { CountryEntry } from '../../openapi/operations/countries.ts'
import { ABSENT } from '../../text/json-members.ts'
import { checkCode, checkCountry, findRequestedCode } from '../request/code-request.ts'
import { FIELD } from '../request/field-slots.ts'
import { writeEnding } from '../response/respond.ts'
import { SHORT_ENDING } from '../response/short-ending.ts'
import type { ApiRequest, Endpoint } from '../service.ts'

export const countries: Endpoint = {
  usage: ENDPOINT_USAGE.countries,
  check: request => (request.fields.kinds[FIELD.country] === ABSENT ? null : checkCountry(request)),
  find: findCountries,
  write: writeMade,
}

export const format: Endpoint = {
  usage: ENDPOINT_USAGE.format,
  check: request =>
    request.fields.kinds[FIELD.zipcode] === ABSENT ? checkCountry(request) : checkCode(request),
  find: findFormat,
  write: writeMade,
}

/** The beginning of an answer, without its closing brace. */
let made: Uint8Array = new Uint8Array(0)

function writeMade(request: ApiRequest, key: ApiKey): void {
  const { output } = request
  writeEnding(request, SHORT_ENDING, key)
  request.large = Buffer.concat([made, output.view()])
}

/** Answers for all countries, by index: unpacking the rules of all of them takes some milliseconds. */
const lists = new WeakMap<PostalIndex, Uint8Array>()

function findCountries({ fields, country, service: { index } }: ApiRequest): ErrorCode | null {
  if (fields.hasText(FIELD.country)) {
    if (country === null || country === undefined) return 'COUNTRY_WITHOUT_DATA'
    made = listText([country])
    return null
  }
  const known = lists.get(index)
  made = known ?? listText(countriesOf(index))
  if (known === undefined) lists.set(index, made)
  return null
}

function listText(countries: readonly Country[]): Uint8Array {
  return opened({ countries: countries.map(entryOf) })
}

const names = new Intl.DisplayNames('en', { type: 'region' })

function entryOf({ cc, meta }: Country): CountryEntry {
  const { codeCount, placeCount, completeness, positions, zoned, elevated, named } = meta
  return {
    country: cc,
    name: names.of(cc) ?? cc,
    completeness,
    codes: codeCount,
    places: placeCount,
    withPosition: positions,
    withTimezone: zoned,
    withElevation: elevated,
    withName: named,
  }
}

function findFormat(request: ApiRequest): ErrorCode | null {
  const { country, fields, service } = request
  if (country === null || country === undefined) return 'COUNTRY_WITHOUT_DATA'
  const answer = { country: country.cc, formats: codeForms(country.meta) }
  if (fields.kinds[FIELD.zipcode] === ABSENT) made = opened(answer)
  else {
    findRequestedCode(request)
    const { code } = request
    made = opened({
      ...answer,
      valid: code >= 0,
      normalized: code >= 0 ? formOfCode(service.index, country, code) : null,
    })
  }
  return null
}

function opened(answer: object): Uint8Array {
  return Buffer.from(JSON.stringify(answer).slice(0, -1))
}
