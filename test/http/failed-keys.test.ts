/** Who tries keys waits; who has one does not. */
import t from 'tap'
import { hexAddressKey } from '../../src/http/address.ts'
import { KEY_FAILURE_DELAY_MS, KEY_FAILURES_MAX } from '../../src/limits.ts'
import { startApp } from '../support/app.ts'
import { minuteWith } from '../support/minute.ts'
import { post } from '../support/post.ts'
import { RawSocket, rawChunked, rawPost } from '../support/raw-socket.ts'
import { until } from '../support/until.ts'

const wrong = { apiKey: `pk_live_${'A'.repeat(36)}`, zipcode: '90210' }
const records = [{ postalCode: '90210', countryCode: 'US' }]
/** More than the failures of a test take. */
const FAILURES_MS = 15_000

t.beforeEach(() => minuteWith(FAILURES_MS))

t.test(
  'failed keys beyond a number are answered late, and a valid key from the same address at once',
  async t => {
    const app = await startApp(t)
    const { failedKeys } = app.parts.replies
    for (let i = 0; i < KEY_FAILURES_MAX; i++) {
      t.equal((await post(app.baseUrl, '/api/lookup', wrong)).status, 401)
    }
    t.equal(failedKeys.waiting, 0)
    const startedMs = performance.now()
    const late = ['/api/lookup', '/api/aboutapi', '/api/validate-bulk', '/api/city'].map(path =>
      post(app.baseUrl, path, { ...wrong, records, city: 'Berlin', country: 'DE' }),
    )
    await until(() => failedKeys.waiting === late.length)
    const valid = await post(app.baseUrl, '/api/lookup', { apiKey: app.key, zipcode: '90210' })
    t.equal(valid.status, 200)
    t.equal(failedKeys.waiting, late.length, 'the failed ones wait still')
    for (const answer of await Promise.all(late)) {
      t.equal(answer.status, 401)
      t.same(answer.json, { error: 'Invalid API key' })
    }
    t.ok(performance.now() - startedMs >= KEY_FAILURE_DELAY_MS - 5, 'never early')
  },
)

t.test('a client that does not wait is forgotten', async t => {
  const app = await startApp(t)
  const { failedKeys } = app.parts.replies
  for (let i = 0; i < KEY_FAILURES_MAX; i++) await post(app.baseUrl, '/api/lookup', wrong)
  const raw = await RawSocket.open(app.port)
  raw.send(rawPost('/api/lookup', JSON.stringify(wrong)))
  await until(() => failedKeys.waiting === 1)
  raw.socket.destroy()
  await until(() => failedKeys.waiting === 0)
  t.same(app.errors, [])
})

t.test('a late answer to a wrong key dropped the answers before it, which had been charged', async t => {
  const app = await startApp(t)
  const valid = rawPost('/api/lookup', JSON.stringify({ apiKey: app.key, zipcode: '90210' }))
  const unknown = rawPost('/api/lookup', JSON.stringify(wrong))
  const inPieces = rawChunked('/api/lookup', JSON.stringify(wrong))
  for (let i = 0; i <= KEY_FAILURES_MAX + 1; i++) {
    const raw = await RawSocket.open(app.port)
    raw.send(valid + (i % 2 === 0 ? unknown : inPieces) + valid)
    const statuses = [await raw.answer(), await raw.answer(), await raw.answer()].map(
      answer => answer?.status,
    )
    t.same(statuses, [200, 401, 200])
    raw.socket.destroy()
  }
  for (const text of [unknown, inPieces]) {
    const raw = await RawSocket.open(app.port)
    raw.send(text)
    await until(() => app.parts.replies.failedKeys.waiting === 1)
    t.pass('the first of its read waits')
    raw.socket.destroy()
    await until(() => app.parts.replies.failedKeys.waiting === 0)
  }
})

t.test('addresses', async t => {
  t.equal(hexAddressKey('7f000001'), '7f000001')
  t.equal(hexAddressKey(`00000000000000000000ffff7f000001`), '7f000001', 'IPv4 within IPv6')
  t.equal(hexAddressKey('20010db8000000010000000000000001'), '20010db800000001', 'the /64 of IPv6')
})
