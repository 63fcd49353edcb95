/** API.md, *Endpoints* and *What every response has*: a case for each row of the tables of single-record endpoints. */
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

function rows(t: Test, what: string, value: Record<string, unknown>, expected: Rows): void {
  for (const [field, type] of Object.entries(expected)) t.match(value[field], type, `${what} ${field}`)
}

/** API.md, *What every response has*. */
function isSuccess(t: Test, what: string, answer: Answer): void {
  t.equal(answer.status, 200, `${what} HTTP 200`)
  t.match(answer.headers.get('content-type'), /^application\/json/, `${what} response JSON`)
  t.match(
    answer.json,
    { performance: { totalTime: MILLISECONDS }, balance: Number },
    `${what} performance, balance`,
  )
}

t.test('performance object', async t => {
  const full = ['authTime', 'rateLimitCheckTime', 'balanceTime', 'processingTime', 'totalTime']
  for (const path of ['/api/lookup', '/api/metacode']) {
    const { performance } = (await ask(path, { zipcode: '90210' })).json
    t.same(Object.keys(performance), full, `${path}: the full form`)
    for (const field of full) t.match(performance[field], MILLISECONDS, `${path}: ${field}`)
  }
})

t.test('rateLimit object', async t => {
  const off = { limit: null, current: null, approachingLimit: false }
  const { rateLimit } = (await ask('/api/lookup', { zipcode: '90210' })).json
  t.equal(rateLimit.enabled, false, 'enabled: false by default')
  for (const window of ['perMinute', 'perHour', 'perDay']) t.same(rateLimit[window], off, window)
})

t.test('lookup record', async t => {
  const us = (await ask('/api/lookup', { zipcode: '90210' })).json
  rows(t, 'lookup', us, {
    city: 'Beverly Hills',
    state: 'California',
    ST: 'CA',
    latitude: Number,
    longitude: Number,
  })
  rows(t, 'lookup', us, { performance: Object as never, rateLimit: Object as never, balance: Number })
  t.ok(
    Math.abs(us.latitude - 34.09) < 0.05 && Math.abs(us.longitude + 118.41) < 0.05,
    'where Beverly Hills is',
  )
  const elsewhere = (await ask('/api/lookup', { zipcode: '10115', country: 'DE' })).json
  rows(t, 'lookup non-US', elsewhere, {
    city: 'Berlin',
    state: /^$/,
    ST: /^$/,
    latitude: Number,
    longitude: Number,
  })
})

t.test('meta object', async t => {
  const us = (await ask('/api/metacode', { zipcode: '90210' })).json.meta
  rows(t, 'meta common', us, {
    latitude: Number,
    longitude: Number,
    accuracy: /^(code|place|area)$/,
    timezone: 'America/Los_Angeles',
    elevation: Number,
  })
  rows(t, 'meta US', us, { zipcode: '90210', city: 'Beverly Hills', state: 'California', stateAbbrev: 'CA' })
  rows(t, 'meta US', us, { county: 'Los Angeles' })
  const fr = (await ask('/api/metacode', { zipcode: '75001', country: 'FR' })).json.meta
  rows(t, 'meta non-US', fr, {
    postalCode: '75001',
    placeName: /Paris/,
    country: 'FR',
    timezone: 'Europe/Paris',
  })
  rows(t, 'meta admin', fr, { admin_name1: /Île-de-France/, admin_code1: String, admin_name2: String })
  rows(t, 'meta admin', fr, { admin_code2: String, admin_code3: String })
  const india = (await ask('/api/metacode', { zipcode: '523327', country: 'IN' })).json.meta
  rows(t, 'meta admin', india, { admin_name3: String })
  for (const meta of [us, fr, india]) {
    const empty = Object.entries(meta).filter(([, value]) => value === null || value === '')
    t.same(empty, [], 'missing fields are omitted, never null')
  }
})

t.test('lookup', async t => {
  isSuccess(t, 'lookup', await ask('/api/lookup', { zipcode: '90210' }))
  t.equal((await ask('/api/lookup', { zipcode: 90210 })).json.city, 'Beverly Hills', 'lookup zipcode: number')
  t.equal((await ask('/api/lookup', { zipcode: '90210' })).json.ST, 'CA', 'lookup country: default US')
  t.equal((await ask('/api/lookup', { zipcode: '90210', country: 'US' })).json.ST, 'CA', 'lookup country')
  const hyphen = await ask('/api/lookup', { zipcode: '100-0001', country: 'JP' })
  t.match(hyphen.json, { city: /Chiyoda/ }, 'lookup a hyphen is accepted for JP')
})

t.test('metacode and its alias metazip', async t => {
  for (const path of ['/api/metacode', '/api/metazip']) {
    const answer = await ask(path, { zipcode: '90210', country: 'US' })
    isSuccess(t, `4.2 ${path}`, answer)
    rows(t, `4.2 ${path}`, answer.json, { meta: Object as never })
  }
  const [metacode, metazip] = await Promise.all(
    ['/api/metacode', '/api/metazip'].map(path => ask(path, { zipcode: 'SW1A 1AA', country: 'GB' })),
  )
  t.same(metazip.json.meta, metacode.json.meta, 'metacode the alias behaves identically')
})

t.test('validate', async t => {
  for (const [zipcode, valid] of [
    ['90210', true],
    ['00000', false],
    [90210, true],
    ['!', false],
  ] as const) {
    const answer = await ask('/api/validate', { zipcode })
    isSuccess(t, 'validate', answer)
    t.equal(answer.json.valid, valid, `4.3 valid: ${zipcode}`)
    t.equal(answer.json.zipcode, zipcode, 'validate zipcode: the input echoed back')
    t.match(answer.json.responseTime, MILLISECONDS, 'validate responseTime')
  }
})

t.test('city', async t => {
  const exact = await ask('/api/city', { city: 'Beverly Hills', state: 'California' })
  isSuccess(t, 'city', exact)
  t.same(exact.json.zipcodes.slice(0, 3), ['90209', '90210', '90211'], 'city zipcodes')
  for (const field of ['matchedCity', 'matchedState', 'matchedST'])
    t.notOk(field in exact.json, `4.4 ${field}: absent`)
  const byCode = await ask('/api/city', { city: 'Beverly Hills', ST: 'CA', country: 'US' })
  t.same(byCode.json.zipcodes, exact.json.zipcodes, 'city ST in place of state')
  const close = await ask('/api/city', { city: 'Beverley Hils', ST: 'CA' })
  t.same(close.json.zipcodes, exact.json.zipcodes, 'city close match')
  rows(t, 'city', close.json, { matchedCity: 'Beverly Hills', matchedState: 'California', matchedST: 'CA' })
  const abroad = await ask('/api/city', { city: 'Berlin', country: 'DE' })
  t.ok(abroad.json.zipcodes.includes('10115'), 'city state and ST: optional outside the US')
})
