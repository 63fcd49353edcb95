import t, { type Test } from 'tap'
import { NEW_ACCOUNT_CREDIT_MICROS } from '../../src/billing/money.ts'
import { MINUTE_MS } from '../../src/platform/time.ts'
import { Browser, movableClock, startDashboard } from '../support/dashboard.ts'
import { startIdentityProvider, type TokenOverrides } from '../support/identity-provider.ts'
import { sendAs } from '../support/post.ts'
import { startRealProvider } from '../support/real-provider.ts'

async function start(t: Test) {
  const provider = await startIdentityProvider(t)
  return { dashboard: await startDashboard(t, provider.env), provider }
}

/** Returns the address to which the dashboard redirects for a sign-in. */
async function beginSignIn(browser: Browser): Promise<URL> {
  const response = await browser.fetch('/sign-in/acme')
  return new URL(response.headers.get('Location') ?? '')
}

t.test('an honest sign-in opens an account, and later finds it', async t => {
  const { dashboard, provider } = await start(t)
  const browser = new Browser(dashboard.origin)
  const authorization = await beginSignIn(browser)
  t.equal(authorization.searchParams.get('code_challenge_method'), 'S256')
  const { url, status } = await browser.visit(provider.approve(authorization).href)
  t.match({ url, status }, { url: `${dashboard.origin}/`, status: 200 })
  t.match(dashboard.accounts.listAccounts(), [
    { email: 'ada@example.com', balanceMicros: NEW_ACCOUNT_CREDIT_MICROS },
  ])

  // The clocks of the two differ.
  provider.overrides = { claims: { email: 'new-address@example.com', iat: NOW + 30 } }
  const again = new Browser(dashboard.origin)
  await provider.signIn(again)
  t.match(dashboard.accounts.listAccounts(), [{ email: 'ada@example.com' }], 'by subject, not by address')
  t.equal(dashboard.accounts.listAccounts().length, 1)
})

const NOW = Math.floor(Date.now() / 1000)
const WRONG_TOKENS: Record<string, TokenOverrides> = {
  'another nonce': { claims: { nonce: 'other' } },
  'no nonce': { claims: { nonce: undefined } },
  'another issuer': { claims: { iss: 'https://evil.example' } },
  'another audience': { claims: { aud: 'somebody-else' } },
  'an expired token': { claims: { iat: NOW - 7200, exp: NOW - 3600 } },
  'a token from the future': { claims: { iat: NOW + 86_400, exp: NOW + 90_000 } },
  'a token without an end': { claims: { exp: undefined } },
  'no subject': { claims: { sub: undefined } },
  'a foreign signature': { foreignKey: true },
  'no email': { claims: { email: 7 } },
}

t.test('forged and wrong tokens are refused', async t => {
  const { dashboard, provider } = await start(t)
  for (const [name, overrides] of Object.entries(WRONG_TOKENS)) {
    provider.overrides = overrides
    const browser = new Browser(dashboard.origin)
    const { status } = await provider.signIn(browser)
    t.ok(status === 400 || status === 403, `${name}: ${status}`)
    t.match((await browser.visit('/')).url, '/sign-in', `${name}: not signed in`)
  }
  t.same(dashboard.accounts.listAccounts(), [], 'no account was opened')
})

