/**
 * Protects the development sign-in and test payments with a token that the start of the service prints. Addresses and headers
 * are no protection: through a local proxy, requests of strangers look local.
 *
 * The token is valid until the process ends, for any number of browsers. Each gets a sealed cookie for it.
 */
import type { MiddlewareHandler } from 'hono'
import type { Dashboard, PageContext, PageEnv } from '../dashboard.ts'
import { answerDeadEnd } from '../layout/document.tsx'
import { readCookie, writeCookie } from '../session/cookies.ts'
import { sameSecret } from '../session/seal.ts'

/** Gives a browser with `?token=…` the cookie, and removes the token from its address. */
export function openDoor({ origin, seal, config, developmentToken }: Dashboard): MiddlewareHandler<PageEnv> {
  return async (c, next) => {
    const token = c.req.query('token')
    if (token === undefined || developmentToken === null || c.req.method !== 'GET') return next()
    if (!sameSecret(token, developmentToken))
      return refuseAtDoor(c, 'This token is not valid. Each start of the service prints a new token.')
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
  return answerDeadEnd(c, 403, { title: 'Development sign-in', text, hasLink: false })
}
