/** The plan of `postrie check`, from its options and the first line of the input. */
import { COLUMN_FIELDS, type ColumnField } from '../index/record-fields.ts'
import { CsvReader } from './csv.ts'
import { InputError } from './input-error.ts'
import { parsedLine } from './ndjson.ts'

export const PLACE_FIELDS: readonly PlaceField[] = COLUMN_FIELDS.map(({ column }) => column)
export type PlaceField = ColumnField['column']

export const RESULT_COLUMNS = ['valid', 'normalized', 'reason', 'detail'] as const

/** How records lie in the input and the output; an array of JSON is read as lines of its elements. */
export type Format = 'csv' | 'ndjson'

export interface CheckRequest {
  /** Undefined: by the first character. */
  from: Format | 'json' | undefined
  /** Undefined: the format of the input. */
  to: Format | undefined
  code: string | undefined
  countryColumn: string | undefined
  city: string | undefined
  state: string | undefined
  /** True if city and state are compared, in columns with usual names unless they are named. */
  verify: boolean
  /** Two letters, for records that do not name a country. */
  country: string | undefined
  delimiter: string | undefined
  fields: readonly PlaceField[]
  /** Before the name of each column of a result. */
  prefix: string
  /** True if codes of digits alone have lost zeros at their beginning, as in a spreadsheet. */
  padDigits: boolean
  /** True if records with fewer fields than the header are taken. */
  ragged: boolean
}

/** How records are read and results are written. Plain values, since threads get a copy. */
export interface CheckPlan extends CheckRequest {
  from: Format
  to: Format
  /** One ASCII character. */
  delimiter: string
  lineEnd: '\n' | '\r\n'
  columns: readonly string[]
  /** Name of the column, or of the field of NDJSON, with the code. */
  code: string
  added: readonly string[]
  compared: readonly ('city' | 'state')[]
}

/** Beginnings and ends of the names of columns that are taken: `Zip (Billing)`, `Billing Zip`. */
const CODE_ENDS = [
  'postalcode',
  'zipcode',
  'postcode',
  'zip',
  'plz',
  'postleitzahl',
  'codepostal',
  'codigopostal',
]
const COUNTRY_ENDS = ['countrycode', 'country']
/** Names by which a column is found when no option names it. Case, accents and punctuation do not count. */
const CODE_NAMES = [
  ...CODE_ENDS,
  'cp',
  'cap',
  'cep',
  'pincode',
  'eircode',
  'postnummer',
  'postnr',
  'kodpocztowy',
  'psc',
  'pin',
  '郵便番号',
  '邮政编码',
  '우편번호',
  'zip5',
  'code',
]
const COUNTRY_NAMES = [
  ...COUNTRY_ENDS,
  'cc',
  'iso2',
  'iso3',
  'land',
  'landercode',
  'pays',
  'pais',
  'paese',
  'nazione',
  'staat',
  'kraj',
]
const CITY_NAMES = [
  'city',
  'town',
  'placename',
  'locality',
  'ort',
  'stadt',
  'ville',
  'ciudad',
  'citta',
  'cidade',
]
const STATE_NAMES = ['state', 'province', 'region', 'st', 'bundesland', 'kanton', 'provincia', 'estado']
const DELIMITERS = [',', ';', '\t', '|']

/**
 * The plan for an input of records in the format `from` that begins with `line`.
 * @param onNote called with what was chosen, where something else may have been meant
 * @throws InputError when a column is missing, twice there, or already named as a result
 */
