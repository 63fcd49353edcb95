/** API.md, *Money* and *Rate limits*. */
import t, { type Test } from 'tap'
import { dollars, NEW_ACCOUNT_CREDIT_MICROS, QUERY_PRICE_MICROS } from '../../src/billing/money.ts'
import { withinWindow } from '../support/minute.ts'
import { balanceText, post, send } from '../support/post.ts'
import type { Limits, Operator } from './operator.ts'
import { needsOperator, openTarget } from './target.ts'

const target = await openTarget(t)
const { baseUrl } = target

/** A test that opens accounts as an operator. */
const testMoney = (name: string, test: (t: Test, operator: Operator) => Promise<void>) =>
  t.test(name, needsOperator(target), t => test(t, target.operator as Operator))

const US = { postalCode: '90210', countryCode: 'US' }
const whole = { zipcode: '90210', city: 'Beverly Hills', ST: 'CA' }

const CHARGED: [path: string, body: object, queries: number][] = [
  ['/api/lookup', whole, 1],
  ['/api/metacode', whole, 1],
  ['/api/metazip', whole, 1],
  ['/api/validate', whole, 1],
  ['/api/validate', { zipcode: '00000' }, 1],
  ['/api/city', whole, 1],
  ['/api/city', { city: 'Beverley Hils', ST: 'CA' }, 1],
  ['/api/validate-bulk', { records: [US] }, 1],
  ['/api/validate-bulk', { records: new Array(7).fill({ ...US, postalCode: '?' }) }, 7],
  ['/api/validate-bulk', { records: new Array(700).fill(US) }, 700],
  ['/api/lookup-bulk', { records: new Array(700).fill(US) }, 700],
  ['/api/aboutapi', {}, 0],
  ['/api/balance', {}, 0],
]

/** Requests that end in an error and cost nothing. */
const FREE: [path: string, body: object, status: number][] = [
  ['/api/lookup', { zipcode: '00000' }, 404],
  ['/api/metacode', {}, 400],
  ['/api/city', { city: 'Qwertyuiopolis', ST: 'CA' }, 404],
  ['/api/validate', { zipcode: '1', country: 'ZZ' }, 400],
  ['/api/validate-bulk', { records: [] }, 400],
  ['/api/validate-bulk', { records: [US, {}] }, 400],
  ['/api/unknown', {}, 404],
]

testMoney('every balance is exact', async (t, operator) => {
  const { id, key: apiKey } = await operator.open()
  await operator.credit(id, '4.972')
  let micros = 5_000_000
  const about = async () => balanceText(await post(baseUrl, '/api/aboutapi', { apiKey }))
  t.equal(await about(), '5')
  for (let round = 0; round < 3; round++) {
    for (const [path, body, queries] of CHARGED) {
      micros -= queries * QUERY_PRICE_MICROS
      const answer = await post(baseUrl, path, { apiKey, ...body })
      t.equal(balanceText(answer), String(dollars(micros)), `${path} costs ${queries}`)
    }
    for (const [path, body, status] of FREE) {
      t.equal((await post(baseUrl, path, { apiKey, ...body })).status, status, path)
    }
    await send(baseUrl, '/api/lookup', { method: 'GET' })
    t.equal(await about(), String(dollars(micros)), 'errors and GET are free')
  }
})

testMoney('a balance below the price is refused with 402, and nothing is charged', async (t, operator) => {
  const { id, key: apiKey } = await operator.open()
  const bulk = (count: number) =>
    post(baseUrl, '/api/validate-bulk', { apiKey, records: new Array(count).fill(US) })
  t.equal(balanceText(await bulk(999)), '0.000028')
  const refused = await bulk(2)
  t.equal(refused.status, 402)
  t.match(refused.json, { currentBalance: '$0.0000' })
  t.equal(balanceText(await post(baseUrl, '/api/lookup', { apiKey, ...whole })), '0', 'the last query')
  await operator.credit(id, '0.000027')
  t.equal((await post(baseUrl, '/api/lookup', { apiKey, ...whole })).status, 402)
  t.equal(balanceText(await post(baseUrl, '/api/aboutapi', { apiKey })), '0.000027', 'also above zero')
})

