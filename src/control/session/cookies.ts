/**
 * The cookies of the dashboard:
 *
 *     session      sealed  the session
 *     sign-in      sealed  a sign-in in progress
 *     development  sealed  permission to use the development sign-in
 *     known        sealed  the last person and chosen account; outlives the session
 *     form         sealed  a form sent after the end of a session; outlives the session
 *     signed-out   plain   marks a sign-out; proves nothing
 */

import type { Context } from 'hono'
import { deleteCookie, getCookie, setCookie } from 'hono/cookie'
import type { CookieOptions } from 'hono/utils/cookie'

type CookieName = 'session' | 'sign-in' | 'development' | 'signed-out' | 'known' | 'form'

/** Returns the name in the browser. `__Host-` binds a cookie to this host, but browsers allow it only over https. */
function fullName(name: CookieName, secure: boolean): string {
  return `${secure ? '__Host-' : ''}postrie-${name}`
}

function options(secure: boolean): CookieOptions {
  // Not Strict: a return from an identity provider is a navigation from another site.
  return { path: '/', httpOnly: true, sameSite: 'Lax', secure }
}

export function readCookie(c: Context, name: CookieName, origin: string): string | undefined {
  return getCookie(c, fullName(name, isSecure(origin)))
}

/** @param maxAge seconds, for a cookie that outlives the browser */
export function writeCookie(
  c: Context,
  name: CookieName,
  origin: string,
  value: string,
  maxAge?: number,
): void {
  const secure = isSecure(origin)
  setCookie(c, fullName(name, secure), value, { ...options(secure), maxAge })
}

export function eraseCookie(c: Context, name: CookieName, origin: string): void {
  deleteCookie(c, fullName(name, isSecure(origin)), options(isSecure(origin)))
}

export function isSecure(origin: string): boolean {
  return origin.startsWith('https://')
}
