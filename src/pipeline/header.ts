/** From the first line of the input to a plan: which column is which, and how lines are written. */
import { fieldsOf } from './csv.ts'
import { type CheckPlan, type Format, InputError, type PlaceField, RESULT_COLUMNS } from './plan.ts'

/** Names under which columns are found without being named, compared without case, spaces, hyphens and underscores. */
const CODE_NAMES = [
  'postalcode',
  'zipcode',
  'postcode',
  'zip',
  'plz',
  'codepostal',
  'cp',
  'cap',
  'cep',
  'pincode',
  'code',
]
const COUNTRY_NAMES = ['countrycode', 'country', 'cc', 'iso2', 'land', 'pays', 'pais']
const DELIMITERS = [',', ';', '\t', '|']

/** What the command was given. */
export interface CheckRequest {
  from: Format
  to: Format
  code: string | undefined
  countryColumn: string | undefined
  country: string | undefined
  delimiter: string | undefined
  fields: readonly PlaceField[]
  prefix: string
  padsDigits: boolean
  takesRagged: boolean
}

/**
 * The plan for an input that begins with `line`.
 * @throws InputError when a column is missing, twice there, or already named as a result
 */
export function planOf(request: CheckRequest, line: Buffer, lineEnd: '\n' | '\r\n'): CheckPlan {
  const delimiter = request.delimiter ?? likelyDelimiter(line)
  const columns = request.from === 'csv' ? fieldsOf(line, 0, line.length, delimiter) : fieldNames(line)
  const code = request.code ?? known(columns, CODE_NAMES)
  const countryColumn = request.countryColumn ?? known(columns, COUNTRY_NAMES)
  const names = columns.map(name => JSON.stringify(name)).join(', ')
  if (code === undefined)
    throw new InputError(`no column looks like a postal code among ${names}: name it with --code`)
  if (countryColumn === undefined && request.country === undefined)
    throw new InputError(
      `no column looks like a country among ${names}: name it with --country-column, or give --country`,
    )
  for (const wanted of [code, countryColumn]) {
    if (wanted === undefined || request.from === 'ndjson') continue
    const times = columns.filter(column => column === wanted).length
    if (times !== 1)
      throw new InputError(`the column ${JSON.stringify(wanted)} is there ${times} times among ${names}`)
  }
  const taken = resultColumns(request).find(name => columns.includes(name))
  if (taken !== undefined)
    throw new InputError(
      `the input has a column ${JSON.stringify(taken)} already: choose other names with --prefix`,
    )
  const { from, to, country, fields, prefix, padsDigits, takesRagged } = request
  return {
    from,
    to,
    delimiter: from === 'csv' ? delimiter : ',',
    lineEnd: from === 'csv' && to === 'csv' ? lineEnd : '\n',
    columns: from === 'csv' ? columns : [],
    code,
    countryColumn,
    country,
    fields,
    prefix,
    padsDigits,
    takesRagged,
  }
}

/** Names of what is added to each record. */
export function resultColumns({ prefix, fields }: Pick<CheckPlan, 'prefix' | 'fields'>): string[] {
  return [...RESULT_COLUMNS, ...fields].map(name => prefix + name)
}

function known(columns: readonly string[], names: readonly string[]): string | undefined {
  const plain = columns.map(column => column.toLowerCase().replace(/[\s_-]/g, ''))
  const name = names.find(name => plain.includes(name))
  return name === undefined ? undefined : columns[plain.indexOf(name)]
}

/** The delimiter that the header has most of; a comma when it has none. */
function likelyDelimiter(line: Buffer): string {
  const unquoted = line.toString().replace(/"[^"]*"/g, '')
  const counts = DELIMITERS.map(delimiter => unquoted.split(delimiter).length)
  return DELIMITERS[counts.indexOf(Math.max(...counts))]
}

function fieldNames(line: Buffer): string[] {
  try {
    return Object.keys(JSON.parse(line.toString()))
  } catch {
    throw new InputError(`the first line ${JSON.stringify(line.toString().slice(0, 60))} is not JSON`)
  }
}
