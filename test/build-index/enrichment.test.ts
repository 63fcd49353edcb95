/** Every test runs all steps of a build with the real gazetteer, so that a missing step fails. */
import t from 'tap'
import type { CodeModel } from '../../build-index/model.ts'
import { citiesOf } from '../../datasets/reference/cities-500.ts'
import { row } from '../../datasets/row.ts'
import type { IsoArea, Row, Source } from '../../datasets/source.ts'
import { codesOf, codesWith, largestPlace, positionOf } from '../support/models.ts'
import { sourceOf } from '../support/sources.ts'

t.test('in Russia the oblast decides the time zone', async t => {
  const rows = (zone: string, name1: string, first: number) =>
    citiesOf('RU')
      .filter(({ admin1 }) => admin1 === zone)
      .slice(0, 20)
      .map(({ name, lat, lon }, i) => row('RU', String(first + i), name, { name1, lat, lon }))
  const codes = await codesOf([
    ...rows('84', 'Волгоградская область', 400000),
    ...rows('67', 'Саратовская область', 410000),
    row('RU', '403705', 'Деревня', { name1: 'Волгоградская область', lat: 51.2647, lon: 43.2633 }),
  ])
  t.match(codes.get('403705'), { timezone: codes.get('400000')?.timezone })
  t.not(codes.get('403705')?.timezone, codes.get('410000')?.timezone)
})

t.test(
  'the elevation comes from the nearest place within 5 km, and one far below it is an error',
  async t => {
    const { lat, lon, elevation } = largestPlace('GL', 'Nuuk')
    const kmNorth = (km: number) => lat + (km * 180) / (Math.PI * 6371)
    const codes = await codesOf([
      row('GL', '3900', 'At', { lat, lon }),
      row('GL', '3901', 'Near', { lat: kmNorth(4.9), lon }),
      row('GL', '3902', 'Far', { lat: kmNorth(5.1), lon }),
      row('GL', '3903', 'Known', { lat, lon, elevation: 77 }),
      row('GL', '3904', 'Low', { lat, lon, elevation: -50 }),
      row('GL', '3905', 'Too low', { lat, lon, elevation: -76 }),
    ])
    t.equal(elevation, 5)
    t.same(
      ['3900', '3901', '3902', '3903', '3904', '3905'].map(key => codes.get(key)?.elevation),
      [5, 5, Number.NaN, 77, -50, 5],
    )
  },
)

t.test('other codes of areas are replaced by those of ISO 3166-2', async t => {
  const known: Record<string, IsoArea[]> = {
    FR: [{ code: 'IDF', names: ['Île-de-France', 'Ile-de-France'] }],
    DE: [{ code: 'BY', names: ['Bavaria', 'Bayern', 'Bavière'] }],
    JP: [
      { code: '13', names: ['Tokyo', '東京都'] },
      { code: '40', names: ['Fukuoka', '福岡県'] },
    ],
  }
  const tokyo = ['1000001', '1000002', '1000003'].map(code => row('JP', code, 'Chiyoda', { code1: '13' }))
  const knowing = sourceOf('knowing', [row('FR', '', ''), row('DE', '', ''), ...tokyo], {
    areas: country => known[country],
  })
  const code1 = async (...rows: Row[]) => {
    const codes = await codesWith(rows, knowing)
    return rows.map(({ code }) => codes.get(code.replace('-', ''))?.places[0].admin.code1)
  }
  const paris = row('FR', '75001', 'Paris', { name1: 'Île-de-France', code1: '11' })
  const munich = row('DE', '80331', 'München', { name1: 'Bayern', code1: '02' })
  t.same(await code1(paris), ['IDF'])
  t.same(await code1(munich), ['BY'])
  t.same(await code1(row('JP', '1000001', 'Town', { name1: 'Tokyo To', code1: '40' })), ['13'])
  t.same(await code1(row('KE', '00100', 'Nairobi', { name1: 'Nairobi', code1: '05' })), ['30'], 'by ISO')
})