t.test('an answer to no sign-in of this browser is refused', async t => {
  const { dashboard, provider } = await start(t)
  const finish = async (browser: Browser, url: URL) => (await browser.visit(url.href)).status

  const victim = new Browser(dashboard.origin)
  const wrongState = provider.approve(await beginSignIn(victim))
  wrongState.searchParams.set('state', 'guessed')
  t.equal(await finish(victim, wrongState), 400, 'another state')

  const wrongIssuer = provider.approve(await beginSignIn(victim))
  wrongIssuer.searchParams.set('iss', 'https://evil.example')
  t.equal(await finish(victim, wrongIssuer), 400, 'another issuer in the answer')

  const good = provider.approve(await beginSignIn(victim))
  t.equal(await finish(new Browser(dashboard.origin), good), 400, 'a browser that never started')

  const attacker = new Browser(dashboard.origin)
  const injected = provider.approve(await beginSignIn(attacker))
  injected.searchParams.set('state', (await beginSignIn(victim)).searchParams.get('state') ?? '')
  t.equal(await finish(victim, injected), 400, "an attacker's code, whose verifier the victim does not have")

  const once = provider.approve(await beginSignIn(victim))
  t.equal(await finish(victim, once), 200)
  victim.cookies.delete('postrie-session')
  t.equal(await finish(victim, once), 400, 'the same answer twice')

  const copied = provider.approve(await beginSignIn(victim))
  const thief = new Browser(dashboard.origin, victim.cookies)
  t.equal(await finish(victim, copied), 200)
  t.equal(await finish(thief, copied), 400, 'the same answer with a copy of the cookie')
})

t.test('a real provider signs in, asks again after a sign-out, and changes its key', async t => {
  const advance = movableClock(t)
  const provider = await startRealProvider(t)
  const { origin } = await startDashboard(t, provider.env)
  provider.serve(origin)
  const browser = new Browser(origin)
  const signIn = async () => {
    browser.cookies.delete('postrie-session')
    await browser.visit('/sign-in/acme')
    return [/ada@example\.com/.test(await browser.read('/account')), provider.asked]
  }
  t.same(await signIn(), [true, 1])
  t.same(await signIn(), [true, 1], 'the provider still knows the person')
  await browser.submit('/account', '/sign-out')
  t.same(await signIn(), [true, 2], 'the provider was told to ask')
  provider.serve(origin)
  advance(MINUTE_MS)
  t.same(await signIn(), [true, 3], 'with a new key')
})

t.test('an unfinished sign-in survives a restart', async t => {
  const provider = await startIdentityProvider(t)
  // The address in the browser stays the same on any port of the service.
  const { hostname } = new URL(provider.issuer)
  const dashboard = await startDashboard(t, { ...provider.env, PUBLIC_URL: `http://${hostname}:1` })
  const ask = (path: string, Cookie = '') =>
    sendAs(dashboard.origin + path, { Host: `${hostname}:1`, Cookie })
  const { headers } = await ask('/sign-in/acme')
  const back = provider.approve(new URL(headers.location ?? ''))
  await dashboard.restart()
  const cookie = headers['set-cookie']?.[0]?.split(';')[0]
  const { status, headers: done } = await ask(back.pathname + back.search, cookie)
  t.equal(status, 302)
  t.match(done['set-cookie']?.join(), 'postrie-session=')
})

t.test('a provider that does not answer gives a clear message', async t => {
  const env = {
    OIDC_PROVIDERS: 'acme',
    OIDC_ACME_ISSUER: 'http://127.0.0.1:9',
    OIDC_ACME_CLIENT_ID: 'x',
    OIDC_ACME_CLIENT_SECRET: 'y',
  }
  const browser = new Browser((await startDashboard(t, env)).origin)
  t.equal((await browser.visit('/sign-in/acme')).status, 502)
  t.equal((await browser.visit('/sign-in/nobody')).status, 404)
})

t.test('under https, cookies are bound to the host and need https', async t => {
  const provider = await startIdentityProvider(t)
  const { origin } = await startDashboard(t, { ...provider.env, PUBLIC_URL: 'https://postal.example.com' })
  const { headers } = await sendAs(`${origin}/sign-in/acme`, { Host: 'postal.example.com' })
  t.match(
    headers['set-cookie']?.[0],
    /^__Host-postrie-sign-in=[^;]+; Path=\/; HttpOnly; Secure; SameSite=Lax$/,
  )
  t.match(headers['strict-transport-security'], 'max-age')
  t.match(headers.location, encodeURIComponent('https://postal.example.com/sign-in/acme/callback'))
})
