/**
 * Table of record fields: all data of a postal code, in the order of an answer. The writer of answers, the
 * library's metadata, their types, the OpenAPI document and the columns of `postrie check` derive from it.
 * build-index/build/stages.ts lists the steps that fill the fields, and build-index/write/ stores them.
 */
import {
  ADMIN_EXTRA,
  ADMIN_WORD,
  ADMIN_WORDS,
  ADMIN_ZONE,
  type AdminField,
  adminBefore,
  populationBefore,
} from '../format/admin-entry.ts'
import {
  ACCURACIES,
  accuracyAt,
  CODE_KINDS,
  DEGREE_SCALE,
  elevation,
  hasElevation,
  isPlaced,
  kindAt,
  latitude,
  longitude,
  nameOfCode,
} from '../format/code-entry.ts'
import { type PlaceOfRecord, placesOfCode } from './code-places.ts'
import type { Country } from './country.ts'
import type { PostalIndex } from './postal-index.ts'
import { areaText } from './read-place.ts'
import { escapedText, plainText, unescaped } from './text-section.ts'

export const UNKNOWN: number = -(2 ** 31)

/** Reads a number of code index `code`, or `UNKNOWN`. @param name offset in TEXT of its place's name */
export type ReadNumber = (index: PostalIndex, code: number, name: number) => number
/** Reads a text that needs no escape, `''` when unknown. @param adminWord first word of the place in ADMN */
export type ReadLabel = (index: PostalIndex, country: Country, code: number, adminWord: number) => string

interface Names {
  /** Name in records of the US; undefined if they lack the field. */
  readonly us?: string
  readonly world?: string
  /** Column of `postrie check`, the same for every country. */
  readonly column?: string
  /** True if the field is only present on request, by its `us` name. */
  readonly isOnRequest?: true
  readonly description: string
}

export type RecordField = Names &
  (
    | { readonly from: 'form' | 'name' | 'places' }
    /** @param texts all possible values, the first empty */
    | { readonly from: 'label'; readonly read: ReadLabel; readonly texts?: readonly string[] }
    /** Further fields of some countries: the inside of a JSON object in TEXT. */
    | { readonly from: 'extra' }
    | { readonly from: 'area'; readonly area: AdminField }
    | { readonly from: 'whole' | 'millionths'; readonly read: ReadNumber }
  )

const knownOr = (isKnown: boolean, value: number) => (isKnown ? value : UNKNOWN)

const RECORD_FIELDS = [
  { us: 'zipcode', world: 'postalCode', from: 'form', description: 'The code in its written form.' },
  { world: 'country', from: 'label', read: (_index, { cc }) => cc, description: 'ISO 3166-1 alpha-2.' },
  {
    us: 'city',
    world: 'placeName',
    column: 'city',
    from: 'name',
    description: 'Name of the primary place.',
  },
  {
    us: 'state',
    world: 'admin_name1',
    column: 'state',
    from: 'area',
    area: 'name1',
    description: 'Name of the area of level 1: state, region, province.',
  },
  {
    us: 'stateAbbrev',
    world: 'admin_code1',
    column: 'ST',
    from: 'area',
    area: 'code1',
    description: 'Code of the area of level 1.',
  },
  {
    us: 'county',
    world: 'admin_name2',
    column: 'county',
    from: 'area',
    area: 'name2',
    description: 'Name of the area of level 2: county, district.',
  },
  { world: 'admin_code2', from: 'area', area: 'code2', description: 'Code of the area of level 2.' },
  {
    world: 'admin_name3',
    from: 'area',
    area: 'name3',
    description: 'Name of the area of level 3: municipality, commune.',
  },
  { world: 'admin_code3', from: 'area', area: 'code3', description: 'Code of the area of level 3.' },
  { world: 'adminLevel1', from: 'extra', description: 'Top-level region; may differ from `admin_name1`.' },
  { world: 'adminLevel2', from: 'extra', description: 'Second-level region; may differ from `admin_name2`.' },
  { world: 'state', from: 'extra', description: 'Name of the state, where it differs from `admin_name1`.' },
  { world: 'municipality', from: 'extra', description: 'Name of the municipality.' },
  { world: 'city', from: 'extra', description: 'Name of the city, where it differs from `placeName`.' },
  {
    us: 'latitude',
    world: 'latitude',
    column: 'latitude',
    from: 'millionths',
    read: ({ codes }, code) => knownOr(isPlaced(codes, code), latitude(codes, code)),
    description: 'Degrees north, WGS 84.',
  },
  {
    us: 'longitude',
    world: 'longitude',
    column: 'longitude',
    from: 'millionths',
    read: ({ codes }, code) => knownOr(isPlaced(codes, code), longitude(codes, code)),
    description: 'Degrees east, WGS 84.',
  },
  {
    us: 'accuracy',
    world: 'accuracy',
    column: 'accuracy',
    from: 'label',
    texts: ACCURACIES,
    read: ({ grades }, _country, code) => ACCURACIES[accuracyAt(grades, code)],
    description: "`code`: the code's own position. `place`: that of its place. `area`: an estimate.",
  },
  {
    us: 'timezone',
    world: 'timezone',
    column: 'timezone',
    from: 'label',
    read: ({ admins, zones }, _country, _code, adminWord) => zones[admins[adminWord + ADMIN_ZONE]] ?? '',
    description: 'IANA time zone.',
  },
  {
    us: 'elevation',
    world: 'elevation',
    column: 'elevation',
    from: 'whole',
    read: ({ codes }, code) => knownOr(hasElevation(codes, code), elevation(codes, code)),
    description: 'Metres above sea level.',
  },
  {
    us: 'countyFips',
    column: 'countyFips',
    isOnRequest: true,
    from: 'area',
    area: 'code2',
    description: 'FIPS number of the county; only on request.',
  },
  {
    us: 'population',
    world: 'population',
    column: 'population',
    isOnRequest: true,
    from: 'whole',
    read: ({ text }, _code, name) => populationBefore(text, name) || UNKNOWN,
    description: 'Inhabitants of the primary place; only on request.',
  },
  {
    us: 'kind',
    world: 'kind',
    column: 'kind',
    isOnRequest: true,
    from: 'label',
    texts: CODE_KINDS,
    read: ({ grades }, _country, code) => CODE_KINDS[kindAt(grades, code)],
    description:
      '`street`, `box`, `unique` (one large receiver), `military` or `pickup`; absent where no source says. Only on request.',
  },
  {
    us: 'places',
    world: 'places',
    isOnRequest: true,
    from: 'places',
    description: 'All places that have the code, the primary one first; only on request.',
  },
] as const satisfies readonly RecordField[]

