/** API.md, *Endpoints* and *Input*: values of fields. Every suite checks the set of fields against the OpenAPI document. */

import { readFileSync } from 'node:fs'
import t from 'tap'
import { QUERY_PRICE_MICROS } from '../../src/billing/money.ts'
import { BULK_THRESHOLD_BYTES } from '../../src/service/endpoints/endpoint.ts'
import { ENDPOINT_LIST } from '../../src/service/endpoints/table.ts'
import { post } from '../support/post.ts'
import { openTarget } from './target.ts'

const { baseUrl, key: apiKey } = await openTarget(t)
const ask = (path: string, body: object) => post(baseUrl, path, { apiKey, ...body })

t.test('aboutapi counts nothing without limits', async t => {
  const off = { limit: null, current: null, approachingLimit: false }
  const { rateLimit } = (await ask('/api/lookup', { zipcode: '90210' })).json
  t.equal(rateLimit.enabled, false, 'by default')
  for (const window of ['perMinute', 'perHour', 'perDay']) t.same(rateLimit[window], off, window)
})

t.test('lookup returns place and position', async t => {
  for (const body of [{ zipcode: '90210' }, { zipcode: 90210 }, { zipcode: '90210', country: 'US' }]) {
    const { status, headers, json } = await ask('/api/lookup', body)
    t.equal(status, 200)
    t.match(headers.get('content-type'), /^application\/json/)
    t.match(json, { city: 'Beverly Hills', state: 'California', ST: 'CA' })
    t.ok(Math.abs(json.latitude - 34.09) < 0.05 && Math.abs(json.longitude + 118.41) < 0.05)
  }
  t.match((await ask('/api/lookup', { zipcode: '10115', country: 'DE' })).json, {
    city: 'Berlin',
    state: /^$/,
    ST: /^$/,
  })
  t.match((await ask('/api/lookup', { zipcode: '100-0001', country: 'JP' })).json, { city: /Chiyoda/ })
})

t.test('metacode and its alias metazip return the full record', async t => {
  const meta = async (zipcode: string, country: string, path = '/api/metacode') =>
    (await ask(path, { zipcode, country })).json.meta
  const us = await meta('90210', 'US')
  t.match(us, {
    zipcode: '90210',
    city: 'Beverly Hills',
    state: 'California',
    stateAbbrev: 'CA',
    county: 'Los Angeles',
    accuracy: /^(code|place|area)$/,
    timezone: 'America/Los_Angeles',
    elevation: Number,
  })
  t.notOk('postalCode' in us)
  const paris = await meta('75001', 'FR')
  t.match(paris, {
    postalCode: '75001',
    placeName: /Paris/,
    country: 'FR',
    timezone: 'Europe/Paris',
    admin_name1: /Île-de-France/,
    admin_code1: String,
    admin_name2: String,
    admin_code3: String,
  })
  t.notOk('zipcode' in paris)
  const india = await meta('523327', 'IN')
  t.type(india.admin_name3, 'string')
  for (const each of [us, paris, india])
    t.notOk(
      Object.values(each).some(value => value === null || value === ''),
      'missing fields are left out',
    )
  t.same(await meta('SW1A 1AA', 'GB', '/api/metazip'), await meta('SW1A 1AA', 'GB'))
})

t.test('validate echoes the code as it was sent', async t => {
  for (const [zipcode, valid] of [
    ['90210', true],
    ['00000', false],
    [90210, true],
    ['!', false],
  ] as const)
    t.match((await ask('/api/validate', { zipcode })).json, { valid, zipcode })
})