testMoney('keys of one account share its balance', async (t, operator) => {
  const { id, key } = await operator.open()
  const second = await operator.addKey(id)
  t.equal(balanceText(await post(baseUrl, '/api/lookup', { apiKey: key, ...whole })), '0.027972')
  t.equal(balanceText(await post(baseUrl, '/api/lookup', { apiKey: second.key, ...whole })), '0.027944')
})

testMoney('a key that has used up its own cap says so', async (t, operator) => {
  const { keyId, key: apiKey } = await operator.open()
  await operator.cap(keyId, '0.000056')
  const records = new Array(3).fill(US)
  const paths: [path: string, body: object, error: string][] = [
    ['/api/lookup', whole, 'Insufficient balance'],
    ['/api/validate-bulk', { records }, 'Insufficient balance for bulk request'],
    ['/api/validate-bulk', { records: new Array(900).fill(US) }, 'Insufficient balance for bulk request'],
  ]
  for (let i = 0; i < 2; i++) await post(baseUrl, '/api/lookup', { apiKey, ...whole })
  for (const [path, body, error] of paths) {
    const refused = await post(baseUrl, path, { apiKey, ...body })
    t.equal(refused.status, 402, path)
    t.same(Object.keys(refused.json), ['error', 'currentBalance', 'message'])
    t.match(refused.json, { error, currentBalance: '$0.0279', message: /cap .*used up.*dashboard/ })
  }
  t.equal(balanceText(await post(baseUrl, '/api/balance', { apiKey })), '0.027944')
})

testMoney('concurrent requests are each charged once', async (t, operator) => {
  const { key: apiKey } = await operator.open()
  const answers = await Promise.all(
    Array.from({ length: 300 }, (_, i) =>
      i % 30 === 0
        ? post(baseUrl, '/api/validate-bulk', { apiKey, records: new Array(20).fill(US) })
        : post(baseUrl, '/api/validate', { apiKey, ...whole }),
    ),
  )
  t.ok(answers.every(({ status }) => status === 200))
  t.equal(new Set(answers.map(balanceText)).size, 300, 'no two answers carry the same balance')
  const spent = (290 + 10 * 20) * QUERY_PRICE_MICROS
  t.equal(
    balanceText(await post(baseUrl, '/api/aboutapi', { apiKey })),
    String(dollars(NEW_ACCOUNT_CREDIT_MICROS - spent)),
  )
})

const DAY_MS = 86_400_000

async function openLimited(operator: Operator, limits: Limits) {
  const account = await operator.open()
  await operator.limit(account.id, limits)
  const { key: apiKey } = account
  return {
    account,
    validate: (key = apiKey) => post(baseUrl, '/api/validate', { apiKey: key, zipcode: '90210' }),
    ask: (path: string, body: object) => post(baseUrl, path, { apiKey, ...body }),
    bulk: (count: number) =>
      post(baseUrl, '/api/validate-bulk', { apiKey, records: new Array(count).fill(US) }),
  }
}

testMoney('an unset window has no limit and still counts', async (t, operator) => {
  const [first, second] = await withinWindow(60_000, async () => {
    const { validate } = await openLimited(operator, { perDay: 100 })
    return [await validate(), await validate()]
  })
  const { rateLimit } = second.json
  t.equal(rateLimit.enabled, true)
  t.match(rateLimit.perMinute, { limit: null, current: 2, approachingLimit: false })
  t.match(rateLimit.perHour, { limit: null, current: 2, approachingLimit: false })
  t.match(rateLimit.perDay, { limit: 100, current: 2, approachingLimit: false })
  t.equal(first.json.rateLimit.perDay.current, 1)
})

