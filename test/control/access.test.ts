/** Who may open what: every address of the dashboard, asked for by every role. */
import t from 'tap'
import type { Role } from '../../src/accounts/views.ts'
import { ACCESS, accessOf, expectAccess, isAllowed } from '../../src/control/session/access.ts'
import { type Browser, signedIn, startDashboard, type TestDashboard } from '../support/dashboard.ts'
import { startStripe } from '../support/stripe-stand-in.ts'

const SHOP = 'shop@example.com'
const ROLES = ['owner', 'developer', 'billing'] as const

/** What needs no sign-in. A further page that everybody may open belongs here only on purpose. */
const PUBLIC = [
  /^\/assets\//,
  /^\/(robots\.txt|favicon\.ico|favicon\.svg)$/,
  /^\/sign-in(\/|$)/,
  /^\/development\//,
  /^\/(coverage|docs|openapi\.json)(\/|$)/,
  /^\/coverage\.csv$/,
  /^\/(metrics|healthz|readyz|livez)$/,
  /^\/webhooks\/stripe$/,
]

/** A browser of somebody who acts for the shop in this role. */
async function memberOf(dashboard: TestDashboard, role: Role): Promise<Browser> {
  const { teams } = dashboard.accounts
  const email = `${role}@example.com`
  const browser = await signedIn(dashboard, email)
  const person = dashboard.accounts.account(email)?.id ?? ''
  const shop = dashboard.accounts.account(SHOP)?.id ?? ''
  await teams.add(shop, person, role)
  await browser.submit('/account', '/account/switch', { account: shop })
  return browser
}

t.test('every address is open to the roles of its row, and to no other', async t => {
  const stripe = await startStripe(t)
  const dashboard = await startDashboard(t, {
    ...stripe.env,
    DEVELOPMENT_SIGN_IN: '1',
    OPERATORS: 'root@example.com',
  })
  await signedIn(dashboard, SHOP)
  const routes = dashboard.routes.filter(({ method }) => method !== 'ALL')
  const guarded = routes.filter(({ path }) => !PUBLIC.some(pattern => pattern.test(path)))
  t.same(
    guarded.filter(({ path }) => accessOf(path) === undefined).map(({ path }) => path),
    [],
    'what is not public has a row',
  )
  t.ok(guarded.length > 50, `${guarded.length} addresses`)
  for (const role of ROLES) {
    const browser = await memberOf(dashboard, role)
    const csrf = await browser.token('/account')
    for (const { method, path } of guarded) {
      const access = accessOf(path)
      // These end or change the session; a test of their own has them.
      if (access === 'person' || path === '/account/leave') continue
      const address = path.replace(/:\w+(\{[^}]*\})?/g, 'x')
      const { status } =
        method === 'POST' ? await browser.post(address, { csrf }) : await browser.fetch(address)
      const name = `${role}: ${method} ${path}`
      if (access === 'operator') t.equal(status, 404, name)
      else if (isAllowed(path, role)) t.not(status, 403, name)
      else t.equal(status, 403, name)
    }
  }
})

t.test('a page without a row keeps the service from starting', async t => {
  t.doesNotThrow(() => expectAccess([{ method: 'GET', path: '/keys/:id/anything' }]))
  t.doesNotThrow(() => expectAccess([{ method: 'ALL', path: '/*' }]), 'checks are no pages')
  for (const path of ['/new', '/new/page', '/keysmith', '/:page', '/*'])
    t.throws(() => expectAccess([{ method: 'GET', path }]), { message: /no row in ACCESS/ }, path)
})

t.test('without a role nothing of an account is open', async t => {
  for (const [path, access] of Object.entries(ACCESS))
    t.equal(isAllowed(path, null), typeof access === 'string', path)
})