t.test('city returns codes and the matched city', async t => {
  const exact = (await ask('/api/city', { city: 'Beverly Hills', state: 'California' })).json
  t.same(exact.zipcodes.slice(0, 3), ['90209', '90210', '90211'])
  for (const field of ['matchedCity', 'matchedState', 'matchedST']) t.notOk(field in exact, field)
  const byCode = await ask('/api/city', { city: 'Beverly Hills', ST: 'CA', country: 'US' })
  t.same(byCode.json.zipcodes, exact.zipcodes)
  const close = (await ask('/api/city', { city: 'Beverley Hils', ST: 'CA' })).json
  t.match(close, { matchedCity: 'Beverly Hills', matchedState: 'California', matchedST: 'CA' })
  t.same(close.zipcodes, exact.zipcodes)
  const abroad = await ask('/api/city', { city: 'Berlin', country: 'DE' })
  t.ok(abroad.json.zipcodes.includes('10115'), 'outside the US, state and ST are left out')
})

t.test('an answer is one JSON object in UTF-8 without white space or repeated names', async t => {
  const { text, json } = await ask('/api/metacode', { zipcode: '80331', country: 'DE' })
  t.equal(json.meta.placeName, 'München')
  t.equal(JSON.stringify(json), text)
})

async function isValid(zipcode: string | number, country?: string): Promise<boolean> {
  return (await post(baseUrl, '/api/validate', { apiKey, zipcode, country })).json.valid
}

async function validateRecord(postalCode: string, countryCode: string) {
  const answer = await post(baseUrl, '/api/validate-bulk', { apiKey, records: [{ postalCode, countryCode }] })
  return answer.json.results[0]
}

async function cities(body: object) {
  return (await post(baseUrl, '/api/city', { apiKey, ...body })).json
}

t.test('countries are case-insensitive, and upper-cased in bulk results', async t => {
  for (const country of ['us', 'Us', 'US']) t.ok(await isValid('90210', country), country)
  t.equal((await validateRecord('90210', 'uS')).countryCode, 'US')
})

t.test('UK means GB and EL means GR', async t => {
  for (const country of ['UK', 'uk', 'GB']) t.ok(await isValid('SW1A', country), country)
  t.match(await validateRecord('SW1A', 'uk'), { countryCode: 'UK', valid: true })
  t.equal((await post(baseUrl, '/api/validate', { apiKey, zipcode: '1', country: 'EL' })).status, 200)
})

t.test('case, spaces, hyphens and dots do not matter', async t => {
  for (const code of ['100-0001', '1000001', '100 0001', ' 1.0.0-0001 '])
    t.ok(await isValid(code, 'JP'), code)
  for (const code of ['sw1a', 'S W-1.A']) t.ok(await isValid(code, 'GB'), code)
})

t.test('pasted codes are found', async t => {
  const cases: [country: string, code: string][] = [
    ['US', '90210\u00a0'],
    ['US', '\u200b90210\r\n'],
    ['US', '90210\u20131234'],
    ['US', '９０２１０'],
    ['US', '９０２１０－１２３４'],
    ['JP', '１００−０００１'],
    ['JP', '100ー0001'],
    ['GB', 'ｓｗ１ａ\u3000１ａａ'],
    ['GB', 'SW1A\u2009\u20111AA'],
    ['PL', '\t42\u2014120'],
    ['FR', '75001 CEDEX'],
    ['FR', '75001 Cedex 08'],
    ['FR', '75001CEDEX8'],
    ['RE', '97400 cedex 9'],
  ]
  for (const [country, code] of cases) {
    const name = `${country} ${JSON.stringify(code)}`
    t.ok(await isValid(code, country), name)
    t.match(await validateRecord(code, country), { postalCode: code, valid: true, reason: null }, name)
  }
  t.match(await validateRecord('75001 CEDEX 08', 'FR'), { normalized: '75001' })
  t.match(await validateRecord('75001 CEDEX', 'FR'), { normalized: '75001' })
  for (const code of ['75001 CEDEX 123', '75001 CEDEX A', 'CEDEX 08', '75001 08']) {
    t.notOk(await isValid(code, 'FR'), code)
    t.notOk((await validateRecord(code, 'FR')).valid, code)
  }
  t.match(
    await validateRecord('90210 CEDEX 08', 'US'),
    { valid: false, reason: 'invalid_format' },
    'not in the US',
  )
})