testMoney('every admitted request counts, whatever its answer', async (t, operator) => {
  // A fleet's node keeps unused leases for a minute. They count in the day.
  const [single, many, refused, last] = await withinWindow(60_000, async () => {
    const { ask, bulk, validate } = await openLimited(operator, { perDay: 20 })
    await ask('/api/lookup', { zipcode: '00000' })
    await ask('/api/lookup', {})
    await ask('/api/aboutapi', {})
    await ask('/api/balance', {})
    return [await validate(), await bulk(5), await bulk(14), await validate()]
  })
  const counted = ({ json }: typeof single) => json.rateLimit.perDay.current
  t.equal(counted(single), 2, 'the 404 counts, the 400, aboutapi and balance do not')
  t.equal(counted(many), 7, 'bulk counts as its records')
  t.equal(refused.status, 429)
  t.equal(counted(last), 8, 'a refused request does not count')
})

testMoney('approachingLimit is true from 80 percent on', async (t, operator) => {
  const { bulk } = await openLimited(operator, { perDay: 10 })
  t.equal((await bulk(7)).json.rateLimit.perDay.approachingLimit, false)
  t.equal((await bulk(1)).json.rateLimit.perDay.approachingLimit, true)
})

testMoney('the keys of an account share its limits', async (t, operator) => {
  const { account, validate } = await openLimited(operator, { perDay: 2 })
  const other = await operator.addKey(account.id)
  t.equal((await validate()).status, 200)
  t.equal((await validate(other.key)).status, 200)
  t.equal((await validate()).status, 429)
  t.equal((await validate(other.key)).status, 429)
})

testMoney('retryAfter is the time until the same request can pass', async (t, operator) => {
  for (const [limits, windowMs] of [
    [{ perMinute: 1 }, 60_000],
    [{ perHour: 1 }, 3_600_000],
    [{ perDay: 1 }, DAY_MS],
    [{ perMinute: 1, perDay: 1 }, DAY_MS],
  ] as [Limits, number][]) {
    const [refused, askedMs] = await withinWindow(windowMs, async () => {
      const { validate } = await openLimited(operator, limits)
      await validate()
      return [await validate(), Date.now()] as const
    })
    t.equal(refused.status, 429)
    const leftSeconds = (windowMs - (askedMs % windowMs)) / 1000
    const { retryAfter } = refused.json
    t.ok(retryAfter >= 1 && Math.abs(retryAfter - leftSeconds) <= 2, `${retryAfter} s of ${leftSeconds} s`)
    t.equal(refused.headers.get('retry-after'), String(retryAfter))
  }
})

testMoney('a bulk request larger than a limit is 429, and says what can pass', async (t, operator) => {
  for (const count of [11, 900]) {
    const { bulk, validate } = await openLimited(operator, { perHour: 100, perDay: 10 })
    const refused = await bulk(count)
    t.equal(refused.status, 429)
    t.same(Object.keys(refused.json), ['error', 'message'], 'waiting does not help')
    t.equal(refused.json.error, 'Rate limit would be exceeded by this bulk request')
    t.match(refused.json.message, /\b10 records\b/)
    t.equal(refused.headers.get('retry-after'), null)
    t.equal((await validate()).json.rateLimit.perDay.current, 1, 'nothing was counted')
    t.type((await bulk(10)).json.retryAfter, 'number', 'a smaller request gets a wait')
  }
})

testMoney('the rate limit is checked after the key and before the balance', async (t, operator) => {
  const { account, bulk, validate } = await openLimited(operator, {})
  await bulk(1000)
  t.equal((await validate()).status, 402)
  await operator.limit(account.id, { perDay: 1 })
  await validate()
  t.equal((await validate()).status, 429)
  // A worker answers larger batches.
  await operator.limit(account.id, { perDay: 700 })
  t.equal((await bulk(800)).status, 429)
  t.equal((await bulk(600)).status, 402)
})

testMoney('a limit is 1 to 10,000,000', async (t, operator) => {
  const { id } = await operator.open()
  for (const perDay of [1, 10_000_000]) await t.resolves(operator.limit(id, { perDay }))
  for (const perDay of [0, 10_000_001, 1.5, -1])
    await t.rejects(operator.limit(id, { perDay }), String(perDay))
})
