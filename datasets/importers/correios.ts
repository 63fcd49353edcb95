/** Brazil by ranges of the post's localities. The post sells full codes by state. */

import { dirname, join } from 'node:path'
import { addTo } from '../maps.ts'
import { isoAreas } from '../reference/iso-areas.ts'
import { NOWHERE, quoted } from '../row.ts'
import type { Entry } from './gather.ts'
import type { Importer } from './importer.ts'
import { readTable, type TableFormat, table } from './table-file.ts'

/** Digits of a CEP that name a range; three more name streets and buildings. */
const SECTOR_DIGITS = 5
/** The largest city, São Paulo, has 5,500. */
const SECTORS_MAX = 10_000
/** File in the folder of `LOG_LOCALIDADE.TXT`. */
const RANGES_FILE = 'LOG_FAIXA_LOCALIDADE.TXT'

/** Files of the e-DNE have no header. */
const LOCALITIES: TableFormat = {
  encoding: 'windows-1252',
  delimiter: '@',
  hasHeader: false,
  columns: [
    ...['LOC_NU', 'UFE_SG', 'LOC_NO', 'CEP', 'LOC_IN_SIT', 'LOC_IN_TIPO_LOC', 'LOC_NU_SUB', 'LOC_NO_ABREV'],
    'MUN_NU',
  ],
}
/** Newer editions have a fourth column. */
const RANGES: TableFormat = { ...LOCALITIES, columns: ['LOC_NU', 'LOC_CEP_INI', 'LOC_CEP_FIM'] }

/** Brazil: the first five digits by locality and municipality, without positions. */
export const correios: Importer = {
  kind: 'correios',
  title: 'e-DNE, localities and their ranges of CEP',
  country: 'BR',
  licence: 'sold by Correios; not for redistribution',
  attribution: 'Correios, Diretório Nacional de Endereços',
  url: 'https://www.correios.com.br',
  completeness: 'short codes',
  async read(path, country, take, onProgress) {
    const [names, ranges] = [await namesOf(path), await rangesOf(join(dirname(path), RANGES_FILE))]
    const states = new Map(isoAreas('BR').map(({ code, names: [name] }) => [code, name]))
    const read = table(LOCALITIES, cells => entriesOf(cells, states, names, ranges))
    await read(path, country, take, onProgress)
  },
}

/** Returns names by number: a district refers to its municipality by number. */
async function namesOf(path: string): Promise<Map<string, string>> {
  const names = new Map<string, string>()
  for await (const line of readTable(path, LOCALITIES))
    if (typeof line !== 'string') names.set(line[0], line[2])
  return names
}

type Range = readonly [first: string, last: string]

async function rangesOf(path: string): Promise<Map<string, Range[]>> {
  const ranges = new Map<string, Range[]>()
  for await (const line of readTable(path, RANGES)) {
    if (typeof line === 'string') throw new Error(`${path}: ${line}`)
    const [number, first, last] = line
    if (!isCep(first) || !isCep(last) || first > last || sectorOf(last) - sectorOf(first) >= SECTORS_MAX)
      throw new Error(
        `${path}: the range ${first} to ${last} of locality ${number} was found, two ascending codes of 8 digits expected, ` +
          `at most ${SECTORS_MAX} thousands apart`,
      )
    addTo(ranges, number, [first, last])
  }
  return ranges
}

function entriesOf(
  [number, state, place, cep, , kind, parent, , code2]: readonly string[],
  states: ReadonlyMap<string, string>,
  names: ReadonlyMap<string, string>,
  ranges: ReadonlyMap<string, readonly Range[]>,
): Entry[] | string {
  const name1 = states.get(state)
  if (name1 === undefined) return `the state ${quoted(state)}`
  if (cep !== '' && !isCep(cep)) return `the code ${quoted(cep)}`
  const sectors = new Set(cep === '' ? [] : [sectorOf(cep)])
  for (const [first, last] of ranges.get(number) ?? [])
    for (let sector = sectorOf(first); sector <= sectorOf(last); sector++) sectors.add(sector)
  // M is a municipality; other localities are parts of one.
  const municipality = kind === 'M' ? place : (names.get(parent) ?? '')
  const entry = {
    place,
    name1,
    code1: state,
    name2: municipality,
    code2,
    ...NOWHERE,
  }
  return Array.from(sectors, sector => ({ ...entry, code: String(sector).padStart(SECTOR_DIGITS, '0') }))
}

function isCep(text: string): boolean {
  return /^\d{8}$/.test(text)
}

function sectorOf(cep: string): number {
  return Number(cep.slice(0, SECTOR_DIGITS))
}
