import { once } from 'node:events'
import { connect } from 'node:net'
import t, { type Test } from 'tap'
import { CONTROL_CONNECTIONS_MAX, CONTROL_HEADERS_MS_MAX } from '../../src/console/listen.ts'
import { ownPath } from '../../src/console/session/origin.ts'
import { Browser, signInAs, startDashboard, startWithCustomer } from '../support/dashboard.ts'
import { startIdentityProvider } from '../support/identity-provider.ts'
import { sendAs } from '../support/post.ts'
import { until } from '../support/until.ts'

t.test('a form without its token or from another page changes nothing', async t => {
  const { dashboard, ada } = await startWithCustomer(t)
  const csrf = await ada.token('/keys')
  t.not(csrf, '')
  t.equal((await ada.post('/keys', { label: 'x' })).status, 403, 'no token')
  const guess = await ada.post('/keys', { label: 'x', csrf: 'guess' })
  t.match([guess.status, await guess.text()], [403, 'This form is no longer valid'], 'a guess')
  const eve = await signInAs(dashboard, 'eve@example.com')
  const foreign = await eve.token('/keys')
  t.equal((await ada.post('/keys', { label: 'x', csrf: foreign })).status, 403, "another session's token")
  t.equal((await ada.post('/keys', { label: 'x', csrf }, 'https://evil.example')).status, 403, 'foreign')
  t.equal((await ada.post('/keys', { label: 'x', csrf }, 'null')).status, 403, 'opaque origin')
  t.equal((await ada.post('/keys', { label: 'x', csrf }, null)).status, 403, 'no origin')
  t.equal(dashboard.accounts.listKeys('ada@example.com').length, 0)
  t.equal((await ada.post('/keys', { label: 'x', csrf })).status, 303, 'the honest form')
  t.equal(dashboard.accounts.listKeys('ada@example.com').length, 1)
})

t.test("another account's key cannot be seen or changed", async t => {
  const dashboard = await startDashboard(t)
  const { accounts } = dashboard
  const ada = await accounts.createAccount({ email: 'ada@example.com' })
  const key = await accounts.createKey(ada.id, { label: 'mine' })
  const eve = await signInAs(dashboard, 'eve@example.com')
  t.equal((await eve.visit(`/keys/${key.id}`)).status, 404)
  for (const action of ['revoke', 'rename', 'cap', 'rules', 'roll', 'end-overlap', 'switch']) {
    t.equal(
      (await eve.submit('/keys', `/keys/${key.id}/${action}`, { label: 'stolen', usd: '1' })).status,
      404,
      action,
    )
  }
  t.match(accounts.key(key.id), { label: 'mine', revokedMs: null, capMicros: null })
})

t.test('signing in changes the session cookie', async t => {
  const dashboard = await startDashboard(t)
  const browser = new Browser(dashboard.origin)
  browser.cookies.set('postrie-session', 'planted')
  await browser.signIn('ada@example.com')
  const first = browser.cookies.get('postrie-session')
  t.not(first, 'planted')
  await browser.signIn('ada@example.com')
  t.not(browser.cookies.get('postrie-session'), first)
  const old = new Browser(dashboard.origin)
  old.cookies.set('postrie-session', first ?? '')
  t.match((await old.visit('/')).url, '/sign-in', 'the previous session has ended')
})

t.test('a label is escaped', async t => {
  const { accounts, ada } = await startWithCustomer(t)
  const label = '"><script>alert(1)</script>'
  await ada.submit('/keys', '/keys', { label })
  for (const page of ['/keys', `/keys/${accounts.listKeys('ada@example.com')[0]?.id}`, '/usage?split=key']) {
    const { text } = await ada.visit(page)
    t.notMatch(text, '<script>alert', page)
  }
})

