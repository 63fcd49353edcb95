import t from 'tap'
import { post } from '../support/post.ts'
import { needsOperator, openTarget, type Target } from './target.ts'

const target = await openTarget(t)
const { baseUrl, key: apiKey } = target
const CODE_PATHS = ['/api/lookup', '/api/metacode', '/api/metazip', '/api/validate']
const RECORD_PATHS = [...CODE_PATHS, '/api/city']
const BULK = ['/api/validate-bulk']
const ABOUT = ['/api/aboutapi']
const BALANCE = ['/api/balance']
/** A well-formed key that does not exist. */
const UNKNOWN_KEY = 'pk_live_0000000000000000000000000000000hLQIq'
const US = { postalCode: '90210', countryCode: 'US' }
/** Body for any endpoint. Each row changes or leaves out a field. */
const whole = { apiKey, zipcode: '90210', city: 'Beverly Hills', ST: 'CA', records: [US] }

type Row = [status: number, text: string, paths: readonly string[], ...bodies: object[]]
const without = (field: keyof typeof whole) => ({ ...whole, [field]: undefined })
const withRecord = (record: unknown) => ({ ...whole, records: [US, record] })

const ROWS: readonly Row[] = [
  [400, 'Missing required field: apiKey', [...RECORD_PATHS, ...BULK, ...BALANCE], without('apiKey')],
  [400, "Missing or invalid 'apiKey'", ABOUT, without('apiKey')],
  [400, 'Missing required field: zipcode', CODE_PATHS, without('zipcode')],
  [400, "Invalid 'country'", RECORD_PATHS, { ...whole, country: 'USA' }],
  [400, 'Missing required field: city', ['/api/city'], without('city')],
  [400, "Missing 'state' or 'ST' in request body", ['/api/city'], without('ST')],
  [
    400,
    'Missing required field: records (must be an array)',
    BULK,
    without('records'),
    { ...whole, records: { 0: US } },
  ],
  [400, 'records array must contain at least 1 record', BULK, { ...whole, records: [] }],
  [
    400,
    'records array exceeds maximum of 1000 per request',
    BULK,
    { ...whole, records: new Array(1001).fill(US) },
  ],
  [
    400,
    'records[1].postalCode must be a non-empty string',
    BULK,
    withRecord({ countryCode: 'US' }),
    withRecord({ postalCode: '', countryCode: 'US' }),
    withRecord({ postalCode: 90210, countryCode: 'US' }),
    withRecord(null),
  ],
  [
    400,
    'records[1].countryCode must be a 2-letter ISO 3166-1 alpha-2 code',
    BULK,
    withRecord({ postalCode: '1' }),
    withRecord({ ...US, countryCode: 'USA' }),
  ],
  [
    401,
    'Invalid API key',
    [...RECORD_PATHS, ...BULK, ...ABOUT, ...BALANCE],
    { ...whole, apiKey: UNKNOWN_KEY },
    { ...whole, apiKey: 'x' },
  ],
  [404, 'ZIP code not found', CODE_PATHS.slice(0, 3), { ...whole, zipcode: '00000' }],
  [404, 'No ZIP codes found for the given city/state', ['/api/city'], { ...whole, city: 'Qwertyuiopolis' }],
]

for (const [status, error, paths, ...bodies] of ROWS) {
  t.test(`${status} ${error}`, async t => {
    for (const path of paths)
      for (const body of bodies) {
        const answer = await post(baseUrl, path, body)
        t.equal(answer.status, status, path)
        t.same(answer.json, { error }, path)
      }
  })
}

async function keyFor(
  { operator }: Target,
  given: string | undefined,
  make: 'empty' | 'revoked' | 'limited',
) {
  if (given !== undefined || operator === undefined) return given
  const { id, keyId, key } = await operator.open()
  if (make === 'revoked') await operator.revoke(keyId)
  if (make === 'empty') await post(baseUrl, BULK[0], { apiKey: key, records: new Array(1000).fill(US) })
  if (make === 'limited') {
    await operator.limit(id, { perDay: 1 })
    await post(baseUrl, '/api/validate', { ...whole, apiKey: key })
  }
  return key
}

const available = (key: string | undefined) => (key === undefined ? needsOperator(target) : {})

t.test('a revoked key is refused with 401', available(target.revokedKey), async t => {
  const key = await keyFor(target, target.revokedKey, 'revoked')
  for (const path of [...RECORD_PATHS, ...BULK]) {
    const answer = await post(baseUrl, path, { ...whole, apiKey: key })
    t.equal(answer.status, 401, path)
    t.same(answer.json, { error: 'Invalid API key' }, path)
  }
})

t.test('an empty balance is refused with 402', available(target.emptyKey), async t => {
  const key = await keyFor(target, target.emptyKey, 'empty')
  for (const path of [...RECORD_PATHS, ...BULK]) {
    const answer = await post(baseUrl, path, { ...whole, apiKey: key })
    const error = path === BULK[0] ? 'Insufficient balance for bulk request' : 'Insufficient balance'
    t.equal(answer.status, 402, path)
    t.match(answer.json, { error, currentBalance: /^\$0\.00\d\d$/, message: /\S+ .*funds.*\.$/ }, path)
    t.same(Object.keys(answer.json), ['error', 'currentBalance', 'message'], path)
  }
  t.equal((await post(baseUrl, ABOUT[0], { apiKey: key })).status, 200, 'aboutapi is free')
  t.equal((await post(baseUrl, BALANCE[0], { apiKey: key })).status, 200, 'balance is free')
})

t.test('a used-up limit is refused with 429', available(target.limitedKey), async t => {
  const key = await keyFor(target, target.limitedKey, 'limited')
  for (const path of [...RECORD_PATHS, ...BULK]) {
    const answer = await post(baseUrl, path, { ...whole, apiKey: key })
    const error =
      path === BULK[0] ? 'Rate limit would be exceeded by this bulk request' : 'Rate limit exceeded'
    t.equal(answer.status, 429, path)
    t.same(Object.keys(answer.json), ['error', 'retryAfter'], path)
    t.equal(answer.json.error, error, path)
    t.ok(Number.isInteger(answer.json.retryAfter) && answer.json.retryAfter >= 1, path)
    t.equal(answer.headers.get('retry-after'), String(answer.json.retryAfter), `${path}: Retry-After`)
  }
})
