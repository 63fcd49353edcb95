import t from 'tap'
import type { CodeModel } from '../../build-index/model.ts'
import { row } from '../../datasets/row.ts'
import type { Row } from '../../datasets/source.ts'
import { codesOf, positionOf } from '../support/models.ts'
import { sourceOf } from '../support/sources.ts'

/** Returns the names of a code's places, the primary one first. */
const namesIn = (codes: ReadonlyMap<string, CodeModel>, key: string) =>
  codes.get(key)?.places.map(({ name }) => name)

/** A code without facts. The only code of a country would have all its towns. */
const OTHER = (country: string) => row(country, '99999', 'Otherwhere')
const PUNJAB = { name1: 'Punjab', code1: '04' }
const FAR = { lat: 28.16, lon: 70.7 }

t.test('a city is found with its parts that begin with its name', async t => {
  const codes = await codesOf([
    row('PK', '54000', 'Lahore Gpo', { ...PUNJAB, lat: 31.58, lon: 74.33, accuracy: 4 }),
    row('PK', '54770', 'Lahore Township', { ...PUNJAB, ...FAR, accuracy: 1 }),
    row('PK', '54771', 'Lahore Elsewhere', { ...PUNJAB, ...FAR, accuracy: 4 }),
    row('PK', '54772', 'Lahorepur', { ...PUNJAB, lat: 31.33, lon: 74.33, accuracy: 4 }),
    row('PK', '36280', 'Nawan Lahore', { ...PUNJAB, lat: 31.32, lon: 72.73, accuracy: 4 }),
  ])
  t.same(namesIn(codes, '54000'), ['Lahore Gpo', 'Lahore'], 'the part stays the primary place')
  t.same(namesIn(codes, '54770'), ['Lahore Township', 'Lahore'], 'an estimated position is not evidence')
  t.same(namesIn(codes, '54771'), ['Lahore Elsewhere'], 'an exact position far away is evidence')
  t.same(namesIn(codes, '54772'), ['Lahorepur'], 'whole words')
  t.notOk(namesIn(codes, '36280')?.includes('Lahore'), 'words at the beginning')
  const [, lahore] = codes.get('54000')?.places ?? []
  t.same(lahore.admin, codes.get('54000')?.places[0].admin, 'the city lies in the areas of its part')
  t.ok(lahore.aliases.includes('لاہور'), 'it has the other names of the gazetteer')
})

t.test('a city is found with the codes of the area of its name', async t => {
  const istanbul = { name1: 'İstanbul', code1: '34' }
  const codes = await codesOf([
    row('TR', '34500', 'Merkezköy', {
      ...istanbul,
      name2: 'Büyükçekmece',
      lat: 41.01,
      lon: 28.54,
      accuracy: 3,
    }),
    row('TR', '34998', 'Uzak', { ...istanbul, name2: 'Far', lat: 41.0, lon: 28.2, accuracy: 3 }),
    row('TR', '34999', 'Uzak', { ...istanbul, name2: 'Estimated', lat: 41.0, lon: 28.2, accuracy: 1 }),
  ])
  t.ok(namesIn(codes, '34500')?.includes('Istanbul'))
  t.not(namesIn(codes, '34500')?.[0], 'Istanbul')
  t.notOk(namesIn(codes, '34998')?.includes('Istanbul'), 'more than 50 km away')
  t.ok(namesIn(codes, '34999')?.includes('Istanbul'), 'the same with an estimate')
})

t.test('a province with the name of a city does not give the city its distant codes', async t => {
  const province = { name1: 'Buenos Aires', code1: 'B' }
  const codes = await codesOf([
    row('AR', '7600', 'Mar del Plata', { ...province, lat: -38.0, lon: -57.56, accuracy: 4 }),
    row('AR', '8000', 'Bahía Blanca', { ...province, lat: -38.72, lon: -62.27, accuracy: 4 }),
    row('AR', '1871', 'Isla Maciel', { ...province, lat: -34.63, lon: -58.37, accuracy: 4 }),
  ])
  t.notOk(namesIn(codes, '1871')?.includes('Buenos Aires'), 'suburbs are not the capital')
})

t.test('codes near a city that name no other town belong to it', async t => {
  const sindh = { name1: 'Sindh', code1: '05', lat: 24.86, lon: 67.01 }
  const rows = [
    row('PK', '74400', 'Saddar Bazar Post', { ...sindh, accuracy: 4 }),
    row('PK', '74401', 'Somewhere Post', { ...sindh, accuracy: 1 }),
    row('PK', '74402', 'Outside Post', { ...sindh, lat: 25.4, accuracy: 4 }),
  ]
  const codes = await codesOf(rows)
  t.same(namesIn(codes, '74400'), ['Saddar Bazar Post', 'Karachi'])
  t.same(namesIn(codes, '74401'), ['Somewhere Post'], 'its position is an estimate')
  t.same(namesIn(codes, '74402'), ['Outside Post'])
  const named = await codesOf([...rows, row('PK', '74000', 'Karachi', { ...sindh, accuracy: 4 })])
  t.same(namesIn(named, '74000'), ['Karachi'])
  t.same(namesIn(named, '74400'), ['Saddar Bazar Post', 'Karachi'], 'also when rows name the city elsewhere')
})