type Row = (typeof RECORD_FIELDS)[number]
type TypeOf<R extends Row> = R extends { texts: readonly (infer Text)[] }
  ? Exclude<Text, ''>
  : R['from'] extends 'places'
    ? PlaceOfRecord[]
    : R['from'] extends 'whole' | 'millionths'
      ? number
      : string
type RecordOf<Where extends 'us' | 'world'> = {
  [R in Row as R extends Readonly<Record<Where, infer Name extends string>> ? Name : never]?: TypeOf<R>
}

/** All data of a postal code, with US names in the US and others elsewhere. Unknown fields are absent. */
export type Metadata = RecordOf<'us'> & RecordOf<'world'> & { [field: string]: FieldValue }
type FieldValue = string | number | PlaceOfRecord[] | undefined

export type RequestedName = Extract<Row, { isOnRequest: true }>['us']
/** Fields on request: `{"population":true}`. */
export type Requested = { readonly [N in RequestedName]?: boolean }
export const REQUESTED_NAMES: readonly RequestedName[] = namedFields('us')
  .filter(({ field }) => field.isOnRequest === true)
  .map(({ name }) => name as RequestedName)
export const EVERY_FIELD = Object.fromEntries(REQUESTED_NAMES.map(name => [name, true])) as Requested

export type ColumnField = Extract<Row, { column: string }>
export const COLUMN_FIELDS: readonly ColumnField[] = RECORD_FIELDS.filter(field => 'column' in field)

export interface NamedField {
  readonly name: string
  readonly field: RecordField
}

export const US_FIELDS: readonly NamedField[] = namedFields('us')
/** Fields of all other records. */
export const WORLD_FIELDS: readonly NamedField[] = namedFields('world')

function namedFields(where: 'us' | 'world'): NamedField[] {
  const fields: readonly RecordField[] = RECORD_FIELDS
  return fields.flatMap(field => {
    const name = field[where]
    return name === undefined ? [] : [{ name, field }]
  })
}

/** Returns a field of a code, but not `form`, `extra` or `places`; undefined if unknown. */
export function fieldValue(
  field: RecordField,
  index: PostalIndex,
  country: Country,
  code: number,
): string | number | undefined {
  const { text } = index
  if (field[country.cc === 'US' ? 'us' : 'world'] === undefined) return undefined
  const name = nameOfCode(index, country, code)
  const adminWord = adminBefore(text, name) * ADMIN_WORDS
  switch (field.from) {
    case 'name':
      return plainText(text, name) || undefined
    case 'area':
      return areaText(index, adminWord + ADMIN_WORD[field.area]) || undefined
    case 'label':
      return field.read(index, country, code, adminWord) || undefined
    case 'millionths':
    case 'whole': {
      const value = field.read(index, code, name)
      if (value === UNKNOWN) return undefined
      return field.from === 'whole' ? value : value / DEGREE_SCALE
    }
    default:
      return undefined
  }
}

/** Returns all data of a code, in the form of `/api/metacode`. @param requested flags of fields on request */
export function recordOf(
  index: PostalIndex,
  country: Country,
  code: number,
  written: string,
  requested: Readonly<Record<string, unknown>>,
): Metadata {
  const { text, admins } = index
  const offset = admins[adminBefore(text, nameOfCode(index, country, code)) * ADMIN_WORDS + ADMIN_EXTRA]
  const extra = offset === 0 ? {} : unescaped<Metadata>(`{${escapedText(text, offset)}}`)
  const record: Record<string, FieldValue> = {}
  for (const { name, field } of country.cc === 'US' ? US_FIELDS : WORLD_FIELDS) {
    if (field.isOnRequest === true && requested[name] !== true) continue
    switch (field.from) {
      case 'form':
        record[name] = written
        break
      case 'extra':
        Object.assign(record, extra)
        break
      case 'places':
        record[name] = placesOfCode(index, country, code)
        break
      default: {
        const value = fieldValue(field, index, country, code)
        if (value !== undefined) record[name] = value
      }
    }
  }
  return record
}