t.test('a number is padded with zeros, and a string is not', async t => {
  const padded = await post(baseUrl, '/api/metacode', { apiKey, zipcode: 2139 })
  t.equal(padded.json.meta.zipcode, '02139')
  t.equal(await isValid('2139'), false)
  for (const number of [-2139, 21.39, 2139.5]) t.equal(await isValid(number), false, String(number))
})

t.test('ZIP+4 means its ZIP code', async t => {
  for (const code of ['90210-1234', '902101234', '90210 1234']) t.ok(await isValid(code), code)
  t.equal((await validateRecord('90210-1234', 'US')).normalized, '90210')
  t.equal(await isValid('90210-12'), false)
  t.equal(await isValid(902101234), true, 'also as a number')
})

t.test('a full code falls back to a stored short one', async t => {
  const cases = [
    ['GB', 'SW1A 1AA', 'SW1A'],
    ['CA', 'K1A 0B1', 'K1A'],
    ['IE', 'H65 AX60', 'H65'],
    ['NL', '5346 AB', '5346'],
    ['MT', 'MST 1234', 'MST'],
  ]
  for (const [country, code, normalized] of cases) {
    t.match(await validateRecord(code, country), { valid: true, normalized }, `${country} ${code}`)
  }
  t.equal((await validateRecord('SW1A 1A1', 'GB')).valid, false, 'the rest must have the right shape')
})

t.test('normalized, postalCode, zipcode and zipcodes have the written form', async t => {
  const cases = [
    ['PL', '42120', '42-120'],
    ['PT', '3850131', '3850-131'],
    ['LV', '3716', 'LV-3716'],
    ['LV', 'lv3716', 'LV-3716'],
    ['JP', '100-0001', '1000001'],
  ]
  for (const [country, zipcode, written] of cases) {
    t.equal((await validateRecord(zipcode, country)).normalized, written, `normalized ${written}`)
    const { meta } = (await post(baseUrl, '/api/metacode', { apiKey, zipcode, country })).json
    t.equal(meta.postalCode, written, `postalCode ${written}`)
  }
  const { zipcodes } = await cities({ city: 'Częstochowa', country: 'PL' })
  t.ok(zipcodes.includes('42-120'), 'zipcodes')
  t.ok(zipcodes.every((code: string) => /^\d\d-\d{3}$/.test(code)))
})

t.test('an invalid code has a reason', async t => {
  for (const code of [' ', '-.-', '12345678901', 'é', '90210!', '①']) {
    t.equal((await validateRecord(code, 'US')).reason, 'invalid_format', JSON.stringify(code))
  }
  for (const code of ['FOO99', '1', '0000000000'])
    t.equal((await validateRecord(code, 'US')).reason, 'not_found', code)
  for (const code of ['90210', '!'])
    t.equal((await validateRecord(code, 'ZZ')).reason, 'unknown_country', `ZZ ${code}`)
})

t.test('city search finds a code under each of its places', async t => {
  const { meta } = (await post(baseUrl, '/api/metacode', { apiKey, zipcode: '01400', country: 'FR' })).json
  t.type(meta.placeName, 'string')
  const towns = ['Châtillon-sur-Chalaronne', 'Sandrans', 'Sulignat']
  for (const city of towns) t.ok((await cities({ city, country: 'FR' })).zipcodes.includes('01400'), city)
})

t.test('city names match without case, accents and punctuation, and in short forms', async t => {
  const groups: [body: object, names: string[]][] = [
    [{ ST: 'MO' }, ['Saint Louis', 'St. Louis', 'ST LOUIS', 'st-louis']],
    [{ ST: 'NY' }, ['Mount Vernon', 'Mt. Vernon', 'mt vernon']],
    [{ ST: 'TX' }, ['Fort Worth', 'Ft Worth']],
    [{ country: 'PL' }, ['Częstochowa', 'Czestochowa', 'CZĘSTOCHOWA']],
  ]
  for (const [body, names] of groups) {
    const answers = await Promise.all(names.map(city => cities({ ...body, city })))
    t.ok(answers[0].zipcodes.length > 0, names[0])
    for (const answer of answers) {
      t.same(answer.zipcodes, answers[0].zipcodes)
      t.notOk('matchedCity' in answer, 'is exact')
    }
  }
})