export function planOf(
  request: CheckRequest,
  from: Format,
  line: Buffer,
  lineEnd: '\n' | '\r\n',
  onNote: (note: string) => void,
): CheckPlan {
  const delimiter = request.delimiter ?? likelyDelimiter(line)
  const isCsv = from === 'csv'
  const to = request.to ?? from
  const columns = isCsv ? columnsOf(line, delimiter) : fieldNames(line)
  const choose = (names: readonly string[], ends: readonly string[], option: string) => {
    const [chosen, ...others] = candidates(columns, names, ends)
    if (others.length > 0)
      onNote(
        `the column ${JSON.stringify(chosen)} is read, and not ${listOf(others)}: ${option} names another`,
      )
    return chosen
  }
  const code = request.code ?? choose(CODE_NAMES, CODE_ENDS, '--code')
  const countryColumn = request.countryColumn ?? choose(COUNTRY_NAMES, COUNTRY_ENDS, '--country-column')
  const compared = {
    city: request.city ?? (request.verify ? choose(CITY_NAMES, ['city'], '--city') : undefined),
    state: request.state ?? (request.verify ? choose(STATE_NAMES, ['state'], '--state') : undefined),
  }
  const names = listOf(columns)
  if (request.verify && compared.city === undefined && compared.state === undefined)
    throw new InputError(
      `no column looks like a city or a state among ${names}: name it with --city or --state`,
    )
  if (code === undefined)
    throw new InputError(`no column looks like a postal code among ${names}: name it with --code`)
  if (countryColumn === undefined && request.country === undefined)
    throw new InputError(
      `no column looks like a country among ${names}: name it with --country-column, or give --country`,
    )
  for (const wanted of [code, countryColumn, compared.city, compared.state]) {
    if (wanted === undefined || !isCsv) continue
    const times = columns.filter(column => column === wanted).length
    if (times !== 1)
      throw new InputError(`the column ${JSON.stringify(wanted)} is there ${times} times among ${names}`)
  }
  const added = addedColumns({ ...request, ...compared })
  const taken = added.find(name => columns.includes(name))
  if (taken !== undefined)
    throw new InputError(
      `the input has a column ${JSON.stringify(taken)} already: choose other names with --prefix`,
    )
  return {
    ...request,
    from,
    to,
    delimiter: isCsv ? delimiter : (request.delimiter ?? ','),
    lineEnd: isCsv && to === 'csv' ? lineEnd : '\n',
    columns: isCsv || to === 'csv' ? columns : [],
    code,
    countryColumn,
    ...compared,
    compared: (['city', 'state'] as const).filter(name => compared[name] !== undefined),
    added,
  }
}

/** The fields of the place that are added to each record. */
export function fieldsOf({ fields }: CheckPlan): ColumnField[] {
  return fields.flatMap(name => COLUMN_FIELDS.filter(({ column }) => column === name))
}

function addedColumns({ prefix, fields, city, state }: CheckRequest): string[] {
  const fits = [
    ...(city === undefined ? [] : ['cityVerdict', 'rightCity']),
    ...(state === undefined ? [] : ['stateVerdict', 'rightState']),
  ]
  return [...RESULT_COLUMNS, ...fits, ...fields].map(name => prefix + name)
}

/** Columns that may be meant: those with one of the names, in the order of these, and those whose name ends or begins so. */
function candidates(
  columns: readonly string[],
  names: readonly string[],
  ends: readonly string[],
): (string | undefined)[] {
  const words = columns.map(
    column =>
      column
        .normalize('NFKD')
        .replace(/\p{M}/gu, '')
        // Hangul is taken apart by NFKD as well.
        .normalize('NFC')
        .toLowerCase()
        .match(/[\p{L}\p{N}]+/gu) ?? [],
  )
  const plain = words.map(each => each.join(''))
  const named = names.flatMap(name => columns.filter((_, i) => plain[i] === name))
  const ending = columns.filter((_, i) => ends.some(end => plain[i].endsWith(end)))
  const beginning = columns.filter((_, i) =>
    words[i].some((_, count) => ends.includes(words[i].slice(0, count).join(''))),
  )
  return [...new Set([...named, ...ending, ...beginning])]
}

function listOf(columns: readonly (string | undefined)[]): string {
  return columns.map(name => JSON.stringify(name)).join(', ')
}

/** The delimiter that the header has most of; a comma when it has none. */
function likelyDelimiter(line: Buffer): string {
  const unquoted = line.toString().replace(/"[^"]*"/g, '')
  const counts = DELIMITERS.map(delimiter => unquoted.split(delimiter).length)
  return DELIMITERS[counts.indexOf(Math.max(...counts))]
}

function columnsOf(line: Buffer, delimiter: string): readonly string[] {
  const reader = new CsvReader(line, delimiter)
  try {
    return reader.next() ? Array.from({ length: reader.count }, (_, i) => reader.field(i)) : ['']
  } catch (error) {
    if (!(error instanceof InputError)) throw error
    throw new InputError(`the first line, the header, has ${error.message}: it must be one line`)
  }
}

function fieldNames(line: Buffer): string[] {
  try {
    return Object.keys(parsedLine(line.toString()))
  } catch (error) {
    if (!(error instanceof InputError)) throw error
    throw new InputError(`record 1: ${error.message}`)
  }
}