/** Each address has led a browser or a server to another host. */
const FOREIGN_PATHS = [
  ...[undefined, '', '/\t/evil.example', '/\n/evil.example', '/\r\n/evil.example', '\t//evil.example'],
  ...[' //evil.example', '/./\t/evil.example', 'javascript:1', 'data:text/html,x', 'evil.example'],
  ...'https://evil.example https:evil.example http:/evil.example //evil.example ///evil.example'.split(' '),
  ...'////evil.example /\\evil.example \\\\evil.example \\/evil.example /\\/evil.example'.split(' '),
  ...'//\\evil.example /.//evil.example /./\\evil.example /.\\/evil.example /..//evil.example'.split(' '),
  ...'/../..//evil.example /keys/..//evil.example /keys/../\\evil.example /%2e//evil.example'.split(' '),
  ...'/%2E%2e//evil.example /.%2e/\\evil.example //@evil.example //[::1] //%65vil.example'.split(' '),
  ...'//evil.example:80\\@127.0.0.1:8081 //127.0.0.1:8081@evil.example'.split(' '),
]
const OWN_PATHS = {
  '/keys?x=1#y': '/keys?x=1',
  '/%2F/evil.example': '/%2F/evil.example',
  '/%5Cevil.example': '/%5Cevil.example',
  '/keys//twice': '/keys//twice',
  '/usage?next=//evil.example': '/usage?next=//evil.example',
  '/a/../keys': '/keys',
}

t.test('a sign-in never redirects to another host', async t => {
  const origin = 'http://127.0.0.1:8081'
  for (const path of FOREIGN_PATHS) t.equal(ownPath(origin, path), '/', JSON.stringify(path))
  for (const [path, own] of Object.entries(OWN_PATHS)) t.equal(ownPath(origin, path), own, path)

  const dashboard = await startDashboard(t)
  for (const path of ['//evil.example', '/.//evil.example', '/%2e//evil.example', '/keys/..//evil.example']) {
    const { url } = await new Browser(dashboard.origin).signIn('ada@example.com', path)
    t.equal(url, `${dashboard.origin}/`, path)
  }
  const deep = await new Browser(dashboard.origin).signIn('ada@example.com', '/usage?split=key')
  t.equal(deep.url, `${dashboard.origin}/usage?split=key`, 'the requested page opens')
})

t.test('a foreign host name is refused', async t => {
  const { origin } = await startDashboard(t)
  const { port } = new URL(origin)
  t.equal((await sendAs(`${origin}/sign-in`, { Host: `evil.example:${port}` })).status, 421)
  const alias = await fetch(`http://localhost:${port}/usage`, { redirect: 'manual' })
  t.equal(alias.headers.get('Location'), `${origin}/usage`, 'another loopback name is redirected')
})

t.test('a malformed form is answered with a 4xx', async t => {
  const { origin, ada } = await startWithCustomer(t)
  const paths = ['/keys', '/limits', '/balance/recharge', '/sign-out', '/docs/try/lookup', '/sign-in']
  const bodies: [type: string, body: string][] = [
    ['multipart/form-data; boundary=x', 'not a part'],
    ['multipart/form-data', 'no boundary'],
    ['multipart/form-data; boundary=x', '--x\r\nContent-Disposition: form-data\r\n\r\n'],
    ['application/json', '{"csrf":'],
    ['text/plain', 'csrf=x'],
    ['', 'csrf=x'],
    ['application/x-www-form-urlencoded', '%ff%fe=%00&&&=&csrf'],
  ]
  for (const path of paths) {
    for (const [type, body] of bodies) {
      const headers = { Origin: origin, 'Content-Type': type }
      const { status } = await ada.fetch(path, { method: 'POST', headers, body })
      const wanted = type.startsWith('application/x-www') ? [400, 403] : [400]
      t.ok(wanted.includes(status), `${path}, ${type}: ${status}`)
    }
  }
})

t.test('a customer of a real provider cannot make test payments, even when it is gone', async t => {
  const provider = await startIdentityProvider(t)
  const dashboard = await startDashboard(t, provider.env)
  const before = new Browser(dashboard.origin)
  await provider.signIn(before)
  await dashboard.restart({ OIDC_PROVIDERS: '' })
  const eve = new Browser(dashboard.origin, before.cookies)
  t.equal((await eve.submit('/balance', '/balance/recharge', { usd: '5' })).status, 403)
  await eve.signIn('ada@example.com')
  t.equal((await eve.submit('/balance', '/balance/recharge', { usd: '5' })).status, 303, 'with a token')
})

