/** Every attack runs over real sockets, after a real OpenID Connect sign-in. */
import { readFile } from 'node:fs/promises'
import t, { type Test } from 'tap'
import { Browser, startDashboard } from '../support/dashboard.ts'
import { startIdentityProvider } from '../support/identity-provider.ts'

const SHOP = 'shop@example.com'

type Fixture = Awaited<ReturnType<typeof startFixture>>

/** Opens the account of a shop with a key, for strangers, and for members of each role. */
async function startFixture(t: Test) {
  const provider = await startIdentityProvider(t)
  const dashboard = await startDashboard(t, { ...provider.env, OPERATORS: SHOP })
  const { accounts } = dashboard
  const signIn = async (email: string, claims: Record<string, unknown> = {}) => {
    provider.overrides.claims = { sub: email, email, email_verified: true, ...claims }
    const browser = new Browser(dashboard.origin)
    await provider.signIn(browser)
    return browser
  }
  const owner = await signIn(SHOP)
  const shop = accounts.account(SHOP)?.id ?? ''
  const { id: key } = await accounts.createKey(shop, { label: 'till' })
  let members = 0
  return {
    dashboard,
    provider,
    shop,
    key,
    signIn,
    /** Signs in a new member. `person` is the id of their own account. */
    async member(role: 'owner' | 'developer' | 'billing') {
      const email = `${role}-${++members}@example.com`
      const browser = await signIn(email)
      const person = accounts.account(email)?.id ?? ''
      await accounts.teams.add(shop, person, role)
      await browser.submit('/account', '/account/switch', { account: shop })
      return { browser, person }
    },
    async invite(email: string) {
      await owner.submit('/account/members', '/account/members/invite', { email, role: 'owner' })
      const [link = ''] = /\/invitation\/[\w-]+/.exec(await owner.read('/account/members')) ?? []
      return link
    },
  }
}

/** Accepts an invitation as the page does. The token is the sender's own, even without such a page. */
async function accept(browser: Browser, path: string): Promise<number> {
  const csrf = await browser.token('/account')
  return (await browser.post(path, { csrf })).status
}

async function statusOf(answer: Promise<Response>): Promise<number> {
  return (await answer).status
}

async function statuses(browser: Browser, paths: readonly string[]): Promise<string> {
  const all: number[] = []
  for (const path of paths) all.push((await browser.fetch(path)).status)
  return all.join(' ')
}

