import t from 'tap'
import { addressWords, networkOfClient } from '../../../src/platform/networks.ts'
import { CELL } from '../../../src/service/http/counts.ts'
import { KEY_FAILURES_MAX } from '../../../src/service/http/failed-keys.ts'
import { startApp } from '../../support/app.ts'
import { waitForMonotonicMinute } from '../../support/minute.ts'
import { post } from '../../support/post.ts'
import { RawSocket, rawPost } from '../../support/raw-socket.ts'
import { until } from '../../support/until.ts'

const wrong = { apiKey: `pk_live_${'A'.repeat(36)}`, zipcode: '90210' }
const records = [{ postalCode: '90210', countryCode: 'US' }]
/** Maximum time of a test's failed keys. */
const FAILURES_MS = 15_000

t.beforeEach(() => waitForMonotonicMinute(FAILURES_MS))

t.test(
  'many failed keys get late answers, and a valid key from the same address an immediate one',
  async t => {
    const app = await startApp(t)
    const waiting = () => app.counts.shared.load(CELL.waitingKeys)
    for (let i = 0; i < KEY_FAILURES_MAX; i++) {
      t.equal((await post(app.baseUrl, '/api/lookup', wrong)).status, 401)
    }
    t.equal(waiting(), 0)
    const late = ['/api/lookup', '/api/aboutapi', '/api/validate-bulk', '/api/city'].map(path =>
      post(app.baseUrl, path, { ...wrong, records, city: 'Berlin', country: 'DE' }),
    )
    await until(() => waiting() === late.length)
    const valid = await post(app.baseUrl, '/api/lookup', { apiKey: app.key, zipcode: '90210' })
    t.equal(valid.status, 200)
    t.equal(waiting(), late.length, 'the failed keys still wait')
    for (const answer of await Promise.all(late)) {
      t.equal(answer.status, 401)
      t.same(answer.json, { error: 'Invalid API key' })
    }
  },
)

t.test('the server forgets a client that does not wait', async t => {
  const app = await startApp(t)
  const waiting = () => app.counts.shared.load(CELL.waitingKeys)
  for (let i = 0; i < KEY_FAILURES_MAX; i++) await post(app.baseUrl, '/api/lookup', wrong)
  const raw = await RawSocket.open(app.port)
  raw.send(rawPost('/api/lookup', JSON.stringify(wrong)))
  await until(() => waiting() === 1)
  raw.socket.destroy()
  await until(() => waiting() === 0)
  t.same(app.errors, [])
})

t.test('failed keys count per IPv4 address and per IPv6 /64 network', async t => {
  const network = (...bytes: number[]) =>
    networkOfClient(addressWords(Uint8Array.from(bytes)) ?? Int32Array.of())
  const mapped = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 255, 255, 127, 0, 0, 1]
  t.equal(network(...mapped), network(127, 0, 0, 1), 'IPv4 within IPv6')
  t.not(network(127, 0, 0, 1), network(127, 0, 0, 2))
  const site = [0x20, 1, 0xd, 0xb8, 0, 0, 0, 1]
  t.equal(network(...site, 0, 0, 0, 0, 0, 0, 0, 1), network(...site, 9, 9, 9, 9, 9, 9, 9, 9), '/64 of IPv6')
  t.not(network(...site, ...site), network(...site.with(7, 2), ...site))
})
