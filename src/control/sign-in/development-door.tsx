/**
 * The door of the development sign-in and of test payments: the token that the service printed at its start opens it.
 * An address or a header cannot tell: a proxy on this machine with default settings sends requests of the whole world
 * that look like those of a local browser.
 *
 * The token is good for the life of the process, for any number of browsers; each is given a sealed cookie for it.
 */
import type { MiddlewareHandler } from 'hono'
import type { Dashboard, PageContext, PageEnv } from '../dashboard.ts'
import { deadEnd } from '../layout/document.tsx'
import { readCookie, writeCookie } from '../session/cookies.ts'
import { sameSecret } from '../session/seal.ts'

/** Opens the door to a browser that comes with `?token=…`, and takes the token out of its address. */
export function openDoor({ origin, seal, config, developmentToken }: Dashboard): MiddlewareHandler<PageEnv> {
  return async (c, next) => {
    const token = c.req.query('token')
    if (token === undefined || developmentToken === null || c.req.method !== 'GET') return next()
    if (!sameSecret(token, developmentToken))
      return refuseAtDoor(c, 'This token is not valid. Each start of the service has another.')
    const endMs = Date.now() + config.dashboard.sessionMaxMs
    writeCookie(c, 'development', origin, seal.seal('development', true, endMs))
    const url = new URL(c.req.url)
    url.searchParams.delete('token')
    return c.redirect(origin + url.pathname + url.search, 303)
  }
}

export function isDoorOpen(c: PageContext, { origin, seal }: Dashboard): boolean {
  return seal.open('development', readCookie(c, 'development', origin)) === true
}

export function throughDoorOnly(dashboard: Dashboard): MiddlewareHandler<PageEnv> {
  return async (c, next) =>
    isDoorOpen(c, dashboard) ? next() : refuseAtDoor(c, 'The development sign-in needs a token.')
}

export function DoorHint() {
  return (
    <>
      To sign in on this machine as a developer, open the dashboard address that <code>postrie serve</code>{' '}
      printed when it started. It ends with <code>?token=…</code> and is valid until the service stops.
    </>
  )
}

function refuseAtDoor(c: PageContext, reason: string) {
  const text = (
    <>
      {reason} <DoorHint />
    </>
  )
  return deadEnd(c, 403, { title: 'Development sign-in', text, link: null })
}
