/** Routes and checks of the dashboard. A check protects only the routes that are added after it. */
import { randomUUID } from 'node:crypto'
import { type Context, Hono } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import { compress } from 'hono/compress'
import { contextStorage } from 'hono/context-storage'
import { etag } from 'hono/etag'
import { HTTPException } from 'hono/http-exception'
import { AccountError } from '../billing/accounts/account-error.ts'
import type { Log } from '../platform/log.ts'
import { addAssets } from './assets/assets.ts'
import { addKeySearch } from './layout/list.tsx'
import { answerDeadEnd } from './layout/page.tsx'
import { addAccountList } from './operator-pages/accounts.tsx'
import { addOneAccount } from './operator-pages/operator-account.tsx'
import { addOperatorLog } from './operator-pages/operator-log.tsx'
import { addRevenue } from './operator-pages/revenue.tsx'
import { addServicePage } from './operator-pages/service-page.tsx'
import { addSettings } from './operator-pages/settings.tsx'
import { addAccountPages } from './pages/account.tsx'
import { addAlertPages } from './pages/alert-settings.tsx'
import { addBalancePages } from './pages/balance.tsx'
import { addCoveragePages } from './pages/coverage.tsx'
import { addDocs, addTrying } from './pages/docs.tsx'
import { addKeyPage } from './pages/key-page.tsx'
import { addKeyPages } from './pages/keys.tsx'
import { addMemberPages } from './pages/members.tsx'
import { addOverview } from './pages/overview.tsx'
import { addReceiptPages, BUYER } from './pages/receipts.tsx'
import { addRequestPages } from './pages/requests.tsx'
import { addUsagePages } from './pages/usage.tsx'
import { openAutoRecharge } from './payments/auto-recharge.ts'
import { createStripe } from './payments/checkout.ts'
import { BY_OPERATOR, type Recharge, stripeRecharge, testRecharge } from './payments/recharge.tsx'
import { addStripeWebhook } from './payments/stripe-events.ts'
import { probes } from './reports/probes.ts'
import {
  asActor,
  expectAccess,
  NotAllowed,
  operatorsOnly,
  rolesOnly,
  signedInOnly,
  standingOnly,
} from './session/access.ts'
import { ownFormsOnly, ownOriginOnly } from './session/csrf.ts'
import { ownHostOnly, pageHeaders, withoutTrailingSlash } from './session/origin.ts'
import type { Dashboard, PageApp, PageEnv } from './session/page-context.ts'
import { addSignInPages, addSignOut } from './sign-in/sign-in-pages.tsx'
import { openKeyedStore } from './store/keyed-store.ts'

const FORM_BYTES_MAX = 16 * 1024

/**
 * Creates the dashboard.
 * @param closers gets functions that end its background work, even if this throws
 * @throws Error if a file of the dashboard in DATA_DIR is not private, or a page has no row in ACCESS
 */
