/** Under which address browsers know the dashboard, and which requests are meant for it. */
import type { MiddlewareHandler } from 'hono'
import { address } from '../../platform/address.ts'
import { isLoopback } from '../../settings/dashboard-settings.ts'

/** `https://example.com` or `http://127.0.0.1:8081`: scheme, host and port, nothing after. */
export function dashboardOrigin(publicUrl: string | null, host: string, port: number): string {
  if (publicUrl !== null) return new URL(publicUrl).origin
  return new URL(address(host, port)).origin
}

/**
 * Lets only requests through that name this dashboard in `Host`. A foreign name that resolves to this machine is how
 * DNS rebinding reads a local page. Another loopback name of the same port is sent to the one that cookies belong to.
 */
export function ownHostOnly(origin: string): MiddlewareHandler {
  const own = new URL(origin)
  return async (c, next) => {
    const host = c.req.header('Host') ?? ''
    if (host === own.host) return next()
    const named = URL.canParse(`http://${host}`) ? new URL(`http://${host}`) : null
    const alias =
      named !== null && isLoopback(named.hostname) && isLoopback(own.hostname) && named.port === own.port
    if (alias && c.req.method === 'GET') {
      const { pathname, search } = new URL(c.req.url)
      return c.redirect(`${origin}${pathname}${search}`)
    }
    return c.text(
      'This address does not belong to the dashboard. Set PUBLIC_URL to the one that browsers use.\n',
      421,
    )
  }
}

/** Refuses to change anything for a page of another origin, or for one that does not say where it comes from. */
export function ownOriginOnly(origin: string): MiddlewareHandler {
  return async (c, next) => {
    const safe = c.req.method === 'GET' || c.req.method === 'HEAD'
    if (safe || c.req.header('Origin') === origin) return next()
    return c.text('This form was not sent from the dashboard.\n', 403)
  }
}

/** A path of this dashboard to go on to, or `/`. Never another host: `//evil`, `/\evil` and full addresses are refused. */
export function ownPath(origin: string, path: string | undefined): string {
  if (path === undefined || !path.startsWith('/') || !URL.canParse(path, origin)) return '/'
  const url = new URL(path, origin)
  return url.origin === origin ? url.pathname + url.search : '/'
}