t.test('a municipality is found with the codes of all its villages', async t => {
  const murcia = { name1: 'Murcia', name2: 'Murcia', name3: 'Murcia', code3: '30030', accuracy: 4 }
  const codes = await codesOf([
    row('ES', '30001', 'Murcia', { ...murcia, lat: 37.98, lon: -1.13 }),
    row('ES', '30120', 'Palmar, El (El Palmar)', { ...murcia, lat: 37.94, lon: -1.16 }),
  ])
  t.equal(namesIn(codes, '30120')?.[0], 'El Palmar', 'the village stays the primary place')
  t.ok(namesIn(codes, '30120')?.includes('Murcia'))
  t.ok(namesIn(codes, '30120')?.includes('Palmar, El (El Palmar)'))
  const dutch = await codesOf([
    row('NL', '2132', 'Hoofddorp', {
      name1: 'North Holland',
      name2: 'Gemeente Haarlemmermeer',
      lat: 52.3,
      lon: 4.7,
    }),
  ])
  t.ok(namesIn(dutch, '2132')?.includes('Haarlemmermeer'))
  const danish = await codesOf([
    row('DK', '2500', 'Valby', { name1: 'Hovedstaden', name2: 'Københavns Kommune', lat: 55.66, lon: 12.5 }),
  ])
  t.ok(namesIn(danish, '2500')?.includes('København'), 'without the s of the genitive')
})

t.test('a Danish district keeps its point of the compass and is found under its city', async t => {
  const region = { name1: 'Midtjylland' }
  const codes = await codesOf([
    row('DK', '8000', 'Aarhus C', { ...region, lat: 56.157, lon: 10.21 }),
    row('DK', '8210', 'Aarhus V', { ...region, lat: 56.168, lon: 10.16 }),
    row('DK', '1050', 'København K', { name1: 'Hovedstaden', lat: 55.68, lon: 12.58 }),
  ])
  const names = (key: string) => namesIn(codes, key)
  t.same(names('8210'), ['Aarhus V'], 'the V of Vest is not a Roman numeral')
  t.same(names('8000'), ['Aarhus C'])
  for (const key of ['8000', '8210']) t.ok(codes.get(key)?.places[0].aliases.includes('Aarhus'), key)
  const copenhagen = codes.get('1050')?.places[0].aliases
  for (const name of ['København', 'Copenhagen']) t.ok(copenhagen?.includes(name), name)
})

t.test('a code of an organisation is answered with its municipality', async t => {
  const bavaria = { name1: 'Bayern', code1: 'BY' }
  const munich = { ...bavaria, name3: 'Kreisfreie Stadt München', code3: '09162' }
  const codes = await codesOf([
    row('DE', '80331', 'München', { ...munich, lat: 48.135, lon: 11.57 }),
    row('DE', '80331', 'Bayerischer Rundfunk', { ...munich, lat: 48.135, lon: 11.57 }),
    row('DE', '80300', 'Bayerischer Rundfunk', { ...munich, lat: 48.144, lon: 11.555 }),
    row('DE', '83022', 'Rosenheim', { ...bavaria, lat: 47.856, lon: 12.128 }),
    row('DE', '83018', 'Muster Versand GmbH', {
      ...bavaria,
      name3: 'Landkreis Rosenheim',
      lat: 47.856,
      lon: 12.128,
    }),
    row('DE', '83020', 'Verein Ohne Eintrag e. V.', { ...bavaria, lat: 47.856, lon: 12.128 }),
    row('DE', '83140', 'Weiler Ohne Eintrag', { ...bavaria, name3: 'Rosenheim', lat: 47.86, lon: 12.2 }),
  ])
  const names = (key: string) => namesIn(codes, key)
  t.same(names('80300'), ['München', 'Bayerischer Rundfunk'], 'another code has its city')
  t.same(names('83018'), ['Rosenheim', 'Muster Versand GmbH'])
  t.same(names('83020'), ['Rosenheim', 'Verein Ohne Eintrag e. V.'])
  t.same(names('83140'), ['Weiler Ohne Eintrag'], 'a district with the name of a city is not the city')
})

