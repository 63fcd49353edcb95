import type { Context } from 'hono'
import { type Actor, actingAs } from '../../billing/accounts/actor.ts'
import { inTurn } from '../../platform/promises.ts'
import { isLoopback } from '../../platform/settings/config.ts'
import { Gate } from '../layout/document.tsx'
import { addStep } from '../layout/form.tsx'
import { answerDeadEnd, Banner, supportLink } from '../layout/page.tsx'
import { Button, Link, Wrong } from '../layout/parts.tsx'
import { isOperator, setPerson } from '../session/access.ts'
import { eraseCookie, readCookie, writeCookie } from '../session/cookies.ts'
import { formText } from '../session/forms.ts'
import { keptForm, readKnownBrowser, rememberBrowser } from '../session/known-browser.ts'
import { browserOf, ownPath, shownClient } from '../session/origin.ts'
import type { Dashboard, PageApp, PageContext } from '../session/page-context.ts'
import { provedEmail } from '../session/proved-email.ts'
import { TOKEN_ISSUER } from '../session/tokens.ts'
import { FREE_QUERIES } from '../words.ts'
import { findOrCreateAccount } from './find-or-create-account.ts'
import { createRelyingParty, type Person } from './relying-party.ts'

const PROXY_HEADERS = ['Forwarded', 'X-Forwarded-For', 'X-Forwarded-Host', 'X-Real-IP', 'Via']

const SIGNED_OUT = '/sign-in?ended=sign-out'
const ENDED = 'Your session has ended. Sign in to continue.'
const FORM_KEPT = 'A form that you sent is kept for half an hour.'

export function addSignInPages(app: PageApp, dashboard: Dashboard): void {
  const { origin, accounts, sessions, signer, audit, alerts, tokens, log } = dashboard
  const { providers, operators } = dashboard.config.dashboard
  const relyingParty = createRelyingParty(providers, origin, signer)
  // So that a second tab finds the account of the first.
  const oneAtATime = inTurn()

  app.get('/sign-in', c => {
    const next = ownPath(origin, c.req.query('next'))
    // Only shown: another site may have opened the page. The form uses the token.
    const token = c.req.query('token')
    if ((tokens === null || token === undefined) && setPerson(c, dashboard)) return c.redirect(next)
    return c.html(signInPage(dashboard, next, { token, ended: c.req.query('ended') }))
  })

  app.post('/sign-in', async c => {
    if (tokens === null) return c.notFound()
    if (!isLocal(c))
      return refuse(c, 'A token signs in only on the machine of the server, without a proxy.', 403)
    const next = ownPath(origin, await formText(c, 'next'))
    const used = tokens.use(await formText(c, 'token'))
    if ('problem' in used) return c.html(signInPage(dashboard, next, used), 400)
    const { email } = used
    const person = { issuer: TOKEN_ISSUER, subject: email, email, emailVerified: true }
    return complete(c, person, 'a token', next)
  })

  app.get('/sign-in/:provider', async c => {
    const next = ownPath(origin, c.req.query('next'))
    const isChoice = readCookie(c, 'signed-out', origin) !== undefined
    const begun = await relyingParty.begin(c.req.param('provider'), next, isChoice).catch(error => {
      log.warn({ err: error, provider: c.req.param('provider') }, 'identity provider not reached')
      return error as Error
    })
    if (begun instanceof Error)
      return refuse(c, 'The identity provider does not answer. Try again in a minute.', 502)
    if (begun === null) return c.notFound()
    writeCookie(c, 'sign-in', origin, begun.cookie)
    return c.redirect(begun.url.href)
  })

  app.get('/sign-in/:provider/callback', async c => {
    const pending = readCookie(c, 'sign-in', origin)
    eraseCookie(c, 'sign-in', origin)
    // Always: a provider that cannot let people choose an account is not asked twice.
    eraseCookie(c, 'signed-out', origin)
    const { search } = new URL(c.req.url)
    const finished = await relyingParty.finish(c.req.param('provider'), pending, search).catch(error => {
      // Only the log gets the reason: in the browser, it would help an attacker.
      log.warn({ err: error, provider: c.req.param('provider') }, 'sign-in refused')
      return null
    })
    if (finished === null)
      return refuse(c, 'This sign-in could not be verified, or it took too long. Try again.', 400)
    return complete(c, finished.person, c.req.param('provider'), finished.next)
  })

  /** Signs a person in, and redirects to `next`. @param provider for logs and alerts */
  async function complete(c: PageContext, signedIn: Person, provider: string, next: string) {
    const name = signedIn.email ?? signedIn.subject
    const actor: Actor = { kind: 'customer', name, from: shownClient(c, dashboard) }
    const welcome = await oneAtATime(() => actingAs(actor, () => findOrCreateAccount(accounts, signedIn)))
    if ('refusal' in welcome) return refuse(c, welcome.refusal, 403)
    const person = welcome.account.id
    await startSession(c, person, signedIn)
    const own = ownAccount(dashboard, person)
    if (own !== null && readKnownBrowser(c, dashboard)?.person !== own) {
      const text = `A person signed in through ${provider} from ${actor.from} with a new browser: ${browserOf(c)}`
      alerts.report(own, 'sign-in.new', text)
    }
    audit.record({ what: 'sign-in', account: own, actor, details: { provider, isNew: welcome.isNew } })
    log.info({ account: person, isNew: welcome.isNew }, 'signed in')
    const { activeKeys, spentMicros } = welcome.account
    // Operators without a use of their own have no first steps to take.
    const isOnlyOperator =
      activeKeys === 0 && spentMicros === 0 && isOperator(accounts, operators, welcome.account)
    return c.redirect(next === '/' && isOnlyOperator ? '/operator' : next)
  }

  /** Starts a session in this browser, after ending an earlier one, even of another person. */
  async function startSession(c: PageContext, person: string, signedIn: Person): Promise<void> {
    const earlier = sessions.find(readCookie(c, 'session', origin))
    if (earlier !== undefined) await sessions.end(earlier.id)
    const chosen = chosenAccount(c, person)
    const signIn = {
      chosen,
      provedEmail: provedEmail(signedIn),
      byToken: signedIn.issuer === TOKEN_ISSUER,
      browser: browserOf(c),
      from: shownClient(c, dashboard),
    }
    const cookie = await sessions.start(person, signIn, keptForm(c, dashboard, person))
    writeCookie(c, 'session', origin, cookie)
    rememberBrowser(c, dashboard, { person, chosen })
  }

  /** Returns the account that this browser knows, or the only other one of people who have no keys of their own. */
  function chosenAccount(c: PageContext, person: string): string | null {
    const known = readKnownBrowser(c, dashboard)
    if (known?.person === person && known.chosen !== null) return known.chosen
    const others = accounts.teams.accountsOf(person).filter(({ account }) => account.id !== person)
    return others.length === 1 && accounts.listKeys(person).length === 0 ? others[0].account.id : null
  }
}

