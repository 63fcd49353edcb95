/** API.md, *What every response has*. */
import t from 'tap'
import { type Answer, post } from '../support/post.ts'
import { openTarget } from './target.ts'

const { baseUrl, key: apiKey } = await openTarget(t)
const whole = { apiKey, zipcode: '90210', city: 'Beverly Hills', ST: 'CA' }
const FULL = ['authTime', 'rateLimitCheckTime', 'balanceTime', 'processingTime', 'totalTime']

async function answers(paths: readonly string[]): Promise<[string, Answer][]> {
  return Promise.all(
    paths.map(async (path): Promise<[string, Answer]> => [path, await post(baseUrl, path, whole)]),
  )
}

t.test('performance times are whole milliseconds, in the full or the short form', async t => {
  const records = [{ postalCode: '90210', countryCode: 'US' }]
  const bulk = await post(baseUrl, '/api/validate-bulk', { apiKey, records })
  const paths = [
    '/api/lookup',
    '/api/metacode',
    '/api/metazip',
    '/api/validate',
    '/api/city',
    '/api/aboutapi',
    '/api/balance',
  ]
  for (const [path, { json }] of [...(await answers(paths)), ['/api/validate-bulk', bulk] as const]) {
    const names = Object.keys(json.performance)
    t.ok(names.join() === FULL.join() || names.join() === 'totalTime', path)
    t.ok(
      Object.values<string>(json.performance).every(time => /^\d+ms$/.test(time)),
      path,
    )
  }
})

t.test('balance has the balance and the times, and nothing else', async t => {
  const { status, json } = await post(baseUrl, '/api/balance', { apiKey })
  t.equal(status, 200)
  t.same(Object.keys(json), ['balance', 'performance'])
  t.type(json.balance, 'number')
})

t.test('rateLimit is on every successful record response, in the full form', async t => {
  for (const [path, { json }] of await answers(['/api/lookup', '/api/validate', '/api/city'])) {
    t.same(Object.keys(json.rateLimit), ['enabled', 'perMinute', 'perHour', 'perDay'], path)
  }
})

t.test('metadata has the fields of its country, each only when the record has it', async t => {
  const us = [
    'zipcode',
    'city',
    'state',
    'stateAbbrev',
    'county',
    'latitude',
    'longitude',
    'accuracy',
    'timezone',
    'elevation',
  ]
  const { meta } = (await post(baseUrl, '/api/metacode', whole)).json
  t.same(Object.keys(meta).sort(), us.sort(), 'US')
  for (const [zipcode, country] of [
    ['10115', 'DE'],
    ['75001', 'FR'],
    ['523327', 'IN'],
    ['SW1A', 'GB'],
  ]) {
    const { json } = await post(baseUrl, '/api/metacode', { apiKey, zipcode, country })
    const known =
      /^(postalCode|country|placeName|latitude|longitude|accuracy|timezone|elevation|admin_(name|code)[123])$/
    const unknown = Object.keys(json.meta).filter(name => !known.test(name))
    t.same(unknown, [], country)
    t.equal(json.meta.country, country)
  }
})

t.test('a response is one JSON object of UTF-8', async t => {
  const { text, json } = await post(baseUrl, '/api/metacode', { apiKey, zipcode: '80331', country: 'DE' })
  t.equal(json.meta.placeName, 'München')
  t.equal(JSON.stringify(json), text, 'without white space, each name once')
})
