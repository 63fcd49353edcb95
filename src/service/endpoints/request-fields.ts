/** Fields that several endpoints read: their schemas, checks and errors. */
import { DEFAULT_COUNTRY } from '../../postal/index/country-table.ts'
import { DETAILS } from '../../postal/index/post-table.ts'
import { REQUESTED_NAMES, type RequestedName } from '../../postal/index/record-fields.ts'
import type { ErrorCode } from '../errors.ts'
import type { Body, Fault, Field } from './endpoint.ts'
import {
  either,
  flag,
  integer,
  type JsonSchema,
  number,
  oneOfTexts,
  optional,
  type Schema,
  text,
} from './schema.ts'

type Accepts = (value: unknown) => boolean

export function requiredField<T>(schema: Schema<T>, error: ErrorCode, accepts: Accepts): Field<T> {
  return {
    schema,
    isRequired: true,
    errors: [error],
    check: value => (accepts(value) ? null : { error }),
  }
}

export function optionalField<T>(
  schema: Schema<T>,
  error: ErrorCode,
  accepts: Accepts,
): Field<T | undefined> {
  return {
    schema: optional(schema),
    isRequired: false,
    errors: [error],
    check: value => (value === undefined || accepts(value) ? null : { error }),
  }
}

/** Returns `field` with a rule on the whole body, checked first. */
export function withRule<T>(
  field: Field<T>,
  error: ErrorCode,
  breaks: (body: Body, value: unknown) => boolean,
): Field<T> {
  return {
    ...field,
    errors: [error, ...field.errors],
    check(value, body, codes): Fault | null {
      return breaks(body, value) ? { error } : field.check(value, body, codes)
    },
  }
}

export const isText: Accepts = value => typeof value === 'string' && value !== ''
export const isCode: Accepts = value => Number.isFinite(value) || isText(value)

export function optionalText(description: string, error: ErrorCode): Field<string | undefined> {
  return optionalField(text(description), error, isText)
}

export function numberField(description: string, error: ErrorCode, minimum: number, maximum: number) {
  return optionalField(number(description, { minimum, maximum }), error, value =>
    isFrom(value, minimum, maximum),
  )
}

export function wholeNumber(
  description: string,
  error: ErrorCode,
  minimum: number,
  maximum: number,
  more: JsonSchema = {},
) {
  const schema = integer(description, { minimum, maximum, ...more })
  return optionalField(schema, error, value => Number.isInteger(value) && isFrom(value, minimum, maximum))
}

function isFrom(value: unknown, minimum: number, maximum: number): boolean {
  return typeof value === 'number' && value >= minimum && value <= maximum
}

export const CODE = either(
  'A postal code, with or without separators. A number is padded with zeros if all codes of the country are digits of one length.',
  text('The code as a text.', { minLength: 1 }),
  number('The code as a number.'),
)
export const zipcode: Field<string | number> = requiredField(CODE, 'MISSING_ZIPCODE', isCode)
export const optionalZipcode: Field<string | number | undefined> = optionalField(
  CODE,
  'MISSING_ZIPCODE',
  isCode,
)

export const DETAIL = optional(
  oneOfTexts(
    '`wrong_format`: no form of the country. `no_data`: a form of the country, but the index has no codes of it. `no_postal_codes`: its post has none. Otherwise absent.',
    DETAILS,
  ),
)

const COUNTRY_TEXT = 'ISO 3166-1 alpha-2 code in capitals or small letters; `UK` means `GB`, `EL` means `GR`.'

export function countryField(
  more: JsonSchema,
  error: ErrorCode = 'INVALID_COUNTRY',
): Field<string | undefined> {
  return {
    schema: optional(text(COUNTRY_TEXT, more)),
    isRequired: false,
    errors: [error],
    check: (value, _body, codes) => (value === undefined || codes.knowsCountry(value) ? null : { error }),
  }
}

export const country: Field<string | undefined> = countryField({ default: DEFAULT_COUNTRY })
/** Field that means every country if absent. */
export const anyCountry: Field<string | undefined> = countryField({})

export function isUS(country: unknown): boolean {
  return country === undefined || (typeof country === 'string' && country.toUpperCase() === 'US')
}

export const LATITUDE = number('Degrees north, WGS 84.', { minimum: -90, maximum: 90 })
export const LONGITUDE = number('Degrees east, WGS 84.', { minimum: -180, maximum: 180 })

const flags: Readonly<Record<string, Field<boolean | undefined>>> = Object.fromEntries(
  REQUESTED_NAMES.map(name => [
    name,
    {
      schema: optional(flag(`True asks for \`${name}\`.`)),
      isRequired: false,
      errors: [],
      check: () => null,
    },
  ]),
)

/** Flags of the fields on request. Any value but `true` is ignored. */
export const requestedFlags = flags as { readonly [N in RequestedName]: Field<boolean | undefined> }

const { places: _, ...others } = requestedFlags
/** Flags in bulk requests, without `places`: the places of a thousand codes would delay other requests. */
export const requestedInBulk = others
