/** Signing in and out: the door of the dashboard. */
import type { Context } from 'hono'
import type { ProviderSettings } from '../../settings/dashboard-settings.ts'
import { Gate } from '../layout/gate.tsx'
import { eraseCookie, readCookie, writeCookie } from '../shell/cookies.ts'
import type { Dashboard, PageApp } from '../shell/dashboard.ts'
import { ownPath } from '../shell/origin.ts'
import { accountOf } from './account-of.ts'
import { RelyingParty } from './relying-party.ts'

export function addSignInPages(
  app: PageApp,
  dashboard: Dashboard,
  providers: readonly ProviderSettings[],
): void {
  const { origin, accounts, sessions, log } = dashboard
  const relyingParty = new RelyingParty(providers, origin)

  app.get('/sign-in', c => {
    const next = ownPath(origin, c.req.query('next'))
    if (sessions.find(readCookie(c, 'session', origin)) !== undefined) return c.redirect(next)
    return c.html(<SignIn providers={providers} next={next} />)
  })

  app.get('/sign-in/:provider', async c => {
    const next = ownPath(origin, c.req.query('next'))
    const begun = await relyingParty.begin(c.req.param('provider'), next).catch(error => {
      log.warn({ err: error, provider: c.req.param('provider') }, 'identity provider not reached')
      return error as Error
    })
    if (begun instanceof Error)
      return refuse(c, 'The identity provider does not answer. Try again in a minute.', 502)
    if (begun === null) return c.notFound()
    writeCookie(c, 'sign-in', origin, begun.handle)
    return c.redirect(begun.url.href)
  })

  app.get('/sign-in/:provider/callback', async c => {
    const handle = readCookie(c, 'sign-in', origin)
    eraseCookie(c, 'sign-in', origin)
    const { search } = new URL(c.req.url)
    const finished = await relyingParty.finish(c.req.param('provider'), handle, search).catch(error => {
      // The reason is for the operator: in the browser it would only teach an attacker.
      log.warn({ err: error, provider: c.req.param('provider') }, 'sign-in refused')
      return null
    })
    if (finished === null)
      return refuse(c, 'This sign-in could not be verified, or took too long. Please start again.', 400)
    const welcome = await accountOf(accounts, finished.person)
    if ('refusal' in welcome) return refuse(c, welcome.refusal, 403)
    // A session from before, whoever's it was, ends here.
    sessions.end(readCookie(c, 'session', origin))
    writeCookie(c, 'session', origin, sessions.start(welcome.account.id))
    log.info({ account: welcome.account.id, isNew: welcome.isNew }, 'signed in')
    return c.redirect(finished.next)
  })
}

/** The two ways out; both stand behind the checks that every form of a session passes. */
export function addSignOut(app: PageApp, { origin, sessions }: Dashboard): void {
  app.post('/sign-out', c => {
    sessions.end(readCookie(c, 'session', origin))
    eraseCookie(c, 'session', origin)
    return c.redirect('/sign-in', 303)
  })

  app.post('/sign-out-everywhere', c => {
    sessions.endAllOf(c.var.account.id)
    eraseCookie(c, 'session', origin)
    return c.redirect('/sign-in', 303)
  })
}

function refuse(c: Context, message: string, status: 400 | 403 | 502) {
  return c.html(
    <Gate title="Not signed in">
      <h1>Not signed in</h1>
      <p role="alert">{message}</p>
      <a class="button primary wide" href="/sign-in">
        Back to sign-in
      </a>
    </Gate>,
    status,
  )
}

function SignIn({ providers, next }: { providers: readonly ProviderSettings[]; next: string }) {
  return (
    <Gate title="Sign in">
      <h1>Sign in</h1>
      <p class="muted">
        Keys, balance and usage of your postal code service. A new account has 1,000 free queries.
      </p>
      <div class="stack">
        {providers.map(({ id, label }) => (
          <a class="button primary wide" href={`/sign-in/${id}?next=${encodeURIComponent(next)}`}>
            {label}
          </a>
        ))}
        {providers.length === 0 && <p>No identity provider is configured. The README says how to add one.</p>}
      </div>
      <p class="aside">
        <a href="/coverage">See which countries are covered</a>
      </p>
    </Gate>
  )
}
