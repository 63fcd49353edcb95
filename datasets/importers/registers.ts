/** Official registers: the columns of the fields of an entry. */
import type { Completeness } from '../../src/postal/format/meta.ts'
import { quoted } from '../row.ts'
import { departmentOf } from '../sources/lists.ts'
import type { Entry, Found } from './gather.ts'
import { fromGrid, type Grid } from './grids.ts'
import { degrees, type Importer } from './importer.ts'
import { type TableFormat, table } from './table-file.ts'

interface Register extends Omit<Importer, 'read' | 'completeness'>, Omit<TableFormat, 'columns'> {
  /** Default: `full`. */
  completeness?: Completeness
  /** Columns by fields of an entry, and by names that `mend` uses. */
  fields: Readonly<Record<string, string>> & { code: string }
  /** Columns of the position, in degrees if there is no grid. */
  at?: readonly [east: string, north: string, grid?: Grid]
  /** @param cells by the names in `fields` */
  mend?(entry: Entry, cells: Readonly<Record<string, string>>): Found
}

function register({ fields, at, mend = entry => entry, ...rest }: Register): Importer {
  const names = Object.keys(fields)
  const [east, north, grid] = at ?? []
  const columns = [...Object.values(fields), east, north].filter(column => column !== undefined)
  const read = table({ ...rest, columns }, line => {
    const cells = Object.fromEntries(names.map((name, i) => [name, line[i]]))
    const { code } = cells
    // Joined files repeat the header.
    if (code === '' || code === fields.code) return null
    const [x = '', y = ''] = line.slice(names.length)
    const position = grid === undefined ? degrees(y, x) : fromGrid(grid, x, y)
    return mend({ place: '', ...cells, code, ...position }, cells)
  })
  return { completeness: 'full', ...rest, read }
}

/** Great Britain and Northern Ireland: every live postcode with its position. */
export const onspd = register({
  kind: 'onspd',
  title: 'ONS Postcode Directory',
  country: 'GB',
  licence: 'OGL-UK-3.0',
  attribution:
    'Contains OS data © Crown copyright and database right; contains Royal Mail data © Royal Mail copyright and database right; ' +
    'source: Office for National Statistics licensed under the Open Government Licence v.3.0',
  url: 'https://geoportal.statistics.gov.uk',
  delimiter: ',',
  fields: { code: 'pcds', ended: 'doterm', part: 'ctry', code2: 'oslaua' },
  at: ['long', 'lat'],
  // Terminated codes stay in the directory. Crown dependencies have no position there.
  mend: (entry, { ended, part }) =>
    ended === '' && Object.hasOwn(UK_PARTS, part) ? { ...entry, ...UK_PARTS[part] } : null,
})

/** Parts by codes of the Office for National Statistics, with their codes of ISO 3166-2. */
const UK_PARTS: Readonly<Record<string, Pick<Entry, 'code1' | 'name1'>>> = {
  E92000001: { code1: 'ENG', name1: 'England' },
  N92000002: { code1: 'NIR', name1: 'Northern Ireland' },
  S92000003: { code1: 'SCT', name1: 'Scotland' },
  W92000004: { code1: 'WLS', name1: 'Wales' },
}

/** France with overseas: every address, so every code that has one; no CEDEX. */
export const ban = register({
  kind: 'ban',
  title: 'Base Adresse Nationale',
  country: 'FR',
  licence: 'etalab-2.0',
  attribution: 'Base Adresse Nationale, adresse.data.gouv.fr',
  url: 'https://adresse.data.gouv.fr',
  delimiter: ';',
  fields: { code: 'code_postal', place: 'nom_commune', code3: 'code_insee' },
  at: ['lon', 'lat'],
  mend: (entry, { code3 }) => ({ ...entry, code2: departmentOf(code3) }),
})

