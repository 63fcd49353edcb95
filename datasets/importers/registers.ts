/** Official registers: their columns, and how a line becomes an entry. */
import { NOWHERE, quoted } from '../row.ts'
import { fromGrid } from './grids.ts'
import { degrees, type Importer } from './importer.ts'
import { table } from './table-file.ts'

/** Great Britain and Northern Ireland: every live postcode with its position. */
export const onspd: Importer = {
  kind: 'onspd',
  title: 'ONS Postcode Directory',
  country: 'GB',
  licence: 'OGL-UK-3.0',
  attribution:
    'Contains OS data © Crown copyright and database right; contains Royal Mail data © Royal Mail copyright and database right; ' +
    'source: Office for National Statistics licensed under the Open Government Licence v.3.0',
  url: 'https://geoportal.statistics.gov.uk',
  completeness: 'full',
  read: table(
    { delimiter: ',', columns: ['pcds', 'doterm', 'ctry', 'oslaua', 'lat', 'long'] },
    ([code, ended, country, district, lat, lon]) => {
      // Terminated codes stay in the directory. Crown dependencies have no position there.
      if (ended !== '' || !(country in COUNTRIES)) return null
      // 99.999999 means an unknown position.
      const position = Number(lat) > 99 ? NOWHERE : degrees(lat, lon)
      const [code1, name1] = COUNTRIES[country]
      return { code, place: '', name1, code1, code2: district, ...position }
    },
  ),
}

/** Codes of the Office for National Statistics, with those of ISO 3166-2. */
const COUNTRIES: Readonly<Record<string, readonly [code: string, name: string]>> = {
  E92000001: ['ENG', 'England'],
  N92000002: ['NIR', 'Northern Ireland'],
  S92000003: ['SCT', 'Scotland'],
  W92000004: ['WLS', 'Wales'],
}

/** Great Britain without Northern Ireland; no names, positions on the National Grid. Its files have no header. */
export const codePointOpen: Importer = {
  kind: 'code-point-open',
  title: 'Code-Point Open',
  country: 'GB',
  licence: 'OGL-UK-3.0',
  attribution:
    'Contains OS data © Crown copyright and database right; contains Royal Mail data © Royal Mail copyright and database right',
  url: 'https://osdatahub.os.uk',
  completeness: 'full',
  read: table(
    {
      delimiter: ',',
      hasHeader: false,
      columns: [
        ...['postcode', 'quality', 'eastings', 'northings', 'country', 'region', 'health authority'],
        ...['county', 'district', 'ward'],
      ],
    },
    ([code, quality, east, north, , , , , district]) => {
      if (!/^[A-Z]{1,2}\d[A-Z\d]? ?\d[A-Z]{2}$/.test(code)) return `the postcode ${quoted(code)}`
      // 90 means an unknown position at the grid's origin.
      const position = quality === '90' ? NOWHERE : fromGrid('OSGB36', east, north)
      return { code, place: '', code2: district, ...position }
    },
  ),
}

/** France with overseas: every address, so every code that has one; no CEDEX. */
export const ban: Importer = {
  kind: 'ban',
  title: 'Base Adresse Nationale',
  country: 'FR',
  licence: 'etalab-2.0',
  attribution: 'Base Adresse Nationale, adresse.data.gouv.fr',
  url: 'https://adresse.data.gouv.fr',
  completeness: 'full',
  read: table(
    { delimiter: ';', columns: ['code_postal', 'nom_commune', 'code_insee', 'lon', 'lat'] },
    ([code, place, insee, lon, lat]) => {
      if (code === '') return null
      // A commune's number begins with its department's: two characters, three overseas.
      const code2 = insee.slice(0, insee.startsWith('97') || insee.startsWith('98') ? 3 : 2)
      return { code, place, code2, code3: insee, ...degrees(lat, lon) }
    },
  ),
}

/** Switzerland and Liechtenstein: localities with their codes and cantons, on the grid LV95. */
export const swisstopo: Importer = {
  kind: 'swisstopo',
  title: 'Official index of localities',
  country: 'CH',
  licence: 'swisstopo OGD',
  attribution: '© swisstopo',
  url: 'https://www.swisstopo.admin.ch/en/official-directory-of-towns-and-cities',
  completeness: 'full',
  read: table(
    {
      delimiter: ';',
      columns: ['Ortschaftsname', 'PLZ', 'Gemeindename', 'BFS-Nr', 'Kantonskürzel', 'E', 'N'],
    },
    ([place, code, municipality, number, canton, east, north]) => {
      const position = fromGrid('LV95', east, north)
      return { code, place, code1: canton, name3: municipality, code3: number, ...position }
    },
  ),
}

