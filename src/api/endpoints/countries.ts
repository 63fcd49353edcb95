/** POST /api/countries: what the index covers, and POST /api/format: how a country writes its codes. */
import { ENDPOINT_USAGE } from '../../accounts/endpoint-usage.ts'
import type { ApiKey } from '../../accounts/types.ts'
import type { ErrorCode } from '../../errors.ts'
import { codeForms } from '../../index/code-forms.ts'
import { putForm } from '../../index/codes/written.ts'
import type { Country } from '../../index/country.ts'
import { damaged } from '../../index/index-file-error.ts'
import { OUTPUT_BYTES, type Output } from '../../index/output.ts'
import { countriesOf, type PostalIndex } from '../../index/postal-index.ts'
import type { CountryEntry } from '../../openapi/operations/countries.ts'
import { QUOTE } from '../../text/json-bytes.ts'
import { ABSENT } from '../../text/json-members.ts'
import { pieceOf } from '../../text/piece.ts'
import { checkCode, checkCountry, findRequestedCode } from '../request/code-request.ts'
import { FIELD } from '../request/field-slots.ts'
import { writeEnding } from '../response/respond.ts'
import { SHORT_ENDING } from '../response/short-ending.ts'
import type { ApiRequest, Endpoint } from '../service.ts'
import { nameOf } from './country-names.ts'

const VALID = pieceOf(',"valid":true,"normalized":"')
const INVALID = pieceOf(',"valid":false,"normalized":null')
/** Room for what follows the countries or forms, a written form among it. */
const ENDING_BYTES = 2048
/** From this length on an answer is sent in parts, each when its reader has taken the one before. */
const PARTS_BYTES = 4096

export const countries: Endpoint = {
  usage: ENDPOINT_USAGE.countries,
  check: request => (request.fields.kinds[FIELD.country] === ABSENT ? null : checkCountry(request)),
  find: findCountries,
  write: writeCountries,
}

export const format: Endpoint = {
  usage: ENDPOINT_USAGE.format,
  check: request =>
    request.fields.kinds[FIELD.zipcode] === ABSENT ? checkCountry(request) : checkCode(request),
  find: findFormat,
  write: writeFormat,
}

/** The beginning of an answer, without its closing brace. */
let made: Uint8Array = new Uint8Array(0)

function writeCountries(request: ApiRequest, key: ApiKey): void {
  const { output } = request
  putMade(output)
  writeEnding(request, SHORT_ENDING, key)
  // The socket may not take all of it at once.
  if (output.length >= PARTS_BYTES) request.large = output.view()
}

/** @throws DamagedIndexError when it does not fit, for which an index would need hundreds of countries too many */
function putMade(output: Output): void {
  if (made.length > OUTPUT_BYTES - ENDING_BYTES) damaged(`its countries take ${made.length} bytes as JSON`)
  output.bytes.set(made, output.length)
  output.length += made.length
}

/** Answers for all countries, by index: unpacking the rules of all of them takes some milliseconds. */
const lists = new WeakMap<PostalIndex, Uint8Array>()
/** Answers for one. A country belongs to its index and goes with it. */
const entries = new WeakMap<Country, Uint8Array>()

function findCountries({ fields, country, service: { index } }: ApiRequest): ErrorCode | null {
  if (fields.hasText(FIELD.country)) {
    if (country === null || country === undefined) return 'COUNTRY_WITHOUT_DATA'
    made = keptOr(entries, country, () => listText([country]))
  } else made = keptOr(lists, index, () => listText(countriesOf(index)))
  return null
}

/** The bytes that `map` has for `of`, or those that `make` makes, which it then has. */
function keptOr<T extends object>(map: WeakMap<T, Uint8Array>, of: T, make: () => Uint8Array): Uint8Array {
  const known = map.get(of)
  if (known !== undefined) return known
  const bytes = make()
  map.set(of, bytes)
  return bytes
}

function listText(countries: readonly Country[]): Uint8Array {
  return opened({ countries: countries.map(entryOf) })
}

function entryOf({ cc, meta }: Country): CountryEntry {
  const { codeCount, placeCount, completeness, positions, zoned, elevated, named } = meta
  return {
    country: cc,
    name: nameOf(cc),
    completeness,
    codes: codeCount,
    places: placeCount,
    withPosition: positions,
    withTimezone: zoned,
    withElevation: elevated,
    withName: named,
  }
}

/** How a country writes its codes, which is the beginning of every answer about one of its codes. */
const forms = new WeakMap<Country, Uint8Array>()

function findFormat(request: ApiRequest): ErrorCode | null {
  const { country, fields } = request
  if (country === null || country === undefined) return 'COUNTRY_WITHOUT_DATA'
  made = keptOr(forms, country, () => opened({ country: country.cc, formats: codeForms(country.meta) }))
  if (fields.kinds[FIELD.zipcode] !== ABSENT) findRequestedCode(request)
  return null
}

function writeFormat(request: ApiRequest, key: ApiKey): void {
  const { output, code, country, fields, service } = request
  putMade(output)
  if (fields.kinds[FIELD.zipcode] !== ABSENT) {
    if (code < 0) output.piece(INVALID)
    else {
      output.piece(VALID)
      // `find` has succeeded, so there is a country.
      output.length = putForm(service.index, country as Country, code, output.bytes, output.length)
      output.byte(QUOTE)
    }
  }
  writeEnding(request, SHORT_ENDING, key)
}

function opened(answer: object): Uint8Array {
  return Buffer.from(JSON.stringify(answer).slice(0, -1))
}
