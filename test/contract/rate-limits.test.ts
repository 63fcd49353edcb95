/** API.md, *Rate limits*. */
import t from 'tap'
import { withinWindow } from '../support/minute.ts'
import { post } from '../support/post.ts'
import type { Limits, Operator } from './operator.ts'
import { needsOperator, openTarget } from './target.ts'

const target = await openTarget(t)
const { baseUrl } = target
const US = { postalCode: '90210', countryCode: 'US' }
const DAY_MS = 86_400_000

async function openLimited(limits: Limits, operator = target.operator as Operator) {
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

t.test('an unset window has no limit and still counts', needsOperator(target), async t => {
  const [first, second] = await withinWindow(60_000, async () => {
    const { validate } = await openLimited({ perDay: 100 })
    return [await validate(), await validate()]
  })
  const { rateLimit } = second.json
  t.equal(rateLimit.enabled, true)
  t.match(rateLimit.perMinute, { limit: null, current: 2, approachingLimit: false })
  t.match(rateLimit.perHour, { limit: null, current: 2, approachingLimit: false })
  t.match(rateLimit.perDay, { limit: 100, current: 2, approachingLimit: false })
  t.equal(first.json.rateLimit.perDay.current, 1)
})

t.test('every admitted request counts, whatever its answer', needsOperator(target), async t => {
  // A fleet's node keeps unused leases for a minute. They count in the day.
  const [single, many, refused, last] = await withinWindow(60_000, async () => {
    const { ask, bulk, validate } = await openLimited({ perDay: 20 })
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

t.test('approachingLimit is true from 80 percent on', needsOperator(target), async t => {
  const { bulk } = await openLimited({ perDay: 10 })
  t.equal((await bulk(7)).json.rateLimit.perDay.approachingLimit, false)
  t.equal((await bulk(1)).json.rateLimit.perDay.approachingLimit, true)
})

t.test('the keys of an account share its limits', needsOperator(target), async t => {
  const { account, validate } = await openLimited({ perDay: 2 })
  const other = await target.operator?.addKey(account.id)
  t.equal((await validate()).status, 200)
  t.equal((await validate(other?.key)).status, 200)
  t.equal((await validate()).status, 429)
  t.equal((await validate(other?.key)).status, 429)
})

t.test('retryAfter is the time until the same request can pass', needsOperator(target), async t => {
  for (const [limits, windowMs] of [
    [{ perMinute: 1 }, 60_000],
    [{ perHour: 1 }, 3_600_000],
    [{ perDay: 1 }, DAY_MS],
    [{ perMinute: 1, perDay: 1 }, DAY_MS],
  ] as [Limits, number][]) {
    const [refused, askedMs] = await withinWindow(windowMs, async () => {
      const { validate } = await openLimited(limits)
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

t.test(
  'a bulk request larger than a limit is 429, and says what can pass',
  needsOperator(target),
  async t => {
    for (const count of [11, 900]) {
      const { bulk, validate } = await openLimited({ perHour: 100, perDay: 10 })
      const refused = await bulk(count)
      t.equal(refused.status, 429)
      t.same(Object.keys(refused.json), ['error', 'message'], 'waiting does not help')
      t.equal(refused.json.error, 'Rate limit would be exceeded by this bulk request')
      t.match(refused.json.message, /\b10 records\b/)
      t.equal(refused.headers.get('retry-after'), null)
      t.equal((await validate()).json.rateLimit.perDay.current, 1, 'nothing was counted')
      t.type((await bulk(10)).json.retryAfter, 'number', 'a smaller request gets a wait')
    }
  },
)

t.test('the rate limit is checked after the key and before the balance', needsOperator(target), async t => {
  const { account, bulk, validate } = await openLimited({})
  await bulk(1000)
  t.equal((await validate()).status, 402)
  await target.operator?.limit(account.id, { perDay: 1 })
  await validate()
  t.equal((await validate()).status, 429)
  // A worker answers larger batches.
  await target.operator?.limit(account.id, { perDay: 700 })
  t.equal((await bulk(800)).status, 429)
  t.equal((await bulk(600)).status, 402)
})

t.test('a limit is 1 to 10,000,000', needsOperator(target), async t => {
  const operator = target.operator as Operator
  const { id } = await operator.open()
  for (const perDay of [1, 10_000_000]) await t.resolves(operator.limit(id, { perDay }))
  for (const perDay of [0, 10_000_001, 1.5, -1])
    await t.rejects(operator.limit(id, { perDay }), String(perDay))
})