export async function createControlApp(dashboard: Dashboard, closers: (() => void | Promise<void>)[]) {
  const { origin, config, log } = dashboard
  const { operators } = config.dashboard
  const app = new Hono<PageEnv>()
  app.notFound(c => answerNotFound(c))
  app.onError((error, c) => answerError(error, c, log))

  app.route('/', probes(dashboard))
  app.use(ownHostOnly(origin))
  const recharge = await addPayments(app, dashboard)
  closers.push(async () => recharge.auto?.close())
  const buyers = await openKeyedStore({ ...dashboard, dataDir: config.dataDir }, 'buyers', BUYER)
  closers.push(() => buyers.close())

  app.use(
    contextStorage(),
    pageHeaders(origin),
    compress(),
    bodyLimit({ maxSize: FORM_BYTES_MAX, onError: c => c.text('This form is too large.\n', 413) }),
    ownOriginOnly(origin),
  )
  app.use(withoutTrailingSlash(origin))
  for (const path of ['/openapi.json', '/docs', '/coverage']) app.use(path, etag())
  addAssets(app)
  addDocs(app, dashboard)
  addSignInPages(app, dashboard)
  addCoveragePages(app, dashboard)

  const open = app.routes.length
  app.use(signedInOnly(dashboard), rolesOnly, ownFormsOnly, standingOnly)
  app.use(asActor(dashboard))
  app.use((c, next) => {
    c.set('rechargeConcern', recharge.auto?.planOf(c.var.account.id).problem)
    return next()
  })
  addSignOut(app, dashboard)
  addOverview(app, dashboard, recharge)
  addKeyPages(app, dashboard)
  addUsagePages(app, dashboard)
  addRequestPages(app, dashboard)
  addBalancePages(app, dashboard, recharge)
  addTrying(app, dashboard)
  addAlertPages(app, dashboard)
  addAccountPages(app, dashboard)
  addMemberPages(app, dashboard)
  addReceiptPages(app, dashboard, recharge, buyers)
  for (const list of ['/coverage', '/requests']) addKeySearch(app, list)
  if (operators.length > 0) {
    app.use('/operator/*', operatorsOnly)
    app.get('/operator', c => c.redirect('/operator/service', 303))
    addServicePage(app, dashboard, recharge)
    addAccountList(app, dashboard)
    addOneAccount(app, dashboard, recharge)
    addRevenue(app, dashboard)
    addOperatorLog(app, dashboard)
    addSettings(app, dashboard)
    addKeyPage(app.basePath('/operator/accounts/:account'), dashboard)
  }
  expectAccess(app.routes.slice(open))
  return app
}

async function addPayments(app: PageApp, dashboard: Dashboard): Promise<Recharge> {
  const { stripe: settings } = dashboard.config.dashboard
  if (settings === null) return dashboard.tokens === null ? BY_OPERATOR : testRecharge(dashboard)
  const { dataDir } = dashboard.config
  const stripe = await createStripe(settings)
  const auto = await openAutoRecharge({ ...dashboard, stripe, dataDir })
  const concern = addStripeWebhook(app, dashboard, stripe, auto, settings.webhookSecret)
  return { ...stripeRecharge(dashboard, stripe, auto), concern }
}

function answerNotFound(c: Context, what = '') {
  // No account is closed to operators.
  const isOperator = c.req.path.startsWith('/operator/')
  const text =
    what || `There is no page ${c.req.path}${isOperator ? '' : ', or it belongs to another account'}.`
  const [account] = (what.startsWith('This account') && /^(\/[^/]+){3}/.exec(c.req.path)) || []
  const keys = c.req.path.startsWith('/keys/') && { link: 'To the keys', href: '/keys' }
  const list = isOperator ? { link: 'To the accounts', href: '/operator/accounts' } : keys
  const back = account ? { link: 'To the account', href: account } : list
  return answerDeadEnd(c, 404, { title: 'Not found', text, ...back })
}

function answerError(error: Error, c: Context, log: Log) {
  if (error instanceof HTTPException)
    return error.status === 404 ? answerNotFound(c, error.message) : c.text(error.message, error.status)
  if (error instanceof NotAllowed) {
    if (c.req.path.endsWith('.json')) return c.json({ error: error.message }, 403)
    return answerDeadEnd(c, 403, { title: error.title, text: error.message })
  }
  if (error instanceof AccountError && error.code === 'UNAVAILABLE') {
    c.header('Retry-After', '5')
    return answerDeadEnd(c, 503, {
      title: 'Not available at the moment',
      text: 'The accounts cannot be read or changed. Try again in a moment.',
    })
  }
  const id = randomUUID()
  log.error({ err: error, id, method: c.req.method, path: c.req.path }, 'request failed')
  return answerDeadEnd(c, 500, {
    title: 'Something went wrong',
    text: `The error has been logged. If it happens again, give this number to the operator: ${id}`,
  })
}
