import t from 'tap'
import type { Role } from '../../src/billing/ledger/event.ts'
import { accessOf, expectAccess, isAllowed } from '../../src/console/session/access.ts'
import { type Browser, signInAs, startDashboard, type TestDashboard } from '../support/dashboard.ts'
import { startStripe } from '../support/stripe-stand-in.ts'

const SHOP = 'shop@example.com'
const ROLES = ['owner', 'developer', 'billing'] as const

/** Pages without a sign-in. Add a page only if everybody may open it. */
const PUBLIC = [
  /^\/assets\//,
  /^\/(robots\.txt|favicon\.ico|favicon\.svg)$/,
  /^\/sign-in(\/|$)/,
  /^\/(coverage|docs|openapi\.json)(\/|$)/,
  /^\/coverage\.csv$/,
  /^\/(metrics|healthz|readyz|livez)$/,
  /^\/webhooks\/stripe$/,
]

async function signInMember(dashboard: TestDashboard, role: Role): Promise<Browser> {
  const { teams } = dashboard.accounts
  const email = `${role}@example.com`
  const browser = await signInAs(dashboard, email)
  const person = dashboard.accounts.account(email)?.id ?? ''
  const shop = dashboard.accounts.account(SHOP)?.id ?? ''
  await teams.add(shop, person, role)
  await browser.submit('/account', '/account/switch', { account: shop })
  return browser
}

t.test('every page opens only for the roles in its row', async t => {
  const stripe = await startStripe(t)
  const dashboard = await startDashboard(t, { ...stripe.env, OPERATORS: 'root@example.com' })
  await signInAs(dashboard, SHOP)
  const routes = dashboard.routes.filter(({ method }) => method !== 'ALL')
  const guarded = routes.filter(({ path }) => !PUBLIC.some(pattern => pattern.test(path)))
  const paths = guarded.filter(({ path }) => accessOf(path) === undefined).map(({ path }) => path)
  t.same(paths, [], 'every private page has a row')
  t.ok(guarded.length > 50, `${guarded.length} addresses`)
  for (const role of ROLES) {
    const browser = await signInMember(dashboard, role)
    const csrf = await browser.token('/account')
    for (const { method, path } of guarded) {
      const access = accessOf(path)
      // Another test has the pages that end or change the session.
      if (access === 'person' || path === '/account/leave') continue
      const address = path.replace(/:\w+(\{[^}]*\})?/g, 'x')
      const { status } =
        method === 'POST' ? await browser.post(address, { csrf }) : await browser.fetch(address)
      const name = `${role}: ${method} ${path}`
      if (access === 'operator') t.equal(status, 404, name)
      else if (isAllowed(path, role)) t.not(status, 403, name)
      else {
        t.equal(status, 403, name)
        if (method === 'GET' && !path.endsWith('.json'))
          t.match(
            await browser.read(address),
            /aria-label="Sections".*<h1>The page [A-Z]\w+ is for owners/s,
            name,
          )
      }
    }
  }
})

t.test('the service does not start if a page has no row', async t => {
  t.doesNotThrow(() => expectAccess([{ method: 'GET', path: '/keys/:id/anything' }]))
  t.doesNotThrow(() => expectAccess([{ method: 'ALL', path: '/*' }]), 'checks are no pages')
  for (const path of ['/new', '/new/page', '/keysmith', '/:page', '/*'])
    t.throws(() => expectAccess([{ method: 'GET', path }]), { message: /no row in ACCESS/ }, path)
})
