/** The two checks of every page that needs a sign-in: whose session it is, and who wrote its forms. */
import type { MiddlewareHandler } from 'hono'
import { matchedRoutes } from 'hono/route'
import { readCookie, writeCookie } from './cookies.ts'
import type { Dashboard, PageContext, PageEnv } from './dashboard.ts'
import { isFormToken } from './form-token.ts'
import { readForm } from './read-form.ts'

/**
 * Sets who is signed in and for which account they act: the one that they have chosen, as long as they are a member of it,
 * else their own, else the first of theirs. Returns whether anybody is signed in.
 * @param isActivity whether a person asks, which keeps the session awake, or a page that refreshes its figures by itself
 */
export function recognise(
  c: PageContext,
  { origin, sessions, accounts }: Dashboard,
  isActivity = true,
): boolean {
  const session = sessions.find(readCookie(c, 'session', origin))
  const person = session && accounts.account(session.person)
  if (session === undefined || person === undefined) return false
  const memberships = accounts.teams.accountsOf(person.id)
  const membership = memberships.find(({ account }) => account.id === session.chosen) ?? memberships[0]
  const account = membership?.account ?? person
  if (isActivity && session.renewed !== null) writeCookie(c, 'session', origin, session.renewed)
  c.set('session', session)
  c.set('person', person)
  c.set('account', account)
  c.set('role', membership?.role ?? null)
  c.set('memberships', memberships)
  c.set('csrf', session.csrfOf(account.id))
  c.set('keys', () => accounts.listKeys(account.id))
  return true
}

/** Sends strangers who ask for a page to the sign-in. A page that refreshes itself gets 401, and says so. */
export function signedInOnly(dashboard: Dashboard): MiddlewareHandler<PageEnv> {
  return async (c, next) => {
    const { pathname, search } = new URL(c.req.url)
    const isPoll = pathname.endsWith('.json')
    if (recognise(c, dashboard, !isPoll)) {
      const asked = c.req.query('account')
      if (!isPoll || asked === undefined || asked === c.get('account').id) return next()
      return c.json({ error: 'This browser has switched to another account.' }, 409)
    }
    // Checks are for all methods; what is there for one method is a page or a form.
    const exists = matchedRoutes(c).some(({ method }) => method !== 'ALL')
    if (!exists) return c.notFound()
    if (isPoll) return c.json({ error: 'This session has ended: sign in again.' }, 401)
    // A form of an ended session is not sent again after the next sign-in: that leads to the overview instead.
    const wanted = c.req.method === 'GET' ? pathname + search : '/'
    return c.redirect(wanted === '/' ? '/sign-in' : `/sign-in?next=${encodeURIComponent(wanted)}`, 303)
  }
}

/**
 * Lets a form through only when it carries the token that this session's pages were given.
 * @param refuse what the sender of any other form sees
 */
export function ownFormsOnly(
  refuse: (c: PageContext) => Response | Promise<Response>,
): MiddlewareHandler<PageEnv> {
  return async (c, next) => {
    if (c.req.method === 'GET' || c.req.method === 'HEAD') return next()
    const csrf = (await readForm(c)).get('csrf')
    return csrf !== null && isFormToken(csrf, c.get('csrf')) ? next() : refuse(c)
  }
}
