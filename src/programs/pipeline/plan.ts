/** The plan of `postrie check`, from its options and the first line of the input. */
import { COLUMN_FIELDS, type ColumnField } from '../../postal/index/record-fields.ts'
import { CsvReader } from './csv-reader.ts'
import { InputError } from './input-error.ts'

export const PLACE_FIELDS: readonly PlaceField[] = COLUMN_FIELDS.map(({ column }) => column)
export type PlaceField = ColumnField['column']

export const RESULT_COLUMNS = ['valid', 'normalized', 'reason', 'detail'] as const
const COMPARED = ['city', 'state'] as const
const VERDICT_COLUMNS = { city: ['cityVerdict', 'rightCity'], state: ['stateVerdict', 'rightState'] }

/** Treatment of malformed records: keep the text in the code's column, leave it out, or end the check. */
export const MALFORMED = ['keep', 'skip', 'stop'] as const

/** Format of input and output. A JSON array is read as one record per element. */
export type Format = 'csv' | 'ndjson'

export interface CheckRequest {
  /** Undefined to guess by the first character. */
  from: Format | 'json' | undefined
  /** Absent: the format of the input. */
  to?: Format | undefined
  code?: string | undefined
  countryColumn?: string | undefined
  city?: string | undefined
  state?: string | undefined
  /** True to compare city and state. `city` and `state` name their columns, else usual names are tried. */
  verify: boolean
  /** Two letters, for records without a country. */
  country?: string | undefined
  delimiter?: string | undefined
  fields: readonly PlaceField[]
  /** Text before the names of added columns. */
  prefix: string
  /** True to restore zeros that a spreadsheet removed from the start of a code. */
  padDigits: boolean
  /** True to accept records with fewer fields than the header. */
  ragged: boolean
  malformed: (typeof MALFORMED)[number]
}

/** Instructions to read records and write results. Plain values, because threads get a copy. */
export interface CheckPlan extends CheckRequest {
  from: Format
  to: Format
  /** One ASCII character. */
  delimiter: string
  lineEnd: '\n' | '\r\n'
  columns: readonly string[]
  code: string
  added: readonly string[]
  compared: readonly (typeof COMPARED)[number][]
}

/** First or last words of a code column's name: `Zip (Billing)`, `BillingZip`. */
const CODE_EDGES = listed(
  'postalcode zipcode postcode zip plz postleitzahl codepostal codigopostal postakodu почтовыйиндекс ' +
    '郵便番号 우편번호 邮政编码 郵遞區號 邮编 الرمزالبريدي पिनकोड',
)
/** First or last words of a country column's name. */
const COUNTRY_EDGES = listed(
  'countrycode country странакод страна ulkekodu ulke 国コード 国名 国家代码 国家 國家 국가코드 국가 رمزالدولة الدولة البلد देशकोड देश',
)
/** Names of a column with the code, best first. Case, accents and punctuation are ignored. */
const CODE_NAMES = [
  ...CODE_EDGES,
  ...listed(
    'cp cap cep pincode eircode postnummer postnr kodpocztowy psc pin индекс 郵政編碼 رمزبريدي डाककोड zip5 code',
  ),
]
const COUNTRY_NAMES = [
  ...COUNTRY_EDGES,
  ...listed('cc iso2 iso3 land landercode pays pais paese nazione staat kraj кодстраны 国 나라 دولة بلد'),
]
const CITY_NAMES = listed(
  'city town placename locality ort stadt ville ciudad citta cidade город населенныйпункт sehir ' +
    '市区町村 都市 도시 시군구 城市 المدينة مدينة शहर नगर',
)
const STATE_NAMES = listed(
  'state province region st bundesland kanton provincia estado область регион край il ' +
    '都道府県 시도 省 省份 州 المحافظة الولاية المنطقة राज्य',
)
/** Letters of an edge that is also found inside a word: `billingpostcode`, but not `capacity`. */
const INNER_EDGE_MIN = 6
const DELIMITERS = [',', ';', '\t', '|']
/** Maximum characters of a wrong line or code in messages and counts. */
export const SHOWN_LENGTH = 60

