/** API.md, *Money*. */
import t from 'tap'
import { dollars, NEW_ACCOUNT_CREDIT_MICROS, QUERY_PRICE_MICROS } from '../../src/billing/money.ts'
import { balanceText, post, send } from '../support/post.ts'
import { needsOperator, openTarget } from './target.ts'

const target = await openTarget(t)
const { baseUrl, operator } = target
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

t.test('every balance is exact', needsOperator(target), async t => {
  if (operator === undefined) return
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

t.test(
  'a balance below the price is refused with 402, and nothing is charged',
  needsOperator(target),
  async t => {
    if (operator === undefined) return
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
  },
)

t.test('keys of one account share its balance', needsOperator(target), async t => {
  if (operator === undefined) return
  const { id, key } = await operator.open()
  const second = await operator.addKey(id)
  t.equal(balanceText(await post(baseUrl, '/api/lookup', { apiKey: key, ...whole })), '0.027972')
  t.equal(balanceText(await post(baseUrl, '/api/lookup', { apiKey: second.key, ...whole })), '0.027944')
})

t.test('a key that has used up its own cap says so', needsOperator(target), async t => {
  if (operator === undefined) return
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

t.test('concurrent requests are each charged once', needsOperator(target), async t => {
  if (operator === undefined) return
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
