/** API.md, *Endpoints*: values of fields. Every suite checks the set of fields against the OpenAPI document. */
import t from 'tap'
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