/** Each attack returns what the attacker got. */
const ATTACKS: [
  name: string,
  expected: string | number,
  attack: (fixture: Fixture) => Promise<string | number>,
][] = [
  [
    "switching to another account's number",
    404,
    async ({ shop, signIn }) => {
      const eve = await signIn('eve@example.com')
      return statusOf(eve.submit('/account', '/account/switch', { account: shop }))
    },
  ],
  [
    'a member of two accounts with the key of the one that is not chosen',
    404,
    async ({ key, member }) => {
      const { browser, person: own } = await member('developer')
      await browser.submit('/account', '/account/switch', { account: own })
      return (await browser.fetch(`/keys/${key}`)).status
    },
  ],
  [
    'a billing member who replaces the secret or the address of the webhook',
    '403 null',
    async ({ member, shop }) => {
      const { browser } = await member('billing')
      const { status } = await browser.submit('/alerts', '/alerts/secret')
      await browser.submit('/alerts', '/alerts', {
        url: 'https://evil.example/',
        webhook: 'balance.low',
      })
      const page = await browser.read('/alerts')
      return `${status} ${page.includes('evil.example') ? shop : null}`
    },
  ],
  [
    'an owner of an operator’s account on the pages of /operator, and with its forms',
    '404 404 404',
    async ({ member, shop }) => {
      const { browser } = await member('owner')
      const account = `/operator/accounts/${shop}`
      const csrf = await browser.token('/account')
      const credit = await browser.post(`${account}/credit`, { csrf, usd: '1000', reference: 'mine' })
      return `${await statuses(browser, ['/operator/accounts', account])} ${credit.status}`
    },
  ],
  [
    'a removed member, with a page that was open',
    '403 404',
    async ({ member, shop, key, dashboard: { accounts } }) => {
      const { browser, person } = await member('developer')
      const csrf = await browser.token('/keys')
      await accounts.teams.change(shop, person, null)
      return `${(await browser.post('/keys', { csrf, label: 'last' })).status} ${(await browser.fetch(`/keys/${key}`)).status}`
    },
  ],
  [
    'a form of one account after switching to another',
    403,
    async ({ member }) => {
      const { browser, person: own } = await member('developer')
      const csrf = await browser.token('/limits')
      await browser.submit('/account', '/account/switch', { account: own })
      return (await browser.post('/limits', { csrf })).status
    },
  ],
  [
    'the figures of another account for a page that is still open',
    409,
    async ({ member, shop }) =>
      (await (await member('developer')).browser.fetch(`/live.json?account=${shop}x`)).status,
  ],
  [
    'the form of an invitation, sent again byte for byte after the member was removed',
    '303 403',
    async ({ invite, signIn, shop, dashboard: { accounts } }) => {
      const link = await invite('replay@example.com')
      const browser = await signIn('replay@example.com')
      const csrf = await browser.token(link)
      const copy = new Browser(browser.origin, browser.cookies)
      const first = (await browser.post(link, { csrf })).status
      await accounts.teams.change(shop, accounts.account('replay@example.com')?.id ?? '', null)
      // A repeated form gets its old answer for two minutes, so another field differs here.
      return `${first} ${(await copy.post(link, { csrf, again: '1' })).status}`
    },
  ],
  [
    'an invitation that another person opens',
    '403 403',
    async ({ invite, signIn }) => {
      const link = await invite('friend@example.com')
      const eve = await signIn('eve@example.com')
      return `${(await eve.fetch(link)).status} ${await accept(eve, link)}`
    },
  ],
  [
    'an invitation of a member who is no longer an owner',
    '403 403',
    async ({ shop, member, signIn, dashboard: { accounts } }) => {
      const statusesOf: number[] = []
      for (const [address, role] of [
        ['friend1@example.com', null],
        ['friend2@example.com', 'developer'],
      ] as const) {
        const { browser, person } = await member('owner')
        await browser.submit('/account/members', '/account/members/invite', { email: address, role: 'owner' })
        const links = [...(await browser.read('/account/members')).matchAll(/\/invitation\/[\w-]+/g)]
        await accounts.teams.change(shop, person, role)
        statusesOf.push(await accept(await signIn(address), links.at(-1)?.[0] ?? ''))
      }
      return statusesOf.join(' ')
    },
  ],
  [
    'an invitation that was withdrawn',
    403,
    async ({ invite, signIn, shop, dashboard: { accounts } }) => {
      const link = await invite('gone@example.com')
      const invitation = accounts.teams.of(shop).invitations.find(({ email }) => email === 'gone@example.com')
      await accounts.teams.withdraw(shop, invitation?.id ?? '')
      return accept(await signIn('gone@example.com'), link)
    },
  ],
  [
    'a forged, shortened or changed link, and that of another account',
    '403 403 403 403',
    async ({ invite, signIn, dashboard: { accounts } }) => {
      const link = await invite('cut@example.com')
      const browser = await signIn('cut@example.com')
      const changed = `${link.slice(0, -1)}${link.endsWith('A') ? 'B' : 'A'}`
      const other =
        accounts.account('eve@example.com') ?? (await accounts.createAccount({ email: 'eve@example.com' }))
      return statuses(browser, ['/invitation/x', link.slice(0, -2), changed, `/invitation/${other.id}`])
    },
  ],
  [
    'a link of another account, made by its owner, with the address of this one',
    '303 null',
    async ({ signIn, shop, dashboard: { accounts } }) => {
      const eve = await signIn('eve@example.com')
      const answer = await eve.submit('/account/members', '/account/members/invite', {
        email: 'friend@example.com',
        role: 'owner',
        account: shop,
      })
      return `${answer.status} ${accounts.teams.roleOf(shop, accounts.account('eve@example.com')?.id ?? '')}`
    },
  ],
  [
    'an unverified address',
    403,
    async ({ invite, signIn }) => {
      const email = 'forged@example.com'
      const link = await invite(email)
      return accept(await signIn(email, { email_verified: false }), link)
    },
  ],
  [
    'a member of a suspended account who changes it',
    403,
    async ({ signIn, dashboard: { accounts } }) => {
      const browser = await signIn('held@example.com')
      await accounts.suspend('held@example.com', 'a test')
      const fields = { email: 'x@example.com', role: 'owner' }
      return statusOf(browser.submit('/account/members', '/account/members/invite', fields))
    },
  ],
]

t.test('every attack on a team is refused', async t => {
  const fixture = await startFixture(t)
  const { accounts } = fixture.dashboard
  const before = accounts.account(fixture.shop)?.balanceMicros
  for (const [name, expected, attack] of ATTACKS) t.equal(await attack(fixture), expected, name)
  const { standing, limits, lowBalanceMicros, balanceMicros } = accounts.account(fixture.shop) ?? {}
  t.same(
    { standing, limits, lowBalanceMicros, balanceMicros },
    { standing: null, limits: null, lowBalanceMicros: null, balanceMicros: before },
  )
  t.same(
    accounts.listKeys(fixture.shop).map(({ label, revokedMs }) => [label, revokedMs]),
    [['till', null]],
  )
  t.same(
    accounts.teams
      .of(fixture.shop)
      .members.map(({ email }) => email)
      .filter(email => /^(eve|forged|friend|gone|cut|replay)/.test(email)),
    [],
    'no attacker is a member',
  )
})