/** Switzerland and Liechtenstein: localities with their codes and cantons, on the grid LV95. */
export const swisstopo = register({
  kind: 'swisstopo',
  title: 'Official index of localities',
  country: 'CH',
  licence: 'swisstopo OGD',
  attribution: '© swisstopo',
  url: 'https://www.swisstopo.admin.ch/en/official-directory-of-towns-and-cities',
  delimiter: ';',
  fields: {
    code: 'PLZ',
    place: 'Ortschaftsname',
    code1: 'Kantonskürzel',
    name3: 'Gemeindename',
    code3: 'BFS-Nr',
  },
  at: ['E', 'N', 'LV95'],
})

/** The Netherlands: every address with its full code, as the CSV extract of NLExtract has the national register. */
export const bag = register({
  kind: 'bag',
  title: 'Basisregistratie Adressen en Gebouwen',
  country: 'NL',
  licence: 'CC0-1.0',
  attribution: 'Kadaster, Basisregistratie Adressen en Gebouwen',
  url: 'https://www.kadaster.nl',
  delimiter: ';',
  fields: { code: 'postcode', place: 'woonplaats', name1: 'provincie', name2: 'gemeente' },
  at: ['x', 'y', 'RD'],
})

/** Denmark: every access address of the national register, in the columns of DAWA. */
export const dawa = register({
  kind: 'dawa',
  title: 'Danmarks Adresser',
  country: 'DK',
  licence: 'Klimadatastyrelsen open data terms',
  attribution: 'Indeholder data fra Klimadatastyrelsen, Danmarks Adresseregister',
  url: 'https://dawadocs.dataforsyningen.dk',
  delimiter: ',',
  fields: {
    code: 'postnr',
    place: 'postnrnavn',
    name1: 'regionsnavn',
    code1: 'regionskode',
    name2: 'kommunenavn',
    code2: 'kommunekode',
  },
  at: ['wgs84koordinat_længde', 'wgs84koordinat_bredde'],
})

/** Czechia: every address of RÚIAN, on the grid S-JTSK, one file for each municipality; join them first. */
export const ruian = register({
  kind: 'ruian',
  title: 'RÚIAN, addresses',
  country: 'CZ',
  licence: 'CC-BY-4.0',
  attribution: 'ČÚZK, RÚIAN',
  url: 'https://nahlizenidokn.cuzk.cz/StahniAdresniMistaRUIAN.aspx',
  encoding: 'windows-1250',
  delimiter: ';',
  fields: {
    code: 'PSČ',
    place: 'Název části obce',
    name3: 'Název obce',
    code3: 'Kód obce',
    west: 'Souřadnice Y',
    south: 'Souřadnice X',
  },
  mend: (entry, { place, name3, west, south }) => {
    const position = fromGrid('SJTSK', west && `-${west}`, south && `-${south}`)
    return { ...entry, place: place || name3, ...position }
  },
})

/** Mexico: every settlement with its code, municipality and state; no positions. The first line is a notice. */
export const sepomex = register({
  kind: 'sepomex',
  title: 'Catálogo Nacional de Códigos Postales',
  country: 'MX',
  licence: 'free for use, not for sale; Correos de México',
  attribution: 'Correos de México (SEPOMEX), Catálogo Nacional de Códigos Postales',
  url: 'https://www.correosdemexico.gob.mx',
  encoding: 'windows-1252',
  delimiter: '|',
  preamble: 1,
  fields: {
    code: 'd_codigo',
    place: 'd_asenta',
    name1: 'd_estado',
    name2: 'D_mnpio',
    code2: 'c_mnpio',
    name3: 'd_ciudad',
  },
  mend: entry => (/^\d{5}$/.test(entry.code) ? entry : `the code ${quoted(entry.code)}`),
})

/** Any country: addresses in the columns of OpenAddresses. The option names the country: `openaddresses-DE=<file>`. */
export const openAddresses = register({
  kind: 'openaddresses',
  title: 'OpenAddresses',
  country: '',
  licence: 'as the source of the country states',
  attribution: 'OpenAddresses contributors',
  url: 'https://openaddresses.io',
  completeness: 'partial',
  delimiter: ',',
  fields: { code: 'POSTCODE', place: 'CITY', name1: 'REGION', name2: 'DISTRICT' },
  at: ['LON', 'LAT'],
})
