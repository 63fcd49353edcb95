/** The address of the dashboard as browsers know it, the requests that are meant for it, and where they come from. */
import { isIP } from 'node:net'
import type { MiddlewareHandler } from 'hono'
import { secureHeaders } from 'hono/secure-headers'
import { TrustedProxies } from '../../forwarded.ts'
import { addressText, parseAddress } from '../../networks.ts'
import { address } from '../../platform/address.ts'
import { isLoopback } from '../../settings/config.ts'
import type { Dashboard, PageContext } from '../dashboard.ts'
import { isSecure } from './cookies.ts'

const NEXT_PATH_LENGTH_MAX = 1024

/** Returns `https://example.com` or `http://127.0.0.1:8081`: scheme, host and port, nothing after. */
export function dashboardOrigin(publicUrl: string | null, host: string, port: number): string {
  return new URL(publicUrl ?? address(host, port)).origin
}

/**
 * Refuses requests whose `Host` is not this dashboard. DNS rebinding reads a local page by a foreign name that resolves to
 * this machine. Another loopback name of the same port is redirected to the one that the cookies are for.
 */
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
      'The dashboard does not answer under this address. Set PUBLIC_URL to the address that browsers use.\n',
      421,
    )
  }
}

/** Sends a browser that asks for `/docs/` to `/docs`, under the address that it knows: a proxy may have ended its TLS. */
export function withoutTrailingSlash(origin: string): MiddlewareHandler {
  return async (c, next) => {
    const { pathname, search } = new URL(c.req.url)
    if (c.req.method !== 'GET' || pathname === '/' || !pathname.endsWith('/')) return next()
    return c.redirect(`${origin}${pathname.slice(0, -1)}${search}`, 301)
  }
}

/**
 * Returns `path` with its query when it leads to a page of this dashboard, else `/`. The path is resolved as a browser
 * does, and so is the result: `/.//evil` becomes `//evil`, which is another host.
 */
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

/**
 * Headers of every page, so that a mistake in a page cannot become an attack. Pages show balances and, once, a key: they
 * are not stored unless a handler says otherwise.
 */
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
    // Not `no-referrer`: with that, browsers send `Origin: null` with forms, and the origin check needs the real one.
    referrerPolicy: 'same-origin',
    permissionsPolicy: { camera: [], geolocation: [], microphone: [], payment: [] },
    strictTransportSecurity: isSecure(origin) ? 'max-age=31536000' : false,
  })
  return async (c, next) => {
    await headers(c, next)
    if (!c.res.headers.has('Cache-Control')) c.res.headers.set('Cache-Control', 'no-store')
  }
}

const proxies = new WeakMap<object, TrustedProxies>()

/**
 * Returns the client's address for people who look into what happened; nothing is decided by it. Without TRUSTED_PROXIES it
 * is the connection's, and in front of it the last one that a proxy has added, which may be made up.
 */
export function peerOf(c: PageContext, { config }: Pick<Dashboard, 'config'>): string {
  const connected = c.env.incoming?.socket.remoteAddress ?? ''
  const trusted = proxies.get(config.proxies) ?? new TrustedProxies(config.proxies)
  proxies.set(config.proxies, trusted)
  if (trusted.isEmpty) {
    const said = c.req.header('X-Forwarded-For')?.split(',').at(-1)?.trim() ?? ''
    return isIP(said) === 0 ? connected : `${said} via ${connected}`
  }
  const peer = parseAddress(connected)
  if (peer === null) return connected
  const client = trusted.clientOf(peer, c.req.header(trusted.header))
  return client === null ? `an address that is not known, via ${connected}` : addressText(client)
}
