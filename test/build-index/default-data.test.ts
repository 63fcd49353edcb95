import { readFileSync } from 'node:fs'
import t from 'tap'
import { hasExpectedCodes } from '../../datasets/reference/expected-codes.ts'
import { openIndex } from '../../src/postal/library/node.ts'
import { canonicalCode } from '../../src/postal/text/code-symbols.ts'
import { DEFAULT_INDEX } from '../support/default-index.ts'

const codes = openIndex(DEFAULT_INDEX)

const find = (country: string, code: string) => codes.metadata(code, country, { places: true })
const cityHas = (country: string, city: string, code: string) =>
  codes.city(city, { country })?.zipcodes.includes(code)

t.test('typed queries are answered', async t => {
  const lines = readFileSync('test/data/typed-codes.tsv', 'utf8')
    .split('\n')
    .filter(line => line !== '' && !line.startsWith('#'))
  t.ok(lines.length >= 450, `${lines.length} inputs`)
  t.ok(new Set(lines.map(line => line.slice(0, 2))).size >= 60)
  for (const line of lines) {
    const [country, kind, typed, key] = line.split('\t')
    const { valid, normalized } = codes.check(kind === 'number' ? Number(typed) : typed, country)
    const name = `${country} ${JSON.stringify(typed)}`
    if (key === '') t.notOk(valid, name)
    // `LV-1050` is the written form of the key 1050.
    else t.ok(valid && canonicalCode(normalized ?? '')?.endsWith(key), `${name}: ${normalized}`)
  }
})

t.test('well-known codes are answered', async t => {
  t.match(find('US', '90210'), {
    city: 'Beverly Hills',
    state: 'California',
    stateAbbrev: 'CA',
    county: 'Los Angeles',
    timezone: 'America/Los_Angeles',
  })
  t.match(find('DE', '10115'), { placeName: 'Berlin', timezone: 'Europe/Berlin' })
  t.match(find('GB', 'SW1A'), { placeName: 'London', postalCode: 'SW1A', timezone: 'Europe/London' })
  t.match(find('CA', 'K1A'), { placeName: 'Ottawa', admin_name1: 'Ontario', admin_code1: 'ON' })
  t.match(find('IN', '110001'), { placeName: 'New Delhi', timezone: 'Asia/Kolkata' })
  t.same(codes.city('Hagåtña', { country: 'GU', state: 'GU' })?.zipcodes, ['96910', '96932'])
  t.match(find('VA', '00120'), { placeName: 'Città del Vaticano' })
  const named = codes.list('states', { country: 'IT' })?.states?.filter(({ name }) => name === 'Lazio')
  t.match(named, [{ code: '62' }], 'Lazio is there once')
  t.match(find('IT', '00118'), { placeName: 'Roma', admin_code1: '62', admin_code2: 'RM' })
  t.match(find('AU', '2000'), { placeName: 'Sydney' })
  t.match(find('FI', '00100'), { placeName: 'Helsinki' })
  t.match(find('BR', '37540000'), { admin_name2: 'Santa Rita do Sapucaí', municipality: /^Santa Rita do/ })
  t.match(find('US', '70112'), { county: 'Orleans' }, 'without its kind')
  t.match(find('RU', '683000'), { admin_name1: 'Камчатский край' })
  t.match(find('RU', '461629'), { admin_name1: 'Оренбургская область' }, 'not that of the code before')
  t.ok(cityHas('IN', 'Gurugram', '122003'), 'the gazetteer has its former name')
  t.match(find('NO', '0001'), { placeName: 'Oslo' })
  t.match(find('TR', '34710'), { placeName: 'Kadıköy' })
  t.match(find('TW', '100'), { placeName: 'Zhongzheng', timezone: 'Asia/Taipei' })
})