t.test('a close match stays in the state, and an exact match in the state wins', async t => {
  const close = await cities({ city: 'Springfeild', ST: 'IL' })
  t.match(close, { matchedCity: 'Springfield', matchedState: 'Illinois', matchedST: 'IL' })
  t.ok(
    close.zipcodes.every((code: string) => code.startsWith('62')),
    'all in Illinois',
  )
  const exact = await cities({ city: 'Springfield', ST: 'IL' })
  t.same(exact.zipcodes, close.zipcodes)
  t.notOk('matchedCity' in exact)
})

t.test('a similar name does not stand for a larger place of another country', async t => {
  for (const [city, country] of [
    ['Paris', 'IT'],
    ['London', 'AU'],
    ['Berlin', 'FR'],
  ])
    t.equal((await cities({ city, country })).zipcodes, undefined, `${city} in ${country}`)
})

t.test('matchedState and matchedST are the level-1 area outside the US', async t => {
  const answer = await cities({ city: 'Czestochowwa', country: 'PL' })
  t.match(answer, { matchedCity: 'Częstochowa', matchedState: 'Śląskie', matchedST: '24' })
})

t.test('state and ST accept names and codes in every country', async t => {
  const us = (await cities({ city: 'Springfield', ST: 'IL' })).zipcodes
  for (const filter of [{ ST: 'Illinois' }, { state: 'IL' }, { state: 'il', ST: 'illinois' }])
    t.same((await cities({ city: 'Springfield', ...filter })).zipcodes, us, JSON.stringify(filter))
  t.equal((await cities({ city: 'Springfield', state: 'CA' })).zipcodes, undefined)
  const india = { city: 'Gangapalem', country: 'IN' }
  for (const filter of [
    { ST: 'Andhra Pradesh' },
    { state: 'Markapur' },
    { state: '549' },
    { state: '549', ST: 'prakasam' },
  ]) {
    const { zipcodes } = await cities({ ...india, ...filter })
    t.ok(zipcodes?.includes('523327'), JSON.stringify(filter))
  }
})

t.test('state and ST are both filters', async t => {
  t.ok((await cities({ city: 'Springfield', state: 'Illinois', ST: 'IL' })).zipcodes)
  t.equal((await cities({ city: 'Springfield', state: 'Illinois', ST: 'MA' })).zipcodes, undefined)
})

t.test('a county of the US is an area as well, unless a state has the same name', async t => {
  t.ok((await cities({ city: 'Beverly Hills', state: 'Los Angeles' })).zipcodes?.includes('90210'))
  const { zipcodes = [] } = await cities({ city: 'Portland', state: 'Washington' })
  t.notOk(zipcodes.includes('97223'), 'Washington County in Oregon has this code of Portland')
})

t.test('zipcodes is ascending and has no duplicates', async t => {
  for (const body of [
    { city: 'Houston', ST: 'TX' },
    { city: 'Berlin', country: 'DE' },
  ]) {
    const { zipcodes } = await cities(body)
    t.ok(zipcodes.length > 50)
    t.same(zipcodes, [...new Set(zipcodes)].sort())
  }
})

const bulk = (records: unknown) => ask('/api/validate-bulk', { records })
const US = { postalCode: '90210', countryCode: 'US' }