t.test('missing names and codes of areas are completed from agreeing rows', async t => {
  const codes = await codesOf([
    row('US', '90001', 'A', { name1: 'California', code1: 'CA', name2: 'Los Angeles', code2: '037' }),
    row('US', '90002', 'B', { code1: 'CA', code2: '037' }),
    row('US', '90003', 'C', { name1: 'California', name2: 'Los Angeles' }),
    row('US', '90004', 'D', { code2: '037' }),
    row('US', '10001', 'E', { name1: 'New York', code1: 'NY', name2: 'Washington', code2: '115' }),
    row('US', '20001', 'F', { name1: 'Utah', code1: 'UT', name2: 'Washington', code2: '053' }),
    row('US', '20002', 'G', { code1: 'UT', name2: 'Washington' }),
  ])
  const whole = { name1: 'California', code1: 'CA', name2: 'Los Angeles', code2: '037' }
  for (const key of ['90002', '90003', '90004']) t.match(codes.get(key)?.places[0].admin, whole, key)
  t.match(codes.get('20002')?.places[0].admin, { name1: 'Utah', code2: '' }, 'two counties have the name')
})

t.test('a name with several places means the nearest one', async t => {
  const codes = await codesOf([row('US', '97477', 'Springfield', { lat: 44.05, lon: -123.02 })])
  const { population = 0 } = codes.get('97477')?.places[0] ?? {}
  t.ok(population > 50_000 && population < 80_000, `${population} people: that of Oregon`)
})

t.test('an area keeps its name, except the name of another area', async t => {
  const area = (country: string, code: string, name1: string, code1: string) =>
    row(country, code, name1, { name1, code1 })
  const china = await codesOf([
    area('CN', '010000', 'Inner Mongolia', '20'),
    area('CN', '014000', 'Inner Mongolia', '20'),
    area('CN', '162600', 'Heilongjiang', '20'),
    area('CN', '150000', 'Heilongjiang', '08'),
    area('CN', '150100', 'Heilongjiang', '08'),
  ])
  t.match(china.get('162600')?.places[0].admin, { name1: 'Inner Mongolia', code1: 'NM' })
  const names = async (rows: Row[], ...weaker: Source[]) =>
    [...(await codesWith(rows, ...weaker)).values()].map(({ places }) => places[0].admin.name1)
  const azerbaijan = [area('AZ', '2300', 'Göyçay', '22'), area('AZ', '2301', 'Göyçay', '22')]
  t.same(await names([...azerbaijan, area('AZ', '2500', 'Göy-Göl', '22')]), ['Göyçay', 'Göyçay', 'Göy-Göl'])
  const iso = sourceOf('iso', [row('TR', '', '')], { areas: () => [{ code: '69', names: ['Bayburt'] }] })
  const turkey = [area('TR', '29000', 'Gümüşhane', '69'), area('TR', '29600', 'Gümüşhane', '69')]
  t.same(await names([...turkey, area('TR', '69400', 'Bayburt', '77')], iso), [
    'Gümüşhane',
    'Gümüşhane',
    'Bayburt',
  ])
})

t.test('the primary place has the name of its area, or is the largest, or the first', async t => {
  const berlin = { name1: 'Berlin', code1: 'BE' }
  const codes = await codesOf([
    row('DE', '10115', 'Werk AG', { ...berlin, lat: 52.6, lon: 13.6, accuracy: 4 }),
    row('DE', '10115', 'Berlin', { ...berlin, lat: 52.52, lon: 13.41, accuracy: 6 }),
    row('DE', '01067', 'Radebeul', { name1: 'Sachsen', lat: 51.1, lon: 13.66 }),
    row('DE', '01067', 'Dresden', { name1: 'Sachsen', lat: 51.05, lon: 13.74 }),
    row('DE', '99998', 'Hof A', { name1: 'Sachsen' }),
    row('DE', '99998', 'Hof B', { name1: 'Sachsen' }),
  ])
  const names = (key: string) => codes.get(key)?.places.map(({ name }) => name)
  t.same(names('10115'), ['Berlin', 'Werk AG'])
  t.match(codes.get('10115'), { lat: 52.52, lon: 13.41, accuracy: 'code' }, 'with its own position')
  t.same(names('01067'), ['Dresden', 'Radebeul', 'Äußere Neustadt'], 'the section of the city comes last')
  t.same(names('99998'), ['Hof A', 'Hof B'])
  const cape = { name1: 'Western Cape' }
  const southAfrica = await codesOf([
    row('ZA', '6665', 'Western Cape', cape),
    row('ZA', '6665', 'Heidelberg Wc', cape),
  ])
  t.equal(southAfrica.get('6665')?.places[0].name, 'Heidelberg Wc', 'an area that is no city comes last')
})

