/** The address of the dashboard as browsers know it, and the requests that are meant for it. */
import type { MiddlewareHandler } from 'hono'
import { address } from '../../platform/address.ts'
import { isLoopback } from '../../settings/dashboard-settings.ts'
import { NEXT_PATH_LENGTH_MAX } from '../limits.ts'

/** `https://example.com` or `http://127.0.0.1:8081`: scheme, host and port, nothing after. */
export function dashboardOrigin(publicUrl: string | null, host: string, port: number): string {
  return new URL(publicUrl ?? address(host, port)).origin
}

/**
 * Lets only requests through that name this dashboard in `Host`. DNS rebinding reads a local page by a foreign name that
 * resolves to this machine. Another loopback name of the same port is redirected to the one that the cookies are for.
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
      'The dashboard does not answer under this address. Set PUBLIC_URL to the address that browsers use.\n',
      421,
    )
  }
}

/**
 * Refuses to change anything for a page of another origin, or for one that does not say where it comes from. Hono's own
 * `csrf` lets through what is not one of the types that forms send, and what has no `Origin` but says `same-origin`.
 */
export function ownOriginOnly(origin: string): MiddlewareHandler {
  return async (c, next) => {
    const safe = c.req.method === 'GET' || c.req.method === 'HEAD'
    if (safe || c.req.header('Origin') === origin) return next()
    return c.text('This form was not sent from the dashboard.\n', 403)
  }
}

/**
 * `path` with its query, when it leads to a page of this dashboard, else `/`. What counts is where a browser would go, so
 * the path is resolved as a browser does, and so is the result: `/.//evil` becomes `//evil`, which is another host.
 */
export function ownPath(origin: string, path: string | undefined): string {
  if (path === undefined || !path.startsWith('/') || path.length > NEXT_PATH_LENGTH_MAX) return '/'
  const resolve = (text: string) => (URL.canParse(text, origin) ? new URL(text, origin) : undefined)
  const url = resolve(path)
  if (url?.origin !== origin) return '/'
  const own = url.pathname + url.search
  return resolve(own)?.href === origin + own ? own : '/'
}