t.test('silent connections are closed and do not block others', async t => {
  const { origin } = await startDashboard(t)
  const { port } = new URL(origin)
  const sockets = await Promise.all(
    Array.from({ length: CONTROL_CONNECTIONS_MAX + 50 }, async () => {
      const socket = connect({ port: Number(port), host: '127.0.0.1' })
      socket.on('error', () => {}).resume()
      await once(socket, 'connect')
      return socket
    }),
  )
  const startedMs = performance.now()
  const left = () => sockets.filter(socket => !socket.destroyed && !socket.readableEnded).length
  for (const path of ['/healthz', '/metrics', '/sign-in'])
    t.equal((await fetch(origin + path, { headers: { Connection: 'close' } })).status, 200, path)
  t.ok(left() > 200, `${left()} connections are open meanwhile`)
  await until(() => left() <= CONTROL_CONNECTIONS_MAX)
  await until(() => left() === 0)
  const tookMs = performance.now() - startedMs
  t.ok(tookMs < CONTROL_HEADERS_MS_MAX + 5000, `the last one ended after ${Math.round(tookMs)} ms`)
})

t.test('every page forbids foreign scripts, frames and caches', async t => {
  const { ada } = await startWithCustomer(t)
  const pages = '/ /keys /usage /requests /balance /limits /docs /coverage /account /nowhere'.split(' ')
  for (const page of pages) {
    const response = await ada.fetch(page)
    const text = await response.text()
    t.match(
      response.headers.get('Content-Security-Policy'),
      /default-src 'none'; script-src 'self';.*frame-ancestors 'none'/,
      page,
    )
    t.equal(response.headers.get('Cache-Control'), 'no-store', page)
    t.equal(response.headers.get('X-Frame-Options'), 'DENY', page)
    t.notMatch(text, /<script(?![^>]* src="\/assets\/)|<style|\son\w+=|\sstyle=|javascript:/i, page)
    t.notMatch(text, /(?:src|href|action)="(?:https?:)?\/\//, `${page}: nothing from another host`)
  }
})

t.test('a body over the limit is not read', async t => {
  const { ada } = await startWithCustomer(t)
  t.equal((await ada.submit('/keys', '/keys', { label: 'x'.repeat(100_000) })).status, 413)
})

t.test('the cookie is for this host only and hidden from scripts', async t => {
  const dashboard = await startDashboard(t)
  const browser = new Browser(dashboard.origin)
  const token = new URL(dashboard.entrance).searchParams.get('token') ?? ''
  const response = await browser.post('/sign-in', { token })
  const cookie = response.headers.getSetCookie().find(text => text.startsWith('postrie-session=')) ?? ''
  t.match(cookie, /; Path=\/; HttpOnly; SameSite=Lax$/)
  t.notMatch(cookie, 'Domain')
})

const CLIENT = '203.0.113.9'

async function logAfter(t: Test, env: NodeJS.ProcessEnv, headers: Record<string, string>): Promise<string> {
  const { origin, ada } = await startWithCustomer(t, env)
  const csrf = await ada.token('/keys')
  const made = await ada.fetch('/keys', {
    method: 'POST',
    body: new URLSearchParams({ csrf, label: 'production' }),
    headers: { Origin: origin, ...headers },
  })
  t.equal(made.status, 303)
  let line: string | undefined
  for (let look = 0; look < 500 && line === undefined; look++) {
    const { text } = await ada.visit('/account/log.csv')
    line = text.split('\r\n').find(line => line.includes('production'))
  }
  return line ?? ''
}

t.test('the log names the client of a trusted proxy', async t => {
  const trusted = { TRUSTED_PROXIES: '127.0.0.1' }
  const said = { 'X-Forwarded-For': `198.51.100.1, ${CLIENT}` }
  t.match(await logAfter(t, trusted, said), new RegExp(`,"?${CLIENT}"?$`))
})

t.test('without a trusted proxy, the log has both addresses', async t => {
  t.match(await logAfter(t, {}, { 'X-Forwarded-For': CLIENT }), `${CLIENT} via 127.0.0.1`)
})