t.test('islands, exclaves and namesakes are where they are', async t => {
  for (const [country, code, ...facts] of [
    ['AU', '2898', 'Lord Howe Island', '-31.6', '159.1', 'Australia/Lord_Howe'],
    ['DE', '78266', 'Büsingen am Hochrhein', '47.7', '8.7', 'Europe/Busingen'],
    ['DE', '17121', 'Loitz', '54.0', '13.1', 'Europe/Berlin'],
    ['AT', '8233', 'Dechantskirchen', '47.4', '16.0', 'Europe/Vienna'],
    ['CZ', '69638', 'Strážovice', '49.0', '17.0', 'Europe/Prague'],
    ['FR', '82130', 'Lafrançaise', '44.1', '1.2', 'Europe/Paris'],
    ['IE', 'D11', 'Dublin', '53.4', '-6.3', 'Europe/Dublin'],
    ['IE', 'D20', 'Dublin', '53.4', '-6.4', 'Europe/Dublin'],
    ['IE', 'D6W', 'Dublin', '53.3', '-6.3', 'Europe/Dublin'],
    ['IE', 'T12', 'Cork', '51.9', '-8.5', 'Europe/Dublin'],
    ['AU', '1208', 'Haymarket', '-33.9', '151.2', 'Australia/Sydney'],
    ['IN', '395003', 'Surat', '21.2', '72.8', 'Asia/Kolkata'],
    ['IN', '494226', 'Kondagaon', '19.6', '81.7', 'Asia/Kolkata'],
    ['IN', '422002', 'Gole Colony', '20.0', '73.8', 'Asia/Kolkata'],
    ['IT', '92031', 'Lampedusa e Linosa', '35.5', '12.6', 'Europe/Rome'],
    ['PL', '00037', 'Warszawa', '52.2', '21.0', 'Europe/Warsaw'],
    ['PT', '4950791', 'Monção', '42.0', '-8.5', 'Europe/Lisbon'],
    ['SE', '43121', 'Göteborg', '57.7', '12.0', 'Europe/Stockholm'],
    ['TW', '203', 'Zhongshan', '25.1', '121.7', 'Asia/Taipei'],
    ['TW', '300', 'East', '24.8', '121.0', 'Asia/Taipei'],
    ['ZA', '2017', 'Braamfontein', '-26.2', '28.1', 'Africa/Johannesburg'],
    ['US', '99546', 'Adak', '51.9', '-176.6', 'America/Adak'],
    ...['AU', 'NF'].map(cc => [cc, '2899', 'Norfolk Island', '-29.1', '168.0', 'Pacific/Norfolk']),
    ...['AU', 'CX'].map(cc => [cc, '6798', 'Christmas Island', '-10.5', '105.6', 'Indian/Christmas']),
    ['US', '09007', 'APO', '49.4', '8.7', 'Europe/Berlin'],
    ['JP', '8691102', 'Kikuyo', '32.9', '130.8', 'Asia/Tokyo'],
    ['JP', '4710000', 'Toyota', '35.1', '137.2', 'Asia/Tokyo'],
    // The codes after it are of islands.
    ['JP', '1000001', 'Chiyoda', '35.7', '139.8', 'Asia/Tokyo'],
    ['ES', '28001', 'Madrid', '40.4', '-3.7', 'Europe/Madrid'],
    ['ES', '35001', 'Las Palmas de Gran Canaria', '28.1', '-15.4', 'Atlantic/Canary'],
    ['ES', '51001', 'Ceuta', '35.9', '-5.3', 'Africa/Ceuta'],
    // The gazetteer has older names of these zones.
    ['CA', 'P7A', 'Thunder Bay', '48.5', '-89.2', 'America/Toronto'],
    ['UA', '01001', 'Kyiv', '50.5', '30.5', 'Europe/Kyiv'],
    // The county and the area decide at a border of zones, not the nearest place or a coarse map.
    ['US', '30124', 'Cave Spring', '34.1', '-85.3', 'America/New_York'],
    ['US', '73946', 'Kenton', '36.9', '-103.0', 'America/Chicago'],
  ]) {
    const { placeName, city = placeName, latitude, longitude, timezone } = find(country, code) ?? {}
    t.same([city, latitude?.toFixed(1), longitude?.toFixed(1), timezone], facts)
  }
  t.same(codes.city('Saint-Étienne', { country: 'FR' })?.zipcodes, ['42000', '42100', '42230'])
  t.equal(find('GB', 'S12')?.elevation, 58, 'not that of the mine of Orgreave')
  const puertoRico = codes
    .nearest({ latitude: 18.46, longitude: -66.1 }, { limit: 9 })
    ?.map(each => each.postalCode)
  t.equal(new Set(puertoRico).size, 9, 'a code of two countries is one result')
  const quarter = find('JP', '4800134')
  t.match(
    quarter,
    { admin_name2: 'Oguchi-cho', timezone: 'Asia/Tokyo', latitude: undefined },
    'not in Toyota',
  )
  for (const [country, code] of ['AZ AZ1000', 'HT HT6110', 'LT LT-01001'].map(text => text.split(' ')))
    t.match(code, new RegExp(codes.format(code, country)?.pattern ?? ''))
})

