/** What `postrie check` is asked to do, and what it counts: shared by the command, its threads and their files. */

/** Fields of the place that can be added to each result. */
export const PLACE_FIELDS = [
  'city',
  'state',
  'ST',
  'county',
  'latitude',
  'longitude',
  'accuracy',
  'timezone',
  'elevation',
] as const
export type PlaceField = (typeof PLACE_FIELDS)[number]

/** Columns of each result, before the place. */
export const RESULT_COLUMNS = ['valid', 'normalized', 'reason'] as const

export type Format = 'csv' | 'ndjson'

/** How records are read and results are written. Plain values, since threads get a copy. */
export interface CheckPlan {
  from: Format
  to: Format
  /** One ASCII character. */
  delimiter: string
  /** What ends a line of CSV output. */
  lineEnd: '\n' | '\r\n'
  /** Names of the columns of CSV input. */
  columns: readonly string[]
  /** Name of the column, or of the field of NDJSON, with the code. */
  code: string
  /** The same of the country; undefined: all records have `country`. */
  countryColumn: string | undefined
  /** Two letters, for records that do not name a country. */
  country: string | undefined
  fields: readonly PlaceField[]
  /** Before the name of each column of a result. */
  prefix: string
  /** Whether codes of digits alone have lost zeros at their beginning, as in a spreadsheet. */
  padsDigits: boolean
  /** Whether records with more or fewer fields than the header are taken. */
  takesRagged: boolean
}

/** Numbers of records by their result. */
export interface Counts {
  records: number
  valid: number
  not_found: number
  invalid_format: number
  unknown_country: number
}

export function noCounts(): Counts {
  return { records: 0, valid: 0, not_found: 0, invalid_format: 0, unknown_country: 0 }
}

/** Adds `more` to `counts`. */
export function addCounts(counts: Counts, more: Counts): void {
  for (const name of Object.keys(counts) as (keyof Counts)[]) counts[name] += more[name]
}

/** The input cannot be understood. The message names the record and says what was found and expected. */
export class InputError extends Error {
  override name = 'InputError'
}
