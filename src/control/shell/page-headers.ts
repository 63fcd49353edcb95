/** Headers that every page carries, so that a mistake in a page cannot become an attack. */
import type { MiddlewareHandler } from 'hono'
import { secureHeaders } from 'hono/secure-headers'

const OWN = ["'self'"]
const NONE = ["'none'"]

const headersOf = (secure: boolean, images: readonly string[]) =>
  secureHeaders({
    contentSecurityPolicy: {
      defaultSrc: NONE,
      scriptSrc: OWN,
      styleSrc: OWN,
      imgSrc: [...OWN, ...images],
      connectSrc: OWN,
      formAction: OWN,
      baseUri: NONE,
      frameAncestors: NONE,
    },
    xFrameOptions: 'DENY',
    // Not `no-referrer`: with that, browsers send `Origin: null` with forms, and the origin check needs the real one.
    referrerPolicy: 'same-origin',
    permissionsPolicy: { camera: [], geolocation: [], microphone: [], payment: [] },
    strictTransportSecurity: secure ? 'max-age=31536000' : false,
  })

/**
 * `no-store` unless a handler says otherwise: pages show balances and, once, a key.
 * @param images sources of images beyond the dashboard itself
 */
export function pageHeaders(secure: boolean, images: readonly string[] = []): MiddlewareHandler {
  const headers = headersOf(secure, images)
  return async (c, next) => {
    await headers(c, next)
    if (!c.res.headers.has('Cache-Control')) c.res.headers.set('Cache-Control', 'no-store')
  }
}