t.test('a typed space ends the first part of a code', async t => {
  const begun = (typed: string) =>
    codes.autocomplete(typed, { country: 'GB' }).codes.map(({ postalCode }) => postalCode)
  t.same([begun('SK1 2'), begun('SK12')], [['SK1'], ['SK12']])
  t.same([begun('SW1A 1'), begun('SW1A1')], [['SW1A'], ['SW1A']])
})

t.test('a numbered part is found under its city and under its own name', async t => {
  for (const [code, city, part, level2] of [
    ['75001', 'Paris', 'Paris 01', '75'],
    ['69001', 'Lyon', 'Lyon 01', '69'],
  ]) {
    const found = find('FR', code)
    const names = found?.places?.map(({ name }) => name)
    t.same(names, [city, part])
    t.match(found, { admin_code2: level2, admin_code3: /^\d{5}$/ })
    for (const name of [city, part]) t.ok(cityHas('FR', name, code), name)
  }
})

t.test('Japanese names are romanised and also found in kanji', async t => {
  t.match(find('JP', '1000001'), {
    postalCode: '1000001',
    placeName: 'Chiyoda',
    admin_name1: 'Tokyo',
    admin_code1: '13',
    admin_name2: 'Chiyoda-ku',
    admin_code2: '13101',
  })
  for (const name of ['Chiyoda', '千代田', '千代田区', 'Tokyo']) t.ok(cityHas('JP', name, '1000001'), name)
  for (const [state, city, code] of [
    ['東京都', '千代田', '1000001'],
    ['東京', '千代田区', '1000001'],
    ['北海道', '札幌', '0600000'],
  ])
    t.ok(codes.city(city, { country: 'JP', state })?.zipcodes.includes(code), `${city} in ${state}`)
  for (const [code, ...names] of [
    ['1001511', 'Hachijo', '三根'],
    ['2730101', 'Kamagaya', '富岡'],
    ['6670112', 'Yabu', '養父市場'],
    ['8112115', 'Sue', '佐谷'],
  ])
    t.same(
      find('JP', code)
        ?.places?.map(({ name }) => name)
        .slice(0, 2),
      names,
      'in other signs and addresses',
    )
  t.match(find('JP', '0640941'), { placeName: 'Sapporo', admin_name2: 'Sapporo-shi', admin_name3: 'Chuo-ku' })
})

t.test('names have their own spelling, whatever a source makes of them', async t => {
  for (const [country, code, ...names] of [
    ['TH', '50200', 'Phra Sing', 'พระสิงห์'],
    ['JP', '1000004', 'Chiyoda', '大手町'],
    ['FR', '75001', 'Paris', 'Paris 1er Arrondissement'],
    // O and a vowel of the next word are both written.
    ['JP', '6680000', 'Toyooka'],
    ['JP', '7014200', 'Setouchi'],
    ['JP', '8913100', 'Nishinoomote'],
    ['JP', '9630000', 'Koriyama'],
    ['NO', '8622', 'Mo i Rana'],
    ['TW', '108', 'Wanhua'],
    ['CA', 'K1A', 'Ottawa'],
    ['DE', '80539', 'München'],
    ['DE', '49393', 'Lohne'],
    ['DE', '83093', 'Bad Endorf'],
    ['CH', '2555', 'Brügg'],
    ['CH', '1066', 'Épalinges'],
    ['CH', '8166', 'Niederweningen', 'Niederweningen / Niederweningen (Dorf)'],
    ['PL', '02-792', 'Warszawa', 'Warsaw'],
    ['CZ', '755 01', 'Vsetín', 'Vsetin'],
    ['LT', '99001', 'Šilutė'],
    ['RU', '129110', 'Москва'],
    ['GB', 'HU5', 'Hull'],
  ]) {
    t.equal(find(country, code)?.placeName, names[0])
    const { postalCode = '' } = find(country, code) ?? {}
    for (const name of names) t.ok(cityHas(country, name, postalCode), `${name} has ${postalCode}`)
  }
})

