/** Sign-ins with a provider that lies, which must fail, and honest ones, which must not. */
import { type IncomingHttpHeaders, request } from 'node:http'
import t, { type Test } from 'tap'
import { Browser, startDashboard, type TestDashboard } from '../support/dashboard.ts'
import { type IdentityProvider, type Lies, startIdentityProvider } from '../support/identity-provider.ts'

async function start(t: Test): Promise<{ dashboard: TestDashboard; provider: IdentityProvider }> {
  const provider = await startIdentityProvider(t)
  return { dashboard: await startDashboard(t, provider.env), provider }
}

/** Where the dashboard sends a browser that wants to sign in. */
async function begin(browser: Browser): Promise<URL> {
  const response = await browser.fetch('/sign-in/acme')
  return new URL(response.headers.get('Location') ?? '')
}

t.test('an honest sign-in opens an account, and finds it again', async t => {
  const { dashboard, provider } = await start(t)
  const browser = new Browser(dashboard.origin)
  const authorization = await begin(browser)
  t.equal(authorization.searchParams.get('code_challenge_method'), 'S256')
  const { url, status } = await browser.visit(provider.approve(authorization).href)
  t.match({ url, status }, { url: `${dashboard.origin}/`, status: 200 })
  t.match(dashboard.accounts.listAccounts(), [{ email: 'ada@example.com', balanceMicros: 28_000 }])

  provider.lies = { claims: { email: 'new-address@example.com' } }
  const again = new Browser(dashboard.origin)
  await provider.signIn(again)
  t.match(dashboard.accounts.listAccounts(), [{ email: 'ada@example.com' }], 'by subject, not by address')
  t.equal(dashboard.accounts.listAccounts().length, 1)
})

const NOW = Math.floor(Date.now() / 1000)
const LIES: Record<string, Lies> = {
  'another nonce': { claims: { nonce: 'other' } },
  'no nonce': { claims: { nonce: undefined } },
  'another issuer': { claims: { iss: 'https://evil.example' } },
  'another audience': { claims: { aud: 'somebody-else' } },
  'an expired token': { claims: { iat: NOW - 7200, exp: NOW - 3600 } },
  'a token without an end': { claims: { exp: undefined } },
  'no subject': { claims: { sub: undefined } },
  'a foreign signature': { foreignKey: true },
  'no email': { claims: { email: 7 } },
}

t.test('tokens that must not be believed', async t => {
  const { dashboard, provider } = await start(t)
  for (const [name, lies] of Object.entries(LIES)) {
    provider.lies = lies
    const browser = new Browser(dashboard.origin)
    const { status } = await provider.signIn(browser)
    t.ok(status === 400 || status === 403, `${name}: ${status}`)
    t.match((await browser.visit('/')).url, '/sign-in', `${name}: not signed in`)
  }
  t.same(dashboard.accounts.listAccounts(), [], 'and no account was opened')
})

t.test('answers that belong to no sign-in of this browser', async t => {
  const { dashboard, provider } = await start(t)
  const finish = async (browser: Browser, url: URL) => (await browser.visit(url.href)).status

  const victim = new Browser(dashboard.origin)
  const wrongState = provider.approve(await begin(victim))
  wrongState.searchParams.set('state', 'guessed')
  t.equal(await finish(victim, wrongState), 400, 'another state')

  const wrongIssuer = provider.approve(await begin(victim))
  wrongIssuer.searchParams.set('iss', 'https://evil.example')
  t.equal(await finish(victim, wrongIssuer), 400, 'another issuer in the answer')

  const good = provider.approve(await begin(victim))
  t.equal(await finish(new Browser(dashboard.origin), good), 400, 'a browser that never started')

  const attacker = new Browser(dashboard.origin)
  const injected = provider.approve(await begin(attacker))
  injected.searchParams.set('state', (await begin(victim)).searchParams.get('state') ?? '')
  t.equal(await finish(victim, injected), 400, "an attacker's code, whose verifier the victim does not have")

  const once = provider.approve(await begin(victim))
  t.equal(await finish(victim, once), 200)
  victim.cookies.delete('postrie-session')
  t.equal(await finish(victim, once), 400, 'the same answer twice')

  const copied = provider.approve(await begin(victim))
  const thief = new Browser(dashboard.origin, victim.cookies)
  t.equal(await finish(victim, copied), 200)
  t.equal(await finish(thief, copied), 400, 'the same answer with a copy of the cookie')
})

t.test('a sign-in that has begun survives a restart, as its browser keeps all of it', async t => {
  const provider = await startIdentityProvider(t)
  // Browsers know one address, whatever port the service listens on.
  const { hostname } = new URL(provider.issuer)
  const dashboard = await startDashboard(t, { ...provider.env, PUBLIC_URL: `http://${hostname}:1` })
  const ask = (path: string, cookie = '') =>
    new Promise<{ status: number; headers: IncomingHttpHeaders }>(resolve => {
      const headers = { Host: `${hostname}:1`, Cookie: cookie }
      request(dashboard.origin + path, { headers }, answer => {
        answer.resume()
        resolve({ status: answer.statusCode ?? 0, headers: answer.headers })
      }).end()
    })
  const { headers } = await ask('/sign-in/acme')
  const back = provider.approve(new URL(headers.location ?? ''))
  await dashboard.restart()
  const cookie = headers['set-cookie']?.[0]?.split(';')[0]
  const { status, headers: done } = await ask(back.pathname + back.search, cookie)
  t.equal(status, 302)
  t.match(done['set-cookie']?.join(), 'postrie-session=')
})

t.test('a provider that does not answer is a clear message, not a crash', async t => {
  const env = {
    OIDC_PROVIDERS: 'acme',
    OIDC_ACME_ISSUER: 'http://127.0.0.1:9',
    OIDC_ACME_CLIENT_ID: 'x',
    OIDC_ACME_CLIENT_SECRET: 'y',
  }
  const browser = new Browser((await startDashboard(t, env)).origin)
  t.equal((await browser.visit('/sign-in/acme')).status, 502)
  t.equal((await browser.visit('/sign-in/nobody')).status, 404)
  t.equal((await browser.visit('/sign-in/development')).status, 404, 'nor a development sign-in')
})

t.test('under https, cookies are bound to the host and never sent in the clear', async t => {
  const provider = await startIdentityProvider(t)
  const { origin } = await startDashboard(t, { ...provider.env, PUBLIC_URL: 'https://postal.example.com' })
  const headers = await new Promise<IncomingHttpHeaders>(resolve => {
    request(`${origin}/sign-in/acme`, { headers: { Host: 'postal.example.com' } }, answer => {
      answer.resume()
      resolve(answer.headers)
    }).end()
  })
  t.match(
    headers['set-cookie']?.[0],
    /^__Host-postrie-sign-in=[^;]+; Path=\/; HttpOnly; Secure; SameSite=Lax$/,
  )
  t.match(headers['strict-transport-security'], 'max-age')
  t.match(headers.location, encodeURIComponent('https://postal.example.com/sign-in/acme/callback'))
})