/** True for a request from this machine. A proxy without these headers is not detected. */
function isLocal(c: PageContext): boolean {
  const address = c.env.incoming.socket.remoteAddress ?? ''
  const isProxied = PROXY_HEADERS.some(name => c.req.header(name) !== undefined)
  return isLoopback(address) && !isProxied
}

/** Returns the account that logs a person's sign-ins: their own, or null if they were removed from it. */
function ownAccount({ accounts }: Dashboard, person: string): string | null {
  return accounts.teams.roleOf(person, person) === null ? null : person
}

/** Adds the sign-out of one browser and of all. Must follow the checks of every form. */
export function addSignOut(app: PageApp, dashboard: Dashboard): void {
  const { origin, sessions, audit } = dashboard
  app.post('/sign-out', async c => {
    await sessions.end(c.var.session.id)
    audit.record({ what: 'sign-out', account: ownAccount(dashboard, c.var.person.id) })
    leave(c)
    return c.redirect(SIGNED_OUT, 303)
  })

  addStep(app, '/sign-out-everywhere', '/account', {
    ask: c => ({
      title: 'Sign out everywhere?',
      text: `Every session of ${c.var.person.email} ends, including this one. API keys keep working.`,
      button: 'Sign out everywhere',
    }),
    run: async c => {
      await sessions.endAllOf(c.var.person.id)
      const account = ownAccount(dashboard, c.var.person.id)
      audit.record({ what: 'sign-out', account, details: { everywhere: true } })
      leave(c)
      return { to: SIGNED_OUT }
    },
  })

  app.get('/sign-out', c => c.redirect('/', 303))

  function leave(c: PageContext): void {
    eraseCookie(c, 'session', origin)
    writeCookie(c, 'signed-out', origin, '1')
  }
}

function refuse(c: Context, text: string, status: 400 | 403 | 502) {
  return answerDeadEnd(c, status, { title: 'Not signed in', text, link: 'Back to sign-in', href: '/sign-in' })
}

function signInPage(
  { config, tokens }: Dashboard,
  next: string,
  { token, problem, ended }: { token?: string | undefined; problem?: string; ended?: string | undefined },
) {
  const { providers } = config.dashboard
  return (
    <Gate title="Sign in">
      <h1>Sign in</h1>
      {ended === 'sign-out' && <Banner kind="notice" text="You are signed out." />}
      {ended === 'page' && <Banner kind="caution" text={ENDED} />}
      {ended === 'form' && <Banner kind="caution" text={`${ENDED} ${FORM_KEPT}`} />}
      <p class="muted">
        Keys, balance and usage of your postal code service. A new account has {FREE_QUERIES} free queries.
      </p>
      {tokens === null ? (
        <div class="stack">
          {providers.map(({ id, label }) => (
            <Link kind="primary wide" href={`/sign-in/${id}?next=${encodeURIComponent(next)}`} text={label} />
          ))}
          {providers.length === 0 && (
            <p>No identity provider is configured. The operator can add one in the settings.</p>
          )}
        </div>
      ) : (
        <form method="post" action="/sign-in" class="stack">
          <input type="hidden" name="next" value={next} />
          <label>
            Token
            <input name="token" value={token} required autocomplete="off" autofocus />
          </label>
          <Wrong text={problem} />
          <span class="hint">
            <code>postrie serve</code> printed a token when it started. <code>postrie token</code> prints
            another one. A token works once, for ten minutes, on this machine.
          </span>
          <Button kind="primary wide" text="Sign in" />
        </form>
      )}
      <p class="small">
        <a href="/coverage">What is covered</a>, and <a href="/docs">the API reference</a>
      </p>
      {config.dashboard.support && <p class="small">Operator: {supportLink(config.dashboard.support)}</p>}
    </Gate>
  )
}
