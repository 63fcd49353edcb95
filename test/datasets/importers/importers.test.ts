/** Each register in the layout of its publisher, as a made-up excerpt. */
import { mkdtempSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import t from 'tap'
import { kmBetween, kmBetweenDegrees } from '../../../build-index/distance.ts'
import { selectSources } from '../../../datasets/geonames/select.ts'
import { fromGrid, type Grid } from '../../../datasets/importers/grids.ts'
import { IMPORTERS, Imports } from '../../../datasets/importers/select.ts'
import { SOURCE_LINE_BYTES_MAX } from '../../../datasets/limits.ts'
import type { Row, Source } from '../../../datasets/source.ts'
import { codesOf } from '../../support/models.ts'

const folder = mkdtempSync(join(t.testdir(), 'registers-'))

function writeExcerpt(name: string, content: string | Buffer): string {
  const path = join(folder, name)
  writeFileSync(path, content)
  return path
}

async function openImported(...specs: string[]): Promise<Source> {
  const imports = new Imports()
  for (const spec of specs) imports.add(spec)
  const [source] = await imports.open()
  return source
}

async function rowsOf(spec: string, country: string): Promise<Row[]> {
  return [...(await openImported(spec)).rows(country)]
}

/** Returns the rows without constant fields, with positions to a thousandth. */
function brief(rows: readonly Row[]): unknown[] {
  return rows.map(({ code, place, name1, code1, name2, code2, name3, code3, lat, lon }) => {
    const areas = [name1, code1, name2, code2, name3, code3].join('|')
    return [code, place, areas, Number(lat.toFixed(3)), Number(lon.toFixed(3))]
  })
}

t.test("coordinates of national grids match the surveys' points", t => {
  const points: [grid: Grid, east: string, north: string, lat: number, lon: number, name: string][] = [
    ['LV95', '2600000', '1200000', 46.95108, 7.43864, 'the old observatory of Bern'],
    ['RD', '155000', '463000', 52.15517, 5.38721, 'the tower of Amersfoort'],
    ['SJTSK', '-743000', '-1043000', 50.088, 14.415, 'the old town of Prague'],
  ]
  for (const [grid, east, north, lat, lon, name] of points)
    t.ok(kmBetween(fromGrid(grid, east, north), { lat, lon }) < (grid === 'SJTSK' ? 1.5 : 0.05), name)
  t.ok(Number.isNaN(fromGrid('RD', '', '463000').lat), 'no position without both')
  t.end()
})

t.test('ONS Postcode Directory: ended codes and codes of the islands are left out', async t => {
  const path = writeExcerpt(
    'ONSPD.csv',
    'pcd,pcd2,pcds,dointr,doterm,usertype,oseast1m,osnrth1m,oslaua,ctry,lat,long\r\n' +
      '"SW1A1AA","SW1A 1AA","SW1A 1AA",198001,,1,0529090,0179645,E09000033,E92000001,51.501009,-0.141588\r\n' +
      '"AB1 0AA","AB1  0AA","AB1 0AA",198001,199606,0,0385386,0801193,S12000033,S92000003,57.101474,-2.242851\r\n' +
      '"BT1 1AA","BT1  1AA","BT1 1AA",198001,,1,,,N09000003,N92000002,99.999999,0.000000\r\n' +
      '"JE2 3AB","JE2  3AB","JE2 3AB",198001,,0,,,L99999999,L93000001,99.999999,0.000000\r\n',
  )
  t.same(brief(await rowsOf(`onspd=${path}`, 'GB')), [
    ['SW1A 1AA', '', 'England|ENG||E09000033||', 51.501, -0.142],
    ['BT1 1AA', '', 'Northern Ireland|NIR||N09000003||', Number.NaN, Number.NaN],
  ])
})

const BAN =
  'id;id_fantoir;numero;rep;nom_voie;code_postal;code_insee;nom_commune;x;y;lon;lat\n' +
  '75104_1;;1;;Rue A;75004;75104;Paris;652;6862;2.350;48.850\n' +
  '75104_2;;2;;Rue A;75004;75104;Paris;652;6862;2.360;48.860\n' +
  '97411_1;;2;;Rue B;97400;97411;Saint-Denis;1;1;55.45;-20.88\n' +
  '01001_1;;2;;Rue C;;01001;Sans Code;1;1;5;46\n'

t.test('Base Adresse Nationale: the middle of its addresses is the position of a code', async t => {
  const path = writeExcerpt('adresses.csv.gz', gzipSync(BAN))
  t.same(brief(await rowsOf(`ban=${path}`, 'FR')), [
    ['75004', 'Paris', '|||75||75104', 48.855, 2.355],
    ['97400', 'Saint-Denis', '|||974||97411', -20.88, 55.45],
  ])
})

t.test('swisstopo, BAG and DAWA are read', async t => {
  const swiss = writeExcerpt(
    'AMTOVZ_CSV_LV95.csv',
    '\ufeffOrtschaftsname;PLZ;Zusatzziffer;Gemeindename;BFS-Nr;Kantonskürzel;E;N;Sprache;Validity\n' +
      'Bern;3011;00;Bern;351;BE;2600000.00;1200000.00;de;2008-07-01\n',
  )
  t.same(brief(await rowsOf(`swisstopo=${swiss}`, 'CH')), [['3011', 'Bern', '|BE|||Bern|351', 46.951, 7.439]])
  const dutch = writeExcerpt(
    'bagadres.csv',
    'openbareruimte;huisnummer;huisletter;postcode;woonplaats;gemeente;provincie;object_id;x;y\n' +
      'Lieve Vrouwekerkhof;1;;3811BZ;Amersfoort;Amersfoort;Utrecht;0307;155000,0;463000,0\n' +
      'Nieuwbouw;1;;;Amersfoort;Amersfoort;Utrecht;0307;155000;463000\n',
  )
  t.same(brief(await rowsOf(`bag=${dutch}`, 'NL')), [
    ['3811BZ', 'Amersfoort', 'Utrecht||Amersfoort|||', 52.155, 5.387],
  ])
  const danish = writeExcerpt(
    'adgangsadresser.csv',
    'id,vejnavn,husnr,postnr,postnrnavn,kommunekode,kommunenavn,wgs84koordinat_bredde,wgs84koordinat_længde,regionskode,regionsnavn\n' +
      '0a3f,"Borgergade, nord",1,1300,København K,0101,København,55.683,12.585,1084,Region Hovedstaden\n',
  )
  t.same(brief(await rowsOf(`dawa=${danish}`, 'DK')), [
    ['1300', 'København K', 'Region Hovedstaden|1084|København|0101||', 55.683, 12.585],
  ])
})

/** Encodes `text` as Windows-1250, as far as the excerpt needs it. */
function windows1250(text: string): Buffer {
  const bytes: Readonly<Record<string, number>> = {
    Č: 0xc8,
    č: 0xe8,
    ó: 0xf3,
    á: 0xe1,
    í: 0xed,
    ř: 0xf8,
    ě: 0xec,
    é: 0xe9,
  }
  return Buffer.from([...text].map(letter => bytes[letter] ?? letter.charCodeAt(0)))
}

t.test('RÚIAN and SEPOMEX are read in their encodings', async t => {
  const header =
    'Kód ADM;Kód obce;Název obce;Kód MOMC;Název MOMC;Kód obvodu Prahy;Název obvodu Prahy;Kód části obce;Název části obce;' +
    'Kód ulice;Název ulice;Typ SO;Číslo domovní;Číslo orientační;Znak čísla orientačního;PSČ;Souřadnice Y;Souřadnice X;Platí Od\n'
  const czech = writeExcerpt(
    '20260101_OB_554782_ADR.csv',
    windows1250(
      `${header}1;554782;Praha;;;;;490067;Staré Město;;;č.p.;1;;;11000;743000.00;1043000.00;2013\n`,
    ),
  )
  const [prague] = await rowsOf(`ruian=${czech}`, 'CZ')
  t.match(prague, { code: '11000', place: 'Staré Město', name3: 'Praha', code3: '554782' })
  t.ok(kmBetweenDegrees(prague.lat, prague.lon, 50.088, 14.415) < 1.5)
  const mexican = writeExcerpt(
    'CPdescarga.txt',
    Buffer.from(
      'El Catálogo Nacional de Códigos Postales, es elaborado por Correos de México\n' +
        'd_codigo|d_asenta|d_tipo_asenta|D_mnpio|d_estado|d_ciudad|d_CP|c_estado|c_oficina|c_CP|c_tipo_asenta|c_mnpio\n' +
        '01000|San Ángel|Colonia|Álvaro Obregón|Ciudad de México|Ciudad de México|01001|09|01001||09|010\n',
      'latin1',
    ),
  )
  t.same(brief(await rowsOf(`sepomex=${mexican}`, 'MX')), [
    ['01000', 'San Ángel', 'Ciudad de México||Álvaro Obregón|010|Ciudad de México|', Number.NaN, Number.NaN],
  ])
})

t.test('Correios: ranges of localities become the first five digits of their codes', async t => {
  const latin1 = (text: string) => Buffer.from(text, 'latin1')
  const localities = writeExcerpt(
    'LOG_LOCALIDADE.TXT',
    latin1(
      '16@AC@Rio Branco@@1@M@@R Branco@1200401\r\n' +
        '3103@MG@Santa Rita do Sapucaí@37540000@0@M@@S R Sapucaí@3159605\r\n' +
        '3104@MG@Boca D"Água@37541970@0@D@3103@Boca D"Água@\r\n',
    ),
  )
  const ranges = (text: string) => writeExcerpt('LOG_FAIXA_LOCALIDADE.TXT', latin1(text))
  ranges('16@69900001@69902999@T\r\n16@69920000@69920999@T\r\n')
  const acre = 'Acre|AC|Rio Branco|1200401||'
  const minas = 'Minas Gerais|MG|Santa Rita do Sapucaí'
  const rows = await rowsOf(`correios=${localities}`, 'BR')
  t.same(
    brief(rows).map(row => (row as unknown[]).slice(0, 3)),
    [
      ...['69900', '69901', '69902', '69920'].map(code => [code, 'Rio Branco', acre]),
      ['37540', 'Santa Rita do Sapucaí', `${minas}|3159605||`],
      ['37541', 'Boca D"Água', `${minas}|||`],
    ],
  )
  const codes = await codesOf(rows)
  t.match(codes.get('69901'), {
    lat: -9.97472,
    places: [{ admin: { extra: { municipality: 'Rio Branco' } } }],
  })
  for (const [text, message] of [
    [
      '16@69900001@99999999@T\n',
      /the range 69900001 to 99999999 of locality 16 .*at most 10000 thousands apart/,
    ],
    ['16@69902999@69900001@T\n', /two ascending codes of 8 digits expected/],
    ['16@6990\n', /LOG_FAIXA_LOCALIDADE.TXT: line 1: 2 columns found, at least 3 expected/],
  ] as const) {
    ranges(text)
    await t.rejects(openImported(`correios=${localities}`), message)
  }
})

t.test('OpenAddresses: the option names the country', async t => {
  const path = writeExcerpt(
    'berlin.csv',
    'LON,LAT,NUMBER,STREET,UNIT,CITY,DISTRICT,REGION,POSTCODE,ID,HASH\n' +
      '13.40,52.52,1,"Straße ""A"", Hof",,Berlin,,Berlin,10178,,a\n13.41,52.52,2,B,,Berlin,,Berlin,,,b\n',
  )
  t.same(brief(await rowsOf(`openaddresses-DE=${path}`, 'DE')), [
    ['10178', 'Berlin', 'Berlin|||||', 52.52, 13.4],
  ])
  await t.rejects(
    openImported(`openaddresses=${path}`),
    /lacks the country; expected openaddresses-DE=<file>/,
  )
  await t.rejects(openImported(`ban-DE=${path}`), /ban is of FR alone/)
})

t.test('a file that is not the register is refused', async t => {
  const rejected = (name: string, content: string | Buffer, message: RegExp) =>
    t.rejects(openImported(`ban=${writeExcerpt(name, content)}`), message, name)
  await rejected('empty.csv', '', /is empty; expected a table/)
  await rejected(
    'other.csv',
    'a;b\n1;2\n',
    /columns code_postal, nom_commune, code_insee, lon, lat are missing; found a, b/,
  )
  await rejected('latin1.csv', Buffer.from(`${BAN}\xe9\n`, 'latin1'), /is not utf-8 text/)
  await rejected(
    'long.csv',
    `${BAN}${'x'.repeat(SOURCE_LINE_BYTES_MAX + 1)}`,
    /a line of more than \d+ characters/,
  )
  await rejected('endless.csv', 'x'.repeat(2_000_000), /a line of more than \d+ characters/)
  await rejected(
    'no-rows.csv',
    `${BAN.split('\n')[0]}\na;b\n`,
    /none of 1 lines is a postal code.*2 columns found/,
  )
  await rejected('packed.zip', 'PK', /is packed; unpack it/)
  await rejected('cut.csv.gz', gzipSync(BAN).subarray(0, 40), /unexpected end of file/)
  await t.rejects(openImported('ban=/no/such/file'), /ENOENT/)
  const quoted = await openImported(`ban=${writeExcerpt('quote.csv', `${BAN}"x;y\n`)}`)
  t.match(quoted.badLines, [/quote.csv: line 6: a quotation mark without its end/], 'a bad line is reported')
})

t.test('registers come before all other sources in a build', async t => {
  const { sources } = await selectSources([`ban=${writeExcerpt('ban.csv', BAN)}`], folder)
  t.equal(sources[0].id, 'ban')
  t.ok(sources.length > 10, 'the npm packages follow')
  await t.rejects(
    selectSources(['nonsense=x'], folder),
    /unknown source nonsense=x; expected geonames, .*onspd/,
  )
  t.equal(new Set(IMPORTERS.map(({ kind }) => kind)).size, IMPORTERS.length)
})