/**
 * Returns the plan for an input in the format `from` that begins with `line`. @param onNote gets guesses
 * @throws InputError if a column is missing, repeated, or has the name of a result
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
  const choose = (names: readonly string[], edges: readonly string[], option: string) => {
    const [chosen, ...others] = candidates(columns, names, edges)
    if (others.length > 0)
      onNote(
        `reading the column ${JSON.stringify(chosen)}, not ${listOf(others)}: to change this, use ${option}`,
      )
    return chosen
  }
  const code = request.code ?? choose(CODE_NAMES, CODE_EDGES, '--code')
  const countryColumn = request.countryColumn ?? choose(COUNTRY_NAMES, COUNTRY_EDGES, '--country-column')
  const comparedColumns = {
    city: request.city ?? (request.verify ? choose(CITY_NAMES, ['city'], '--city') : undefined),
    state: request.state ?? (request.verify ? choose(STATE_NAMES, ['state'], '--state') : undefined),
  }
  const names = listOf(columns)
  const compared = COMPARED.filter(name => comparedColumns[name] !== undefined)
  if (request.verify && compared.length === 0)
    throw new InputError(`no column of ${names} looks like a city or a state: name it with --city or --state`)
  for (const name of request.verify ? COMPARED : [])
    if (!compared.includes(name))
      onNote(`no column of ${names} looks like a ${name}, so none is compared: name it with --${name}`)
  if (code === undefined)
    throw new InputError(`no column of ${names} looks like a postal code: name it with --code`)
  if (countryColumn === undefined && request.country === undefined)
    throw new InputError(
      `no column of ${names} looks like a country: name it with --country-column, or add --country`,
    )
  for (const wanted of [code, countryColumn, comparedColumns.city, comparedColumns.state]) {
    if (wanted === undefined) continue
    const times = columns.filter(column => column === wanted).length
    if (times === 0 && !isCsv) onNote(`record 1 has no ${JSON.stringify(wanted)}: check the name`)
    if (times !== 1 && isCsv)
      throw new InputError(
        `the column ${JSON.stringify(wanted)} must appear once, not ${times} times, in ${names}`,
      )
  }
  const repeated = columns.find((name, i) => columns.indexOf(name) < i)
  if (to === 'ndjson' && repeated !== undefined)
    onNote(`several columns are called ${JSON.stringify(repeated)}: most readers of NDJSON take the last one`)
  const verdicts = compared.flatMap(name => VERDICT_COLUMNS[name])
  const added = [...RESULT_COLUMNS, ...verdicts, ...request.fields].map(name => request.prefix + name)
  expectFree(added, name => columns.includes(name))
  return {
    ...request,
    from,
    to,
    delimiter: isCsv ? delimiter : (request.delimiter ?? ','),
    lineEnd: isCsv && to === 'csv' ? lineEnd : '\n',
    columns: isCsv || to === 'csv' ? columns : [],
    code,
    countryColumn,
    ...comparedColumns,
    compared,
    added,
  }
}

export function fieldsOf({ fields }: CheckPlan): ColumnField[] {
  return fields.flatMap(name => COLUMN_FIELDS.filter(({ column }) => column === name))
}

/** Returns likely columns, in the order of `names`, then by the last and first words of their names. */
function candidates(
  columns: readonly string[],
  names: readonly string[],
  edges: readonly string[],
): (string | undefined)[] {
  const wordsOfColumns = columns.map(wordsOf)
  const plain = wordsOfColumns.map(each => each.join(''))
  const named = names.flatMap(name => columns.filter((_, i) => plain[i] === name))
  const isEdge = (words: readonly string[]) => edges.includes(words.join(''))
  const innerEdges = edges.filter(({ length }) => length >= INNER_EDGE_MIN)
  const ending = columns.filter(
    (_, i) =>
      wordsOfColumns[i].some((_, start, words) => isEdge(words.slice(start))) ||
      innerEdges.some(edge => plain[i].endsWith(edge)),
  )
  const beginning = columns.filter((_, i) =>
    wordsOfColumns[i].some((_, count, words) => isEdge(words.slice(0, count))),
  )
  return [...new Set([...named, ...ending, ...beginning])]
}

/** Returns the words of a name without accents, in small letters. */
function wordsOf(name: string): string[] {
  const plain = name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    // Joins Hangul, which NFKD has split.
    .normalize('NFC')
    .replace(/(?<=\p{Ll})(?=\p{Lu})/gu, ' ')
  return plain.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []
}

function listOf(columns: readonly (string | undefined)[]): string {
  return columns.map(name => JSON.stringify(name)).join(', ')
}

/** Returns the most frequent delimiter of the header; a comma if it has none. */
function likelyDelimiter(line: Buffer): string {
  const unquoted = line.toString().replace(/"[^"]*"/g, '')
  const counts = DELIMITERS.map(delimiter => unquoted.split(delimiter).length)
  return DELIMITERS[counts.indexOf(Math.max(...counts))]
}

function columnsOf(line: Buffer, delimiter: string): readonly string[] {
  const reader = new CsvReader(line, delimiter)
  try {
    reader.next()
    if (reader.fault !== undefined) throw new InputError(reader.fault)
    return Array.from({ length: reader.count }, (_, i) => reader.field(i))
  } catch (error) {
    if (!(error instanceof InputError)) throw error
    throw new InputError(`the header is malformed: ${error.message}. Write it on one line`)
  }
}

export function fieldNames(line: Buffer): string[] {
  const record = parseLine(line.toString())
  if (typeof record === 'string') throw new InputError(`record 1: ${record}`)
  return Object.keys(record)
}

function listed(text: string): string[] {
  return text.split(' ').map(name => wordsOf(name).join(''))
}

/** @throws InputError if an added column is taken */
export function expectFree(added: readonly string[], isTaken: (name: string) => boolean): void {
  const taken = added.find(isTaken)
  if (taken !== undefined)
    throw new InputError(
      `the input has a column ${JSON.stringify(taken)} already: choose other names with --prefix`,
    )
}

/** Parses a line of NDJSON. Returns its fault as text if it is not an object. */
export function parseLine(line: string): Record<string, unknown> | string {
  let value: unknown
  try {
    value = JSON.parse(line)
  } catch {
    return `${JSON.stringify(line.slice(0, SHOWN_LENGTH))} is not JSON`
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return `${line.slice(0, SHOWN_LENGTH)} is not an object`
  return value as Record<string, unknown>
}