t.test('an invited person signs in, joins, switches accounts, and is removed', async t => {
  const fixture = await startFixture(t)
  const { accounts } = fixture.dashboard
  const link = await fixture.invite('new@example.com')
  const stranger = new Browser(fixture.dashboard.origin)
  t.equal((await stranger.fetch(link)).headers.get('Location'), `/sign-in?next=${encodeURIComponent(link)}`)
  const browser = await fixture.signIn('new@example.com')
  t.match(await browser.read(link), `Join ${SHOP}`)
  await browser.submit(link, link)
  t.match(await browser.read('/account'), `${SHOP}, as owner`)
  const { text } = await browser.visit('/account/log')
  t.match(text, 'new@example.com', 'the log says who has joined')
  const own = accounts.account('new@example.com')?.id ?? ''
  await browser.submit('/account', '/account/switch', { account: own })
  t.notMatch(await browser.read('/account'), 'as owner')
  await browser.submit('/account', '/account/switch', { account: fixture.shop })
  await browser.submit('/account', '/account/leave')
  t.equal(accounts.teams.roleOf(fixture.shop, own), null)
})

t.test('a removed member is told, and a chosen account is chosen again', async t => {
  const fixture = await startFixture(t)
  const { origin, accounts } = fixture.dashboard
  const email = 'guest@example.com'
  const guest = await fixture.signIn(email)
  const id = accounts.account(email)?.id ?? ''
  await accounts.teams.add(fixture.shop, id, 'developer')
  await guest.submit('/account', '/account/switch', { account: fixture.shop })
  const typed = { label: 'typed by the guest', perMinute: '3' }
  const again = async (browser: Browser, claimed: string) => {
    fixture.provider.overrides.claims = { sub: claimed, email: claimed, email_verified: true }
    return fixture.provider.signIn(browser, '/sign-in/acme?next=/keys')
  }
  const endSession = async () => {
    guest.cookies.delete('postrie-session')
    const headers = { Origin: origin, Referer: `${origin}/keys#new` }
    const answer = await guest.fetch('/keys', { method: 'POST', body: new URLSearchParams(typed), headers })
    t.equal(answer.headers.get('Location'), '/sign-in?next=%2Fkeys&ended=form')
  }
  await endSession()
  const other = new Browser(origin, guest.cookies)
  t.notMatch((await again(other, 'another@example.com')).text, 'typed by the guest', 'nobody else reads it')
  const { text } = await again(guest, email)
  t.match(text, 'your session had ended when you sent this form')
  t.match(text, 'value="typed by the guest"')
  t.match(text, `${SHOP} (developer)`, 'the account is still chosen')
  t.equal(accounts.listKeys(fixture.shop).length, 1)

  await accounts.teams.change(fixture.shop, id, null)
  const told = await guest.read('/account')
  t.match(told, 'You are no longer a member of the chosen account.')
  t.notMatch(await guest.read('/account'), 'no longer a member', 'once')
})

t.test('a person without an account is told so and can sign out', async t => {
  const fixture = await startFixture(t)
  const { accounts } = fixture.dashboard
  const alone = await fixture.signIn('founder@example.com')
  const founder = accounts.account('founder@example.com')?.id ?? ''
  await fixture.signIn('heir@example.com')
  const heir = accounts.account('heir@example.com')?.id ?? ''
  await accounts.teams.add(founder, heir, 'owner')
  await accounts.teams.change(founder, founder, null)
  for (const path of ['/', '/keys', '/balance', '/account', '/live.json']) {
    const { status, text } = await alone.visit(path)
    t.equal(status, 403, path)
    t.notMatch(text, 'founder@example.com', `${path} says nothing of the account`)
  }
  t.equal((await alone.submit('/', '/sign-out')).status, 303)
  await fixture.signIn('founder@example.com')
  // The log is written in the background. A stop waits for it.
  await fixture.dashboard.restart()
  const log = await readFile(`${fixture.dashboard.dir}/audit/00000001.jsonl`, 'utf8')
  const entries = log.split('\n').flatMap(line => (line === '' ? [] : [JSON.parse(line)]))
  const later = entries
    .filter(({ what, who }) => /^sign-/.test(what) && who === 'founder@example.com')
    .slice(-2)
  t.match(
    later,
    [
      { what: 'sign-out', account: null },
      { what: 'sign-in', account: null },
    ],
    "the account's log has no entry",
  )
  const { teams } = fixture.dashboard.accounts
  t.same(teams.of(founder).members, [{ person: heir, email: 'heir@example.com', role: 'owner' }])
})
