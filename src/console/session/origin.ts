/** Checks that requests are for the dashboard, headers of its pages, and addresses of clients. */

import { isIP } from 'node:net'
import type { Context, MiddlewareHandler } from 'hono'
import { secureHeaders } from 'hono/secure-headers'
import { addressText, parseAddress } from '../../platform/networks.ts'
import { clientUrl } from '../../platform/server-address.ts'
import { isLoopback } from '../../platform/settings/config.ts'
import { isSecure } from './cookies.ts'
import type { Dashboard, PageContext } from './page-context.ts'

const NEXT_PATH_LENGTH_MAX = 1024

/** Returns the scheme, host and port: `https://example.com` or `http://127.0.0.1:8081`. */
export function dashboardOrigin(publicUrl: string | null, host: string, port: number): string {
  return new URL(publicUrl ?? clientUrl(host, port)).origin
}

/** Refuses another `Host`: DNS rebinding reads pages through it. Other loopback names are redirected. */
export function ownHostOnly(origin: string): MiddlewareHandler {
  const own = new URL(origin)
  return async (c, next) => {
    const host = c.req.header('Host') ?? ''
    if (host === own.host) return next()
    const named = URL.canParse(`http://${host}`) ? new URL(`http://${host}`) : null
    const isAlias =
      named !== null && isLoopback(named.hostname) && isLoopback(own.hostname) && named.port === own.port
    if (isAlias && c.req.method === 'GET') {
      const { pathname, search } = new URL(c.req.url)
      return c.redirect(`${origin}${pathname}${search}`)
    }
    return c.text(
      'The dashboard does not answer at this address. Set PUBLIC_URL to the address that browsers use.\n',
      421,
    )
  }
}

/** Redirects `/docs/` to `/docs` at the public address: a proxy may terminate TLS. */
export function withoutTrailingSlash(origin: string): MiddlewareHandler {
  return async (c, next) => {
    const { pathname, search } = new URL(c.req.url)
    if (c.req.method !== 'GET' || pathname === '/' || !pathname.endsWith('/')) return next()
    return c.redirect(`${origin}${pathname.slice(0, -1)}${search}`, 301)
  }
}

/** Returns `path` if it stays here; else `/`. Resolves twice: `/.//evil` becomes `//evil`, another host. */
export function ownPath(origin: string, path: string | undefined): string {
  if (path === undefined || !path.startsWith('/') || path.length > NEXT_PATH_LENGTH_MAX) return '/'
  const resolve = (text: string) => (URL.canParse(text, origin) ? new URL(text, origin) : undefined)
  const url = resolve(path)
  if (url?.origin !== origin) return '/'
  const own = url.pathname + url.search
  return resolve(own)?.href === origin + own ? own : '/'
}

const OWN = ["'self'"]
const NONE = ["'none'"]

/** Sets security headers. Pages show balances and fresh keys, so they are not cached by default. */
export function pageHeaders(origin: string): MiddlewareHandler {
  const headers = secureHeaders({
    contentSecurityPolicy: {
      defaultSrc: NONE,
      scriptSrc: OWN,
      styleSrc: OWN,
      imgSrc: OWN,
      connectSrc: OWN,
      formAction: OWN,
      baseUri: NONE,
      frameAncestors: NONE,
    },
    xFrameOptions: 'DENY',
    // Not `no-referrer`: browsers would send `Origin: null` with forms, and fail the check of the origin.
    referrerPolicy: 'same-origin',
    permissionsPolicy: { camera: [], geolocation: [], microphone: [], payment: [] },
    strictTransportSecurity: isSecure(origin) ? 'max-age=31536000' : false,
  })
  return async (c, next) => {
    await headers(c, next)
    if (!c.res.headers.has('Cache-Control')) c.res.headers.set('Cache-Control', 'no-store')
  }
}

/** For logs and alerts. No decision may depend on it: without TRUSTED_PROXIES, it may be forged. */
export function shownClient(c: PageContext, { proxies }: Pick<Dashboard, 'proxies'>): string {
  const connected = c.env.incoming?.socket.remoteAddress ?? ''
  if (proxies.isEmpty) {
    const claimed = c.req.header('X-Forwarded-For')?.split(',').at(-1)?.trim() ?? ''
    return isIP(claimed) === 0 ? connected : `${claimed} via ${connected}`
  }
  const peer = parseAddress(connected)
  if (peer === null) return connected
  const client = proxies.clientOf(peer, c.req.header(proxies.header))
  return client === null ? `an unknown address via ${connected}` : addressText(client)
}

const AGENT_LENGTH_MAX = 160

export function browserOf(c: Context): string {
  return (c.req.header('User-Agent') ?? 'unknown').replace(/\p{C}/gu, ' ').slice(0, AGENT_LENGTH_MAX)
}
