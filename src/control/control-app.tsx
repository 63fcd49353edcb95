/** The dashboard's routes and checks. Their order matters: a route is protected by the checks above it. */
import { randomUUID } from 'node:crypto'
import { type Context, Hono, type MiddlewareHandler } from 'hono'
import type { Log } from '../platform/log.ts'
import type { Alerts } from './alerts/alerts.ts'
import { noteSignIn } from './alerts/known-browsers.ts'
import { addAssets, addWellKnown } from './assets/assets.ts'
import { addAccountLog } from './console/account-log.tsx'
import { addConsole } from './console/console.tsx'
import { heldReadOnly, namedActor } from './console/operators.ts'
import { standingConcern } from './layout/concerns.ts'
import { Gate } from './layout/gate.tsx'
import { Form } from './layout/parts.tsx'
import { ROLE_TEXTS } from './layout/words.ts'
import { FORM_BYTES_MAX } from './limits.ts'
import { addAccountPage } from './pages/account.tsx'
import { addAlertPages } from './pages/alerts.tsx'
import { addBalancePages } from './pages/balance.tsx'
import { addCoveragePage } from './pages/coverage.tsx'
import { addKeyPages } from './pages/keys.tsx'
import { addLimitPages } from './pages/limits.tsx'
import { addMemberPages } from './pages/members.tsx'
import { addOverview } from './pages/overview.tsx'
import { addReceiptPages } from './pages/receipts.tsx'
import { addOpenApi, addReference } from './pages/reference.tsx'
import { addRequestPages } from './pages/requests.tsx'
import { addTryPages } from './pages/try.tsx'
import { addUsagePages } from './pages/usage-page.tsx'
import { AutoRecharge } from './payments/auto/auto-recharge.ts'
import { BY_OPERATOR, type Recharge } from './payments/recharge.ts'
import { createStripe } from './payments/stripe-client.ts'
import { stripeRecharge } from './payments/stripe-recharge.tsx'
import { addStripeWebhook } from './payments/stripe-webhook.ts'
import { testRecharge } from './payments/test-recharge.tsx'
import { probes } from './reports/probes.ts'
import { expectAccess, rolesOnly } from './shell/access.ts'
import { boundedBody } from './shell/bounded-body.ts'
import { compressed } from './shell/compress-pages.ts'
import { isSecure } from './shell/cookies.ts'
import type { Dashboard, PageApp, PageContext, PageEnv } from './shell/dashboard.ts'
import { onceOnly } from './shell/once-only.ts'
import { ownHostOnly, ownOriginOnly } from './shell/origin.ts'
import { pageHeaders } from './shell/page-headers.ts'
import { MalformedForm } from './shell/read-form.ts'
import { ownFormsOnly, signedInOnly } from './shell/signed-in.ts'
import { openDoor } from './sign-in/development-door.tsx'
import { addDevelopmentPages } from './sign-in/development-pages.tsx'
import { createDevelopmentProvider, mountDevelopmentProvider } from './sign-in/development-provider.ts'
import { addInvitationPages } from './sign-in/invitation-pages.tsx'
import { addSignInPages, addSignOut } from './sign-in/sign-in-pages.tsx'

/**
 * @param closers gets what ends the work that the dashboard does besides answering, also when it then throws
 * @throws Error when a file of the dashboard in DATA_DIR is not private, or a page has no row in ACCESS
 */
export async function controlApp(
  dashboard: Dashboard,
  alerts: Alerts,
  closers: (() => Promise<void>)[],
): Promise<PageApp> {
  const { origin, config, log } = dashboard
  const { providers, development } = config.dashboard
  const app = new Hono<PageEnv>()
  app.notFound(missing)
  app.onError((error, c) => failed(error, c, log))

  app.route('/', probes(dashboard))
  app.use(ownHostOnly(origin))
  const recharge = await addPayments(app, dashboard, alerts)
  closers.push(async () => recharge.auto?.close())
  const developer = development ? await createDevelopmentProvider(origin) : null
  // Before the checks of browsers' requests: the server itself calls the provider's token endpoint, without an origin.
  if (developer !== null) mountDevelopmentProvider(app, developer, dashboard)

  addReference(app, dashboard)
  app.use(
    pageHeaders(isSecure(origin)),
    ...compressed(),
    boundedBody({ maxSize: FORM_BYTES_MAX, onError: tooLarge }),
    ownOriginOnly(origin),
  )
  app.use(openDoor(dashboard))
  addAssets(app)
  addOpenApi(app, dashboard)
  addWellKnown(app)
  if (developer !== null) addDevelopmentPages(app, developer, dashboard)
  addSignInPages(
    app,
    dashboard,
    developer === null ? providers : [...providers, developer.settings],
    (c, account, provider) => noteSignIn(c, dashboard, alerts, account, provider),
  )
  addCoveragePage(app, dashboard)

  const open = app.routes.length
  app.use(signedInOnly(dashboard), rolesOnly(otherRole), ownFormsOnly(stale), heldReadOnly(held))
  app.use(onceOnly(), namedActor(dashboard))
  if (recharge.auto !== undefined) app.use(rechargeConcern(recharge.auto))
  addSignOut(app, dashboard)
  addOverview(app, dashboard)
  addKeyPages(app, dashboard)
  addUsagePages(app, dashboard)
  addRequestPages(app, dashboard)
  addBalancePages(app, dashboard, recharge)
  addReceiptPages(app, dashboard, recharge)
  addLimitPages(app, dashboard)
  addTryPages(app, dashboard)
  addAlertPages(app, alerts)
  addAccountPage(app)
  addMemberPages(app, dashboard, alerts)
  addInvitationPages(app, dashboard)
  addAccountLog(app, dashboard)
  if (dashboard.config.dashboard.operators.length > 0) addConsole(app, dashboard)
  expectAccess(app.routes.slice(open))
  return app
}