t.test('Norwegian codes have the counties of today', async t => {
  const counties: Record<string, string> = {
    '0150': 'Oslo',
    '1344': 'Akershus',
    '1601': 'Østfold',
    '2350': 'Innlandet',
    '3075': 'Buskerud',
    '4460': 'Rogaland',
    '4604': 'Agder',
    '5003': 'Vestland',
    '6763': 'Møre og Romsdal',
    '7900': 'Trøndelag',
    '7980': 'Nordland',
    '9008': 'Troms',
    '9510': 'Finnmark',
  }
  for (const [code, county] of Object.entries(counties)) t.equal(find('NO', code)?.admin_name1, county, code)
})

t.test('cities are found by other names', async t => {
  for (const name of ['München', 'Munich', 'Muenchen', 'Monaco di Baviera'])
    t.ok(cityHas('DE', name, '80331'), name)
  for (const name of ['Helsinki', 'Helsingfors']) t.ok(cityHas('FI', name, '00100'), name)
  for (const name of ['Roma', 'Rome']) t.ok(cityHas('IT', name, '00118'), name)
  for (const code of ['400053', '400069'])
    t.ok(cityHas('IN', 'Andheri', code), 'offices and halves of a suburb')
  t.notOk(cityHas('IN', 'Yamuna Nagar', '135102'), 'a village with its district in brackets is not the town')
  for (const [city, country, code] of [
    ['Paris', 'FR', '75016'],
    ['Mumbai', 'IN', '400050'],
    ['London', 'GB', 'W1K'],
    ['Manhattan', 'US', '10001'],
  ])
    t.ok(cityHas(country, city, code), `${city} has its quarters`)
  for (const [city, country, code] of [
    ['Paris', 'FR', '92100'],
    ['Mumbai', 'IN', '421301'],
    ['Los Angeles', 'US', '90201'],
  ])
    t.notOk(cityHas(country, city, code), `${city} has no codes of the towns around`)
  t.notOk(codes.city('Schwabing', { country: 'DE' }), 'Schwaig has two letters less')
  t.ok((codes.metadata('1208', 'AU')?.elevation ?? 0) < 100, 'the elevation is not that of a namesake')
})

t.test('territories, military post and filled gaps are answered', async t => {
  t.match(find('US', '00901'), { city: 'San Juan', state: 'Puerto Rico', stateAbbrev: 'PR' })
  t.match(find('PR', '00901'), { placeName: 'San Juan' })
  for (const [code, countyFips] of [
    ['00901', '72127'],
    ['00802', '78030'],
    ['96799', '60010'],
    ['96910', '66010'],
    ['96950', '69110'],
  ])
    t.match(codes.metadata(code, 'US', { countyFips: true }), { countyFips }, code)
  t.match(find('US', '09001'), { city: 'APO', state: 'Armed Forces Europe', stateAbbrev: 'AE' })
  t.match(find('US', '34001'), { latitude: undefined, timezone: undefined })
  t.match(find('DE', '01001'), { placeName: 'Dresden' })
  t.ok(find('AU', '0874'), 'one of the codes that only the second source has')
  t.match(find('FR', '97400'), { timezone: 'Indian/Reunion' })
})

t.test('every full country has its expected number of codes', async t => {
  const countries = codes.countries()
  t.ok(countries.length >= 75, `${countries.length} countries`)
  const counts = Object.fromEntries(countries.map(({ country, codes }) => [country, codes]))
  t.match(counts, { US: 42_010, JP: 120_484, LU: 172 })
  for (const { country, completeness, codes } of countries) {
    t.match(completeness, /^(full|short codes|partial)$/)
    if (completeness === 'full')
      t.ok(hasExpectedCodes(country, codes), `${country} is full with ${codes} codes`)
  }
  const short = countries.filter(({ completeness }) => completeness === 'short codes')
  t.equal(short.map(({ country }) => country).join(' '), 'BR CA GB IE MT NL TW')
})