t.test('validate-bulk returns a verdict for each record', async t => {
  const cases: [record: object, result: object][] = [
    [US, { valid: true, normalized: '90210', reason: null }],
    [
      { postalCode: ' 90210-1234', countryCode: 'us' },
      { countryCode: 'US', valid: true, normalized: '90210' },
    ],
    [
      { postalCode: '00000', countryCode: 'US' },
      { valid: false, normalized: null, reason: 'not_found' },
    ],
    [
      { postalCode: '!', countryCode: 'US' },
      { valid: false, normalized: null, reason: 'invalid_format', detail: 'wrong_format' },
    ],
    [
      { postalCode: '90210', countryCode: 'ZZ' },
      { valid: false, normalized: null, reason: 'unknown_country' },
    ],
  ]
  const { json } = await bulk(cases.map(([record]) => record))
  t.equal(json.totalCost, (cases.length * QUERY_PRICE_MICROS) / 1e6)
  t.same(json.rateLimit, { enabled: false })
  t.equal(json.results.length, cases.length)
  cases.forEach(([record, result], i) => {
    t.match(json.results[i], { ...record, ...result }, JSON.stringify(record))
    const { detail: _, ...fields } = json.results[i]
    t.same(Object.keys(fields), ['postalCode', 'countryCode', 'valid', 'normalized', 'reason'])
  })
})

t.test('aboutapi describes the service', async t => {
  const { status, json } = await post(baseUrl, '/api/aboutapi', { apiKey })
  t.equal(status, 200)
  t.equal(json.version, '2.0.0', 'the current version')
  t.match(json.coverage, /\d[\d,]* postal codes of \d+ countries/, 'generated from the index')
})

t.test('a thousand records have the answers of a few, in order', async t => {
  const codes = '90210-1234|00000|SW1A 1AA|K1A 0B1|100-0001|75001|“75001”|37000|FOO99|90210!|?'.split('|')
  const few = 'US GB CA JP FR MX PL ZZ DE'
    .split(' ')
    .flatMap(countryCode => codes.map(postalCode => ({ postalCode, countryCode })))
  const many = Array.from({ length: 1000 }, (_, i) => few[i % few.length])
  t.ok(JSON.stringify(many).length > BULK_THRESHOLD_BYTES, 'large enough for a worker')
  for (const path of ['/api/validate-bulk', '/api/lookup-bulk']) {
    const [short, long] = [
      (await ask(path, { records: few })).json,
      (await ask(path, { records: many })).json,
    ]
    const asked = short.results.map(({ postalCode, countryCode }: typeof US) => ({ postalCode, countryCode }))
    t.same(asked, few, path)
    const expected = many.map((_, i) => short.results[i % few.length])
    t.equal(JSON.stringify(long.results), JSON.stringify(expected), path)
    t.equal(long.totalCost, 0.028)
  }
})

const API = readFileSync(new URL('../../../src/service/api/API.md', import.meta.url), 'utf8')

/**
 * A heading that names an endpoint, then the JSON blocks of a request and its response. A body with only a key is not
 * shown.
 */
const EXAMPLE = /^### ([\w-]+)\n(?:(?!^#)[\s\S])*?(?:^```json\n([^`]*)^```\n)?^```json\n([^`]*)^```/gm
/** Parts that an example leaves out. */
const PARTS: ReadonlySet<string> = new Set(['performance', 'rateLimit'])
const LEFT_OUT = /\{…\}/g

/** Returns the shape of a value: its fields by name, and the shape of a list's first element. */
function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.slice(0, 1).map(shapeOf)
  if (typeof value !== 'object' || value === null) return typeof value
  const fields = Object.entries(value).map(([name, field]) => [name, PARTS.has(name) ? '' : shapeOf(field)])
  return Object.fromEntries(fields)
}

const examples = Array.from(API.matchAll(EXAMPLE), ([, name, request = '{}', response]) => ({
  name,
  request: JSON.parse(request),
  response: JSON.parse(response.replace(LEFT_OUT, '{}')),
}))

/** The text on verify-bulk refers to two other endpoints. */
const names = ENDPOINT_LIST.map(({ name }) => name).filter(name => name !== 'verify-bulk')
t.same(examples.map(({ name }) => name).sort(), names.sort())

for (const { name, request, response } of examples) {
  t.test(name, async t => {
    const { status, json } = await post(baseUrl, `/api/${name}`, { ...request, apiKey })
    t.equal(status, 200)
    t.same(shapeOf(json), shapeOf(response))
  })
}
