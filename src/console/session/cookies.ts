import type { Context } from 'hono'
import { deleteCookie, getCookie, setCookie } from 'hono/cookie'
import type { CookieOptions } from 'hono/utils/cookie'

/** Signed cookies. The name is the purpose of the signature. */
export type SignedCookie =
  /** A sign-in in progress. */
  | 'sign-in'
  /** The last person and chosen account. Outlives the session. */
  | 'known'

/** Cookies of the dashboard. `session` is random. `signed-out` marks a sign-out, and proves nothing. */
type CookieName = SignedCookie | 'session' | 'signed-out'

/** Returns the name in the browser. `__Host-` binds a cookie to this host, but browsers allow it only over https. */
const fullName = (name: CookieName, secure: boolean): string => `${secure ? '__Host-' : ''}postrie-${name}`

function options(secure: boolean): CookieOptions {
  // Not Strict: a return from an identity provider is a navigation from another site.
  return { path: '/', httpOnly: true, sameSite: 'Lax', secure }
}

export function readCookie(c: Context, name: CookieName, origin: string): string | undefined {
  return getCookie(c, fullName(name, isSecure(origin)))
}

/** @param maxAge seconds, for a cookie that outlives the browser */
export function writeCookie(c: Context, name: CookieName, origin: string, value: string, maxAge?: number) {
  const secure = isSecure(origin)
  setCookie(c, fullName(name, secure), value, { ...options(secure), maxAge })
}

export function eraseCookie(c: Context, name: CookieName, origin: string): void {
  deleteCookie(c, fullName(name, isSecure(origin)), options(isSecure(origin)))
}

export const isSecure = (origin: string): boolean => origin.startsWith('https://')
