/** Attempts to own another account, now or before its owner arrives, with claims of a provider. */
import t, { type Test } from 'tap'
import { Browser, startDashboard } from '../support/dashboard.ts'
import { startIdentityProvider } from '../support/identity-provider.ts'

const ADA = 'ada@example.com'

async function start(t: Test) {
  const [acme, other] = [await startIdentityProvider(t), await startIdentityProvider(t)] as const
  const env = {
    ...acme.env,
    OIDC_PROVIDERS: 'acme,other',
    OIDC_OTHER_ISSUER: other.issuer,
    OIDC_OTHER_CLIENT_ID: 'dashboard',
    OIDC_OTHER_CLIENT_SECRET: 'secret',
  }
  return { dashboard: await startDashboard(t, env), acme, other }
}

/** Signs in with these claims. Returns the last page, the account's page, and the account's id or undefined. */
async function signIn(
  { dashboard, acme, other }: Awaited<ReturnType<typeof start>>,
  claims: Record<string, unknown>,
  provider: 'acme' | 'other' = 'acme',
) {
  const { [provider]: chosen } = { acme, other }
  chosen.overrides = { claims }
  const browser = new Browser(dashboard.origin)
  const { status, text } = await chosen.signIn(browser, `/sign-in/${provider}`)
  const page = await browser.read('/account')
  return { status, text, page, account: /acct_\w+/.exec(page)?.[0] }
}

t.test('an unverified address opens a separate account that nobody else finds', async t => {
  const fixture = await start(t)
  const { accounts } = fixture.dashboard
  const eve = await signIn(fixture, { sub: 'eve', email: ADA, email_verified: false })
  t.equal(eve.status, 200, 'Eve has an account')
  t.equal(accounts.account(ADA), undefined, 'the address does not find the account')
  t.match(eve.page, 'has not confirmed this email address', 'her page says so')
  const ada = await signIn(fixture, { sub: 'ada', email: ADA, email_verified: true })
  t.equal(ada.status, 200)
  t.ok(ada.account)
  t.not(ada.account, eve.account, 'the owner gets another account')
  t.equal(accounts.account(ADA)?.id, ada.account, "an operator credits the owner's account")
  t.equal((await signIn(fixture, { sub: 'eve', email: ADA, email_verified: false })).account, eve.account)
  t.equal((await signIn(fixture, { sub: 'ada', email: ADA })).account, ada.account, 'both keep theirs')
})

t.test("only the value true verifies an address and opens the operator's new account", async t => {
  const fixture = await start(t)
  const made = await fixture.dashboard.accounts.createAccount({ email: ADA })
  for (const [n, email_verified] of [false, 'true', 1, 'yes', {}, [], null, undefined].entries()) {
    const { account, status, text } = await signIn(fixture, { sub: `eve-${n}`, email: ADA, email_verified })
    t.match({ account, status }, { account: undefined, status: 403 }, JSON.stringify(email_verified))
    t.match(text, 'does not confirm that the address is yours')
  }
  t.equal((await signIn(fixture, { sub: 'ada', email: ADA })).account, made.id, 'its owner takes it over')
})

t.test('an account of an unverified sign-in is not joined', async t => {
  const fixture = await start(t)
  const { accounts } = fixture.dashboard
  // An earlier version stored an unverified address as a key in the ledger.
  const old = await accounts.createAccount({
    email: ADA,
    identity: { issuer: fixture.acme.issuer, subject: 'eve' },
  })
  const ada = await signIn(fixture, { sub: 'ada', email: ADA }, 'other')
  t.equal(ada.status, 200)
  t.not(ada.account, old.id)
  t.equal((await signIn(fixture, { sub: 'ada', email: ADA }, 'other')).account, ada.account, 'nor later')
})

t.test('two providers that verify an address lead to one account', async t => {
  const fixture = await start(t)
  const first = await signIn(fixture, { sub: 'ada-1', email: ADA })
  const second = await signIn(fixture, { sub: 'ada-2', email: 'ADA@Example.com' }, 'other')
  t.ok(first.account)
  t.equal(second.account, first.account)
  await fixture.dashboard.restart()
  t.equal((await signIn(fixture, { sub: 'ada-2', email: ADA }, 'other')).account, first.account)
})

