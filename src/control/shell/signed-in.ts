/** The two checks of every page that needs a sign-in: whose session it is, and who wrote its forms. */
import type { MiddlewareHandler } from 'hono'
import { readCookie, writeCookie } from './cookies.ts'
import type { Dashboard, PageContext, PageEnv } from './dashboard.ts'
import { isFormToken } from './form-token.ts'
import { readForm } from './read-form.ts'

/** Sets `session` and `account` when the browser is signed in, and keeps the session awake. Returns whether it is. */
export function recognise(c: PageContext, { origin, sessions, accounts }: Dashboard): boolean {
  const session = sessions.find(readCookie(c, 'session', origin))
  const account = session && accounts.account(session.account)
  if (session === undefined || account === undefined) return false
  if (session.renewed !== null) writeCookie(c, 'session', origin, session.renewed)
  c.set('session', session)
  c.set('account', account)
  return true
}

/** Sends strangers to the sign-in. */
export function signedInOnly(dashboard: Dashboard): MiddlewareHandler<PageEnv> {
  return async (c, next) => {
    if (recognise(c, dashboard)) return next()
    // A form of an ended session is not sent again after the next sign-in: that leads to the overview instead.
    const { pathname, search } = new URL(c.req.url)
    const wanted = c.req.method === 'GET' && !pathname.endsWith('.json') ? pathname + search : '/'
    return c.redirect(wanted === '/' ? '/sign-in' : `/sign-in?next=${encodeURIComponent(wanted)}`, 303)
  }
}

/** Lets a form through only when it carries the token that this session's pages were given. */
export const ownFormsOnly: MiddlewareHandler<PageEnv> = async (c, next) => {
  if (c.req.method === 'GET' || c.req.method === 'HEAD') return next()
  const csrf = (await readForm(c)).get('csrf')
  if (csrf !== null && isFormToken(csrf, c.var.session.csrf)) return next()
  return c.text('This form is no longer valid. Go back, reload the page and send it again.\n', 403)
}
