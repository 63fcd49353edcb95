/** Headers that every page carries, so that a mistake in a page cannot become an attack. */
import type { MiddlewareHandler } from 'hono'

const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** `no-store` unless a handler says otherwise: pages show balances and, once, a key. */
export function pageHeaders(secure: boolean): MiddlewareHandler {
  return async (c, next) => {
    await next()
    const { headers } = c.res
    headers.set('Content-Security-Policy', CONTENT_SECURITY_POLICY)
    headers.set('X-Content-Type-Options', 'nosniff')
    headers.set('X-Frame-Options', 'DENY')
    // Not `no-referrer`: with that, browsers send `Origin: null` with forms, and the origin check needs the real one.
    headers.set('Referrer-Policy', 'same-origin')
    headers.set('Cross-Origin-Opener-Policy', 'same-origin')
    headers.set('Cross-Origin-Resource-Policy', 'same-origin')
    headers.set('Permissions-Policy', 'camera=(), geolocation=(), microphone=(), payment=()')
    if (secure) headers.set('Strict-Transport-Security', 'max-age=31536000')
    if (!headers.has('Cache-Control')) headers.set('Cache-Control', 'no-store')
  }
}
