import type { Context } from 'hono'
import { deleteCookie, getCookie, setCookie } from 'hono/cookie'
import type { CookieOptions } from 'hono/utils/cookie'

/** Signed cookies. The name is the purpose of the signature. `known` outlives the session. */
export type SignedCookie = 'sign-in' | 'known'

/** Cookies of the dashboard. `session` is random. `signed-out` marks a sign-out, and proves nothing. */
type CookieName = SignedCookie | 'session' | 'signed-out'

/** `__Host-` binds a cookie to this host, but browsers allow it only over https. */
const fullName = (name: CookieName, origin: string) => `${isSecure(origin) ? '__Host-' : ''}postrie-${name}`

function options(origin: string): CookieOptions {
  // Not Strict: a return from an identity provider is a navigation from another site.
  return { path: '/', httpOnly: true, sameSite: 'Lax', secure: isSecure(origin) }
}

export function readCookie(c: Context, name: CookieName, origin: string): string | undefined {
  return getCookie(c, fullName(name, origin))
}

/** @param maxAge seconds, for a cookie that outlives the browser */
export function writeCookie(c: Context, name: CookieName, origin: string, value: string, maxAge?: number) {
  setCookie(c, fullName(name, origin), value, { ...options(origin), maxAge })
}

export function eraseCookie(c: Context, name: CookieName, origin: string): void {
  deleteCookie(c, fullName(name, origin), options(origin))
}

export const isSecure = (origin: string): boolean => origin.startsWith('https://')