t.test('two first sign-ins at the same time open one account', async t => {
  const fixture = await start(t)
  const { dashboard, acme } = fixture
  acme.overrides = { claims: { sub: 'ada', email: ADA } }
  const browsers = Array.from({ length: 5 }, () => new Browser(dashboard.origin))
  const backs = await Promise.all(
    browsers.map(async browser => {
      const begun = await browser.fetch('/sign-in/acme')
      return acme.approve(new URL(begun.headers.get('Location') ?? '')).href
    }),
  )
  const pages = await Promise.all(browsers.map((browser, n) => browser.visit(backs[n])))
  const statuses = pages.map(({ status }) => status)
  t.same(statuses, [200, 200, 200, 200, 200])
  t.match(dashboard.accounts.listAccounts(), [{ email: ADA }])
  t.equal(dashboard.accounts.listAccounts().length, 1)
})

t.test('a person with a new address keeps the account and takes no other', async t => {
  const fixture = await start(t)
  const ada = await signIn(fixture, { sub: 'ada', email: ADA })
  const bob = await signIn(fixture, { sub: 'bob', email: 'bob@example.com' })
  t.equal((await signIn(fixture, { sub: 'ada', email: 'bob@example.com' })).account, ada.account)
  t.equal((await signIn(fixture, { sub: 'bob', email: 'bob@example.com' })).account, bob.account)
})

t.test('a sign-in ends with the provider that it began with', async t => {
  const fixture = await start(t)
  const browser = new Browser(fixture.dashboard.origin)
  const begun = await browser.fetch('/sign-in/acme')
  const back = fixture.other.approve(new URL(begun.headers.get('Location') ?? ''))
  const elsewhere = back.href.replace('/sign-in/acme/', '/sign-in/other/')
  t.equal((await browser.visit(elsewhere)).status, 400)
  t.same(fixture.dashboard.accounts.listAccounts(), [])
})

t.test('a look-alike letter does not match an address', async t => {
  const fixture = await start(t)
  const { accounts } = fixture.dashboard
  const mike = await accounts.createAccount({ email: 'mike@example.com' })
  // The Kelvin sign, full-width letters, white space and a lone surrogate.
  const lookalikes = [
    'mi\u212ae@example.com',
    '\uff4dike@example.com',
    ' mike@example.com',
    'mike@example.com\n',
  ]
  lookalikes.push('mike@example.com\ud800', 'mike@example.com\u0000', 'mike@example.com\u200b')
  for (const [n, email] of lookalikes.entries()) {
    const { account } = await signIn(fixture, { sub: `eve-${n}`, email })
    t.not(account, mike.id, JSON.stringify(email))
  }
  const composed = await signIn(fixture, { sub: 'rene-1', email: 'ren\u00e9@example.com' })
  t.equal(accounts.account('ren\u00e9@example.com')?.id, composed.account, 'beyond ASCII, nothing is folded')
})

t.test('subjects that differ in white space or a lone surrogate are different persons', async t => {
  const fixture = await start(t)
  const eve = await signIn(fixture, { sub: ' ada ', email: 'eve@example.com' })
  t.equal(eve.status, 400, 'such a subject is refused')
  for (const sub of ['ada\ud800', 'a\u0000da', 'a\nda', '', 'a'.repeat(256)])
    t.equal(
      (await signIn(fixture, { sub, email: 'eve@example.com' })).status,
      400,
      JSON.stringify(sub.slice(0, 9)),
    )
  const ada = await signIn(fixture, { sub: 'ada', email: ADA })
  t.equal(fixture.dashboard.accounts.account(ADA)?.id, ada.account)
  t.equal(fixture.dashboard.accounts.listAccounts().length, 1)
})

t.test('an unverified address is shortened and marked', async t => {
  const fixture = await start(t)
  const email = `${'x'.repeat(500)}\u202e\u0007@example.com`
  const { status } = await signIn(fixture, { sub: 'eve', email, email_verified: false })
  t.equal(status, 200)
  const [account] = fixture.dashboard.accounts.listAccounts()
  t.match(account?.email, /^x+ \(unverified [0-9a-f]{16}\)$/)
})