/** The Netherlands: every address with its full code, as the CSV extract of NLExtract has the national register. */
export const bag: Importer = {
  kind: 'bag',
  title: 'Basisregistratie Adressen en Gebouwen',
  country: 'NL',
  licence: 'CC0-1.0',
  attribution: 'Kadaster, Basisregistratie Adressen en Gebouwen',
  url: 'https://www.kadaster.nl',
  completeness: 'full',
  read: table(
    { delimiter: ';', columns: ['postcode', 'woonplaats', 'gemeente', 'provincie', 'x', 'y'] },
    ([code, place, municipality, province, x, y]) => {
      if (code === '') return null
      return { code, place, name1: province, name2: municipality, ...fromGrid('RD', x, y) }
    },
  ),
}

/** Denmark: every access address of the national register, in the columns of DAWA. */
export const dawa: Importer = {
  kind: 'dawa',
  title: 'Danmarks Adresser',
  country: 'DK',
  licence: 'Klimadatastyrelsen open data terms',
  attribution: 'Indeholder data fra Klimadatastyrelsen, Danmarks Adresseregister',
  url: 'https://dawadocs.dataforsyningen.dk',
  completeness: 'full',
  read: table(
    {
      delimiter: ',',
      columns: [
        ...['postnr', 'postnrnavn', 'kommunekode', 'kommunenavn', 'regionskode', 'regionsnavn'],
        ...['wgs84koordinat_bredde', 'wgs84koordinat_længde'],
      ],
    },
    ([code, place, code2, name2, code1, name1, lat, lon]) => {
      return code === '' ? null : { code, place, name1, code1, name2, code2, ...degrees(lat, lon) }
    },
  ),
}

/** Czechia: every address of RÚIAN, on the grid S-JTSK, one file for each municipality; join them first. */
export const ruian: Importer = {
  kind: 'ruian',
  title: 'RÚIAN, addresses',
  country: 'CZ',
  licence: 'CC-BY-4.0',
  attribution: 'ČÚZK, RÚIAN',
  url: 'https://nahlizenidokn.cuzk.cz/StahniAdresniMistaRUIAN.aspx',
  completeness: 'full',
  read: table(
    {
      encoding: 'windows-1250',
      delimiter: ';',
      columns: ['PSČ', 'Kód obce', 'Název obce', 'Název části obce', 'Souřadnice Y', 'Souřadnice X'],
    },
    ([code, number, municipality, part, y, x]) => {
      if (code === '' || code === 'PSČ') return null
      // The register's axes point south and west.
      const position = fromGrid('SJTSK', minus(y), minus(x))
      return { code, place: part || municipality, name3: municipality, code3: number, ...position }
    },
  ),
}

function minus(text: string): string {
  return text === '' ? '' : `-${text}`
}

/** Mexico: every settlement with its code, municipality and state; no positions. The first line is a notice. */
export const sepomex: Importer = {
  kind: 'sepomex',
  title: 'Catálogo Nacional de Códigos Postales',
  country: 'MX',
  licence: 'free for use, not for sale; Correos de México',
  attribution: 'Correos de México (SEPOMEX), Catálogo Nacional de Códigos Postales',
  url: 'https://www.correosdemexico.gob.mx',
  completeness: 'full',
  read: table(
    {
      encoding: 'windows-1252',
      delimiter: '|',
      preamble: 1,
      columns: ['d_codigo', 'd_asenta', 'D_mnpio', 'd_estado', 'd_ciudad', 'c_mnpio'],
    },
    ([code, place, municipality, state, city, number]) => {
      if (!/^\d{5}$/.test(code)) return `the code ${quoted(code)}`
      return { code, place, name1: state, name2: municipality, code2: number, name3: city, ...NOWHERE }
    },
  ),
}

/** Any country: addresses in the columns of OpenAddresses. The option names the country: `openaddresses-DE=<file>`. */
export const openAddresses: Importer = {
  kind: 'openaddresses',
  title: 'OpenAddresses',
  country: '',
  licence: 'as the source of the country states',
  attribution: 'OpenAddresses contributors',
  url: 'https://openaddresses.io',
  completeness: 'partial',
  read: table(
    { delimiter: ',', columns: ['LON', 'LAT', 'CITY', 'DISTRICT', 'REGION', 'POSTCODE'] },
    ([lon, lat, place, district, region, code]) => {
      return code === '' ? null : { code, place, name1: region, name2: district, ...degrees(lat, lon) }
    },
  ),
}
