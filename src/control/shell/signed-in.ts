/** The two checks in front of every page behind the sign-in: whose session it is, and who wrote its forms. */
import type { MiddlewareHandler } from 'hono'
import { readCookie } from './cookies.ts'
import type { Dashboard, PageEnv } from './dashboard.ts'
import { isFormToken } from './form-token.ts'

/** Sends strangers to the sign-in, and sets `session` and `account` for everybody else. */
export function signedInOnly({ origin, sessions, accounts }: Dashboard): MiddlewareHandler<PageEnv> {
  return async (c, next) => {
    const session = sessions.find(readCookie(c, 'session', origin))
    const account = session && accounts.account(session.account)
    if (session === undefined || account === undefined) {
      // A form of an ended session is not replayed after the next sign-in: its page is asked for instead.
      const { pathname, search } = new URL(c.req.url)
      const wanted = c.req.method === 'GET' && !pathname.endsWith('.json') ? pathname + search : '/'
      return c.redirect(wanted === '/' ? '/sign-in' : `/sign-in?next=${encodeURIComponent(wanted)}`, 303)
    }
    c.set('session', session)
    c.set('account', account)
    return next()
  }
}

/** Lets a form through only when it carries the token that this session's pages were given. */
export const ownFormsOnly: MiddlewareHandler<PageEnv> = async (c, next) => {
  if (c.req.method === 'GET' || c.req.method === 'HEAD') return next()
  const { csrf } = await c.req.parseBody()
  if (typeof csrf === 'string' && isFormToken(csrf, c.var.session.csrf)) return next()
  return c.text('This form is no longer valid. Go back, reload the page and send it again.\n', 403)
}
