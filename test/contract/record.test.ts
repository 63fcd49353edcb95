/** Sections 2 and 4 of the specification, single-record endpoints: one case for each row of their tables. */
import t, { type Test } from 'tap'
import { type Answer, post } from '../support/post.ts'
import { openTarget } from './target.ts'

const { baseUrl, key: apiKey } = await openTarget(t)
const ask = (path: string, body: object) => post(baseUrl, path, { apiKey, ...body })
const MILLISECONDS = /^\d+ms$/

/** A row of a table: the field and what its value must be. */
type Rows = Record<
  string,
  RegExp | StringConstructor | NumberConstructor | BooleanConstructor | string | number
>

function rows(t: Test, section: string, value: Record<string, unknown>, expected: Rows): void {
  for (const [field, type] of Object.entries(expected)) t.match(value[field], type, `${section} ${field}`)
}

/** What every response of section 4 has in common. */
function isSuccess(t: Test, section: string, answer: Answer): void {
  t.equal(answer.status, 200, `${section} HTTP 200`)
  t.match(answer.headers.get('content-type'), /^application\/json/, `${section} response JSON`)
  t.match(
    answer.json,
    { performance: { totalTime: MILLISECONDS }, balance: Number },
    `${section} performance, balance`,
  )
}

t.test('2.2 performance object', async t => {
  const full = ['authTime', 'rateLimitCheckTime', 'balanceTime', 'processingTime', 'totalTime']
  for (const path of ['/api/lookup', '/api/metacode']) {
    const { performance } = (await ask(path, { zipcode: '90210' })).json
    t.same(Object.keys(performance), full, `${path}: the full form`)
    for (const field of full) t.match(performance[field], MILLISECONDS, `${path}: ${field}`)
  }
})

t.test('2.3 rate limit object', async t => {
  const off = { limit: null, current: null, approachingLimit: false }
  const { rateLimit } = (await ask('/api/lookup', { zipcode: '90210' })).json
  t.equal(rateLimit.enabled, false, 'enabled: false by default')
  for (const window of ['perMinute', 'perHour', 'perDay']) t.same(rateLimit[window], off, window)
})

t.test('2.4 lookup record', async t => {
  const us = (await ask('/api/lookup', { zipcode: '90210' })).json
  rows(t, '2.4', us, {
    city: 'Beverly Hills',
    state: 'California',
    ST: 'CA',
    latitude: Number,
    longitude: Number,
  })
  rows(t, '2.4', us, { performance: Object as never, rateLimit: Object as never, balance: Number })
  t.ok(
    Math.abs(us.latitude - 34.09) < 0.05 && Math.abs(us.longitude + 118.41) < 0.05,
    'where Beverly Hills is',
  )
  const elsewhere = (await ask('/api/lookup', { zipcode: '10115', country: 'DE' })).json
  rows(t, '2.4 non-US', elsewhere, {
    city: 'Berlin',
    state: /^$/,
    ST: /^$/,
    latitude: Number,
    longitude: Number,
  })
})

t.test('2.5 metadata record', async t => {
  const us = (await ask('/api/metacode', { zipcode: '90210' })).json.meta
  rows(t, '2.5 common', us, {
    latitude: Number,
    longitude: Number,
    timezone: 'America/Los_Angeles',
    elevation: Number,
  })
  rows(t, '2.5 US', us, { zipcode: '90210', city: 'Beverly Hills', state: 'California', stateAbbrev: 'CA' })
  rows(t, '2.5 US', us, { county: 'Los Angeles' })
  const fr = (await ask('/api/metacode', { zipcode: '75001', country: 'FR' })).json.meta
  rows(t, '2.5 non-US', fr, {
    postalCode: '75001',
    placeName: /Paris/,
    country: 'FR',
    timezone: 'Europe/Paris',
  })
  rows(t, '2.5 admin', fr, { admin_name1: /Île-de-France/, admin_code1: String, admin_name2: String })
  rows(t, '2.5 admin', fr, { admin_code2: String, admin_code3: String })
  const india = (await ask('/api/metacode', { zipcode: '523327', country: 'IN' })).json.meta
  rows(t, '2.5 admin', india, { admin_name3: String })
  for (const meta of [us, fr, india]) {
    const empty = Object.entries(meta).filter(([, value]) => value === null || value === '')
    t.same(empty, [], 'missing fields are omitted, never null')
  }
})

t.test('4.1 lookup', async t => {
  isSuccess(t, '4.1', await ask('/api/lookup', { zipcode: '90210' }))
  t.equal((await ask('/api/lookup', { zipcode: 90210 })).json.city, 'Beverly Hills', '4.1 zipcode: number')
  t.equal((await ask('/api/lookup', { zipcode: '90210' })).json.ST, 'CA', '4.1 country: default US')
  t.equal((await ask('/api/lookup', { zipcode: '90210', country: 'US' })).json.ST, 'CA', '4.1 country')
  const hyphen = await ask('/api/lookup', { zipcode: '100-0001', country: 'JP' })
  t.match(hyphen.json, { city: /Chiyoda/ }, '4.1 a hyphen is accepted for JP')
})

t.test('4.2 metacode and its alias metazip', async t => {
  for (const path of ['/api/metacode', '/api/metazip']) {
    const answer = await ask(path, { zipcode: '90210', country: 'US' })
    isSuccess(t, `4.2 ${path}`, answer)
    rows(t, `4.2 ${path}`, answer.json, { meta: Object as never })
  }
  const [metacode, metazip] = await Promise.all(
    ['/api/metacode', '/api/metazip'].map(path => ask(path, { zipcode: 'SW1A 1AA', country: 'GB' })),
  )
  t.same(metazip.json.meta, metacode.json.meta, '4.2 the alias behaves identically')
})

t.test('4.3 validate', async t => {
  for (const [zipcode, valid] of [
    ['90210', true],
    ['00000', false],
    [90210, true],
    ['!', false],
  ] as const) {
    const answer = await ask('/api/validate', { zipcode })
    isSuccess(t, '4.3', answer)
    t.equal(answer.json.valid, valid, `4.3 valid: ${zipcode}`)
    t.equal(answer.json.zipcode, zipcode, '4.3 zipcode: the input echoed back')
    t.match(answer.json.responseTime, MILLISECONDS, '4.3 responseTime')
  }
})

t.test('4.4 city', async t => {
  const exact = await ask('/api/city', { city: 'Beverly Hills', state: 'California' })
  isSuccess(t, '4.4', exact)
  t.same(exact.json.zipcodes.slice(0, 3), ['90209', '90210', '90211'], '4.4 zipcodes')
  for (const field of ['matchedCity', 'matchedState', 'matchedST'])
    t.notOk(field in exact.json, `4.4 ${field}: absent`)
  const byCode = await ask('/api/city', { city: 'Beverly Hills', ST: 'CA', country: 'US' })
  t.same(byCode.json.zipcodes, exact.json.zipcodes, '4.4 ST in place of state')
  const close = await ask('/api/city', { city: 'Beverley Hils', ST: 'CA' })
  t.same(close.json.zipcodes, exact.json.zipcodes, '4.4 close match')
  rows(t, '4.4', close.json, { matchedCity: 'Beverly Hills', matchedState: 'California', matchedST: 'CA' })
  const abroad = await ask('/api/city', { city: 'Berlin', country: 'DE' })
  t.ok(abroad.json.zipcodes.includes('10115'), '4.4 state and ST: optional outside the US')
})