t.test('a missing position comes from the place, its municipality, its area or its region', async t => {
  const [linz, cervia] = [largestPlace('AT', 'Linz'), largestPlace('IT', 'Cervia')]
  const linzArea = { name1: 'Oberösterreich', name2: 'Linz-Land', code2: 'x410' }
  const austria = await codesOf([
    row('AT', '4020', 'Linz', { name1: 'Oberösterreich' }),
    row('AT', '1111', 'Hof A', { ...linzArea, lat: 48.2, lon: 14.2, accuracy: 6 }),
    row('AT', '2222', 'Hof B', { ...linzArea, lat: 48.4, lon: 14.4, accuracy: 6 }),
    row('AT', '2444', 'Hof B2', { ...linzArea, lat: 48.3, lon: 14.3, accuracy: 6 }),
    row('AT', '3333', 'Hof C', linzArea),
    row('AT', '5555', 'Hof D', { name1: 'Salzburg' }),
    row('AT', '1010', 'Wien', { name1: 'Wien', lat: 48.20849, lon: 16.37208 }),
    row('AT', '6666', 'Hof D2', { name1: 'Wien' }),
    row('AT', '9999', 'Hof E'),
  ])
  t.match(austria.get('4020'), { lat: linz.lat, lon: linz.lon, accuracy: 'place' })
  t.match(austria.get('3333'), { lat: 48.3, lon: 14.3, accuracy: 'area' }, 'between those of its district')
  const vienna = largestPlace('AT', 'Wien')
  t.match(austria.get('6666'), { lat: vienna.lat, lon: vienna.lon, accuracy: 'area' })
  t.match(austria.get('5555'), { lat: Number.NaN, accuracy: '' }, 'its region is too large')
  t.match(austria.get('9999'), { lat: Number.NaN, accuracy: '' }, 'it has no area')
  const italy = await codesOf([row('IT', '48015', 'Casa Nuova', { code3: cervia.admin3 })])
  t.match(
    italy.get('48015'),
    { lat: cervia.lat, lon: cervia.lon, accuracy: 'area' },
    'its municipality by number',
  )
})

t.test('a weaker source fills empty fields only for the same place', async t => {
  const weak = sourceOf('weak', [
    row('BV', '1000', 'Other', {
      name1: 'North',
      code1: 'N',
      lat: 3.1,
      lon: 4.1,
      elevation: 9,
      timezone: 'Etc/UTC',
    }),
    row('BV', '1001', 'Named', { name1: 'North', code1: 'N', aliases: ['Alias'] }),
    row('BV', '1002', 'Elsewhere', { name1: 'South', name2: 'District', lat: 5, lon: 6 }),
  ])
  const weakest = sourceOf('weakest', [
    row('BV', '1000', 'Own', {
      lat: 3.1,
      lon: 4.1,
      elevation: 8,
      timezone: 'Etc/GMT-1',
      aliases: ['Propre'],
    }),
    row('BV', '1001', 'Late'),
  ])
  const codes = await codesWith(
    [
      row('BV', '1000', 'Own', { lat: 3, lon: 4, aliases: ['Eigen'] }),
      row('BV', '1001', ''),
      row('BV', '1002', 'Own', { name1: 'North' }),
    ],
    weak,
    weakest,
  )
  t.match(codes.get('1000'), {
    lat: 3,
    lon: 4,
    elevation: 9,
    timezone: 'Etc/UTC',
    places: [{ name: 'Own', aliases: ['Eigen', 'Propre'], admin: { name1: 'North', code1: 'N' } }],
  })
  t.match(codes.get('1001')?.places, [{ name: 'Named', aliases: ['Alias'] }])
  t.match(codes.get('1002')?.places, [{ name: 'Own', admin: { name1: 'North', name2: '' } }], 'other areas')
})