/** Stripe where it is configured, test payments on a developer's machine, otherwise the operator's command. */
async function addPayments(app: PageApp, dashboard: Dashboard, alerts: Alerts): Promise<Recharge> {
  const { stripe: settings, development } = dashboard.config.dashboard
  if (settings === null) return development ? testRecharge(dashboard) : BY_OPERATOR
  const { accounts, audit, log, config, sharedRows } = dashboard
  const { dataDir } = config
  const stripe = await createStripe(settings)
  const auto = await AutoRecharge.open({ accounts, stripe, alerts, audit, log, dataDir, sharedRows })
  addStripeWebhook(app, dashboard, stripe, auto, settings.webhookSecret)
  return stripeRecharge(dashboard, stripe, auto)
}

/** What every page says of automatic recharges that have been turned off. */
function rechargeConcern(auto: AutoRecharge): MiddlewareHandler<PageEnv> {
  return (c, next) => {
    c.set('rechargeConcern', auto.planOf(c.var.account.id).problem)
    return next()
  }
}

function stale(c: PageContext) {
  return c.html(
    <Gate title="Form not accepted">
      <h1>This form is no longer valid</h1>
      <p role="alert">
        Nothing was changed. You have signed in again or switched to another account since the page was
        opened, or the form was not sent from this dashboard.
      </p>
      <a class="button primary wide" href="/">
        To the overview
      </a>
    </Gate>,
    403,
  )
}

function otherRole(c: PageContext) {
  const { role, account } = c.var
  return c.html(
    <Gate title="Not for your role">
      {role === null ? (
        <>
          <h1>You are a member of no account</h1>
          <p role="alert">Ask an owner of an account for an invitation, and open its link.</p>
        </>
      ) : (
        <>
          <h1>Not for your role</h1>
          <p role="alert">
            Your role in {account.email} is {role}: {ROLE_TEXTS[role]} Ask an owner for another one.
          </p>
          <a class="button primary wide" href="/">
            To the overview
          </a>
        </>
      )}
      <Form c={c} action="/sign-out">
        <button type="submit" class="wide">
          Sign out
        </button>
      </Form>
    </Gate>,
    403,
  )
}

function held(c: PageContext) {
  return c.html(
    <Gate title="Nothing was changed">
      <h1>Nothing was changed</h1>
      <p role="alert">{standingConcern(c.var.account)} You can still read its pages.</p>
      <a class="button primary wide" href="/">
        To the overview
      </a>
    </Gate>,
    403,
  )
}

const malformed = (c: Context) =>
  c.text('This form is malformed: send it as application/x-www-form-urlencoded.\n', 400)

const tooLarge = (c: Context) => c.text('This form is too large.\n', 413)

function missing(c: PageContext) {
  return c.html(
    <Gate title="Not found">
      <h1>Not found</h1>
      <p>This page does not exist, or it belongs to another account.</p>
      <a class="button wide" href="/">
        To the overview
      </a>
    </Gate>,
    404,
  )
}

function failed(error: Error, c: PageContext, log: Log) {
  if (error instanceof MalformedForm) return malformed(c)
  const id = randomUUID()
  log.error({ err: error, id, method: c.req.method, path: c.req.path }, 'request failed')
  return c.html(
    <Gate title="Something went wrong">
      <h1>Something went wrong</h1>
      <p>
        The error has been logged. If it happens again, give this number to the operator: <code>{id}</code>
      </p>
    </Gate>,
    500,
  )
}
