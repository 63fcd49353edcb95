import t, { type Test } from 'tap'
import { NO_RULES } from '../../../src/billing/accounts/views.ts'
import { Clients } from '../../../src/service/api/clients.ts'
import { TOTAL } from '../../../src/service/http/counts.ts'
import { KEY_FAILURES_MAX } from '../../../src/service/http/early-refusals.ts'
import { startApp } from '../../support/app.ts'
import { waitForMonotonicMinute } from '../../support/minute.ts'
import { RawSocket } from '../../support/raw-socket.ts'
import { startThreads } from '../../support/threads.ts'
import { until } from '../../support/until.ts'

const PROXY = '127.0.0.2'
const DIRECT = '127.0.0.3'
const PROXIES = [PROXY]

async function openConnection(t: Test, port: number, from: string): Promise<RawSocket> {
  const raw = await RawSocket.open(port, from)
  t.teardown(() => raw.socket.destroy())
  return raw
}

function requestOf(path: string, body: object, lines: readonly string[]): string {
  const text = JSON.stringify(body)
  const head = [`POST ${path} HTTP/1.1`, 'Host: x', `Content-Length: ${Buffer.byteLength(text)}`, ...lines]
  return `${head.join('\r\n')}\r\n\r\n${text}`
}

t.test('a key with networks accepts the clients of a proxy on every thread', async t => {
  const { port, accounts, openAccount } = await startThreads(t, 2, { trustedProxies: PROXIES })
  const { key: apiKey, keyId } = await openAccount(10_000)
  await accounts.setKeyRules(keyId, { ...NO_RULES, addresses: ['203.0.113.0/24'] })
  const said = (address: string) => `X-Forwarded-For: ${address}`
  const other = 'Forwarded: for=203.0.113.9'
  const records = Array.from({ length: 900 }, () => ({ postalCode: '90210', countryCode: 'US', pad: 'x' }))
  const cases: [lines: string[], from: string, status: number, name: string][] = [
    [[said('203.0.113.9')], PROXY, 200, 'a client in the network'],
    [[said('198.51.100.1')], PROXY, 403, 'a client outside'],
    [[said('203.0.113.9'), said('198.51.100.1')], PROXY, 403, 'several lines are one list'],
    [[said('198.51.100.1'), said('203.0.113.9')], PROXY, 200, 'the last of several lines counts'],
    [[said('203.0.113.9')], DIRECT, 403, 'the header of a direct client is ignored'],
    [[said('unknown')], PROXY, 403, 'a client that the proxy does not know'],
    [[other], PROXY, 403, 'the other header'],
    [[], PROXY, 403, 'the proxy itself'],
  ]
  const proxied = await Promise.all(Array.from({ length: 8 }, () => openConnection(t, port, PROXY)))
  const direct = await openConnection(t, port, DIRECT)
  for (const [lines, from, status, name] of cases) {
    for (const raw of from === PROXY ? proxied : [direct]) {
      raw.send(requestOf('/api/lookup', { apiKey, zipcode: '90210' }, lines))
      t.equal((await raw.answer())?.status, status, name)
    }
    const [first] = from === PROXY ? proxied : [direct]
    first.send(requestOf('/api/validate-bulk', { apiKey, records }, lines))
    t.equal((await first.answer())?.status, status, `${name}, in a large batch`)
  }
  direct.send(requestOf('/api/lookup', { apiKey, zipcode: '90210' }, [said('203.0.113.9')]))
  t.match((await direct.answer())?.body, `this request came from ${DIRECT}.`)
  proxied[0].send(requestOf('/api/lookup', { apiKey, zipcode: '90210' }, [said('unknown')]))
  t.match((await proxied[0].answer())?.body, 'from an address that is not known.')
})

t.test('failed keys are counted for the client of a proxy, not for the proxy', async t => {
  const app = await startApp(t, undefined, { clients: new Clients(PROXIES) })
  const waiting = () => app.counts.shared.load(TOTAL.waitingKeys)
  const body = { apiKey: `pk_live_${'A'.repeat(36)}`, zipcode: '90210' }
  const fail = (raw: RawSocket, lines: string[]) => raw.send(requestOf('/api/lookup', body, lines))
  await waitForMonotonicMinute(15_000)
  const guesser = await openConnection(t, app.port, PROXY)
  for (let i = 0; i < KEY_FAILURES_MAX; i++) {
    fail(guesser, [`X-Forwarded-For: 198.51.100.${i % 200}, 203.0.113.9`])
    t.equal((await guesser.answer())?.status, 401)
  }
  fail(guesser, ['X-Forwarded-For: 203.0.113.9'])
  await until(() => waiting() === 1)
  const other = await openConnection(t, app.port, PROXY)
  fail(other, ['X-Forwarded-For: 203.0.113.10'])
  t.equal((await other.answer())?.status, 401, 'another client of the proxy does not wait')
  t.equal(waiting(), 1)
  fail(other, [])
  t.equal((await other.answer())?.status, 401, 'the proxy does not wait either')
  t.equal((await guesser.answer())?.status, 401)
})