t.test('a code without fields gets the fields that its neighbours share', async t => {
  const near = (code: string, place: string, lat: number) => row('BV', code, place, { lat, lon: 3 })
  const codes = await codesOf([
    near('1001', 'Town', -54.9),
    near('1002', 'Town', -55),
    near('1003', 'Town', -55.1),
    row('BV', '1009', ''),
    near('2001', 'Town', -54.9),
    near('2002', 'Village', -55),
    near('2003', 'Town', -55.1),
    row('BV', '2009', ''),
    row('BV', '3009', ''),
  ])
  t.match(codes.get('1009'), { lat: -55, lon: 3, accuracy: 'area', places: [{ name: 'Town' }] })
  t.not(codes.get('1009')?.timezone, '')
  t.match(codes.get('2009')?.places, [{ name: 'Town' }], 'the neighbours have two names: the next one wins')
  t.match(codes.get('3009'), { lat: Number.NaN, places: [{ name: 'Town' }] }, 'no code begins like it')
})

t.test('every code has a name', async t => {
  const bayern = { name1: 'Bayern', name2: 'Oberbayern' }
  const codes = await codesOf([
    row('DE', '80000', '', { lat: 48.14, lon: 11.58 }),
    row('DE', '80331', 'München', { lat: 48.14, lon: 11.58 }),
    row('DE', '84000', '', { lat: 48.537, lon: 12.152 }),
    row('DE', '86001', 'Foo', { ...bayern, name3: 'A' }),
    row('DE', '86002', ''),
    row('DE', '87003', 'Bar', { ...bayern, name3: 'B' }),
    row('DE', '98004', ''),
    row('DE', '98005', 'Baz', { name1: 'Thüringen' }),
  ])
  t.match(codes.get('80000')?.places, [{ name: 'München' }], 'the local name of the nearest place')
  t.match(codes.get('84000')?.places, [{ name: 'Landshut' }], 'the nearest place of the gazetteer')
  t.match(codes.get('86002')?.places, [{ name: 'Oberbayern', admin: { ...bayern, name3: '' } }], 'their area')
  t.match(codes.get('98004')?.places, [{ name: 'Baz' }], 'the area with the longer common prefix')
})

t.test('a code between codes of one area gets their area', async t => {
  const known = (code: number, name1: string) => row('BV', String(code), `P${code}`, { name1 })
  const ordered = Array.from({ length: 40 }, (_, i) => known(1000 + 2 * i, i < 20 ? 'North' : 'South'))
  const unknown = [row('BV', '1005', 'X'), row('BV', '1039', 'Y'), row('BV', '1079', 'Z')]
  const codes = await codesOf([...ordered, ...unknown])
  const areaOf = (key: string) => codes.get(key)?.places[0].admin.name1
  t.same(['1005', '1039', '1079'].map(areaOf), ['North', '', ''], 'between two areas and at the end, no area')
  const mixed = Array.from({ length: 40 }, (_, i) => known(1000 + 2 * i, i % 4 === 0 ? 'North' : 'South'))
  const others = await codesOf([...mixed, ...unknown])
  t.equal(others.get('1005')?.places[0].admin.name1, '', 'neighbours without areas')
})

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
  const codes = await codesWith(rows, sourceOf('b', [row('AR', '5008', 'Córdoba')]))
  t.same(namesIn(codes, '5008'), ['Barrio los Paraisos', 'Córdoba'])
  t.ok(codes.get('5008')?.places[0].aliases.includes('los Paraisos'))
  // The code is a first part itself, and Waddington a town of its own.
  const short = [row('GB', 'LN5', 'Waddington', { name1: 'England', code1: 'ENG', lat: 53.1667, lon: -0.54 })]
  short.push(OTHER('GB'))
  const post = await codesWith(short, sourceOf('b', [row('GB', 'LN5', 'Lincoln')]))
  t.ok(namesIn(post, 'LN5')?.includes('Lincoln'), 'the post town of a district')
  const full = [row('GB', 'LS14 3AA', 'Thorner', { name1: 'England', code1: 'ENG', lat: 53.86, lon: -1.43 })]
  full.push(OTHER('GB'))
  const second = [row('GB', 'LS14', 'Leeds'), row('GB', 'LS14 3AA', 'Glasgow')]
  const towns = await codesWith(full, sourceOf('b', second))
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