t.test('a code answers with the plain name, and keeps what the source writes', async t => {
  for (const [country, written, plain, point] of [
    ['UA', 'Долина (Долинська сільська рада)', 'Долина'],
    ['ES', 'Dehesa, La (Ayna)', 'La Dehesa'],
    ['AT', 'Oberwart / Felsöör', 'Oberwart'],
    ['CA', 'Wainwright Region (Tofield)', 'Tofield'],
    ['RU', 'Москва-Гцмпп 30', 'Москва', { lat: 55.75, lon: 37.62 }],
    ['SG', 'Straits Boulevard', 'Singapore', { lat: 1.28, lon: 103.85 }],
  ] as const) {
    const codes = await codesOf([row(country, 'T0B', written, point), OTHER(country)])
    t.same(namesIn(codes, 'T0B')?.slice(0, 2), [plain, written], country)
  }
  for (const [country, name] of [
    ['DE', 'Halle (Saale)'],
    ['FR', "els Banys d'Arles"],
  ])
    t.equal(namesIn(await codesOf([row(country, '12345', name), OTHER(country)]), '12345')?.[0], name)
  t.equal(namesIn(await codesOf([row('SE', '12345', 'älta'), OTHER('SE')]), '12345')?.[0], 'Älta')
})

t.test('a town that a weaker source names is a further place', async t => {
  const point = { name1: 'Córdoba', lat: -31.4056, lon: -64.1889 }
  const rows = [row('AR', '5008', 'Barrio los Paraisos', point), OTHER('AR')]
  const codes = await codesOf(rows, {
    sources: [sourceOf('a', rows), sourceOf('b', [row('AR', '5008', 'Córdoba')])],
  })
  t.same(namesIn(codes, '5008'), ['Barrio los Paraisos', 'Córdoba'])
  t.ok(codes.get('5008')?.places[0].aliases.includes('los Paraisos'))
  // The code is a first part itself, and Waddington a town of its own.
  const short = [row('GB', 'LN5', 'Waddington', { name1: 'England', code1: 'ENG', lat: 53.1667, lon: -0.54 })]
  short.push(OTHER('GB'))
  const post = await codesOf(short, {
    sources: [sourceOf('a', short), sourceOf('b', [row('GB', 'LN5', 'Lincoln')])],
  })
  t.ok(namesIn(post, 'LN5')?.includes('Lincoln'), 'the post town of a district')
  const full = [row('GB', 'LS14 3AA', 'Thorner', { name1: 'England', code1: 'ENG', lat: 53.86, lon: -1.43 })]
  full.push(OTHER('GB'))
  const second = [row('GB', 'LS14', 'Leeds'), row('GB', 'LS14 3AA', 'Glasgow')]
  const towns = await codesOf(full, { sources: [sourceOf('a', full), sourceOf('b', second)] })
  t.ok(namesIn(towns, 'LS143AA')?.includes('Leeds'), 'as does its first part')
  t.notOk(namesIn(towns, 'LS143AA')?.includes('Glasgow'), 'but none far away')
})

t.test('a city with a code of another country of its post has its names there', async t => {
  const rows = [row('IT', '00118', 'Roma', positionOf('IT', 'Roma')), row('IT', '00120', 'Roma')]
  const codes = await codesOf(rows, { countries: ['VA'] })
  t.ok(codes.get('00120')?.places[0].aliases.includes('Rome'))
})

t.test('a city is found without the word for its kind', async t => {
  const aliases = async (country: string, name: string, areas: Partial<Row> = {}) =>
    [...(await codesOf([row(country, '12345', name, areas), OTHER(country)])).values()].flatMap(
      ({ places }) => places.flatMap(({ name, aliases }) => [name, ...aliases]),
    )
  for (const [country, name, bare] of [
    ['KR', '경주시', '경주'],
    ['KR', '안산시 상록구', '안산'],
    ['KR', '종로구', 'jongnogu'],
    ['CN', 'Donghai County', 'Donghai'],
    ['CN', 'Gongshan Derung and Nu Autonomous County', 'Gongshan'],
    ['PH', 'City of Malabon', 'Malabon'],
    ['DO', 'Urb. Las Praderas', 'Las Praderas'],
    ['IN', 'Andheri H.O', 'Andheri'],
    ['SG', 'Jurong East Street 21', 'Jurong East'],
    ['TH', 'Muang Chiang Mai', 'Chiang Mai'],
  ])
    t.ok((await aliases(country, name)).includes(bare), name)
  for (const [country, areas, city] of [
    ['TH', { name1: 'Chiang Mai', name2: 'Mueang Chiang Mai' }, 'Chiang Mai'],
    ['ID', { name1: 'West Sumatra', name2: 'Kota Padang' }, 'Padang'],
    ['BE', { name1: 'Bruxelles-Capitale' }, 'Bruxelles'],
    ['GT', { name1: 'Ciudad de Guatemala' }, 'Guatemala'],
  ] as const)
    t.ok((await aliases(country, 'Part', areas)).includes(city), city)
  t.notOk((await aliases('ID', 'Part', { name2: 'Kabupaten Ciamis' })).includes('Ciamis'))
})
