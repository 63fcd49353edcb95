/**
 * The cookies of the dashboard. Those of a session, of a sign-in in progress, and of the leave to use the development sign-in are
 * sealed. One says that the last session of this browser was signed out, and proves nothing. Two outlive them: which account
 * this browser has signed in to, and a form that was sent after the end of a session, sealed as well.
 */

import type { Context } from 'hono'
import { deleteCookie, getCookie, setCookie } from 'hono/cookie'
import type { CookieOptions } from 'hono/utils/cookie'

export type CookieName = 'session' | 'sign-in' | 'development' | 'signed-out' | 'known' | 'form'

/** `__Host-` binds a cookie to this host, which browsers allow over https only; on loopback the plain name has to do. */
function fullName(name: CookieName, secure: boolean): string {
  return `${secure ? '__Host-' : ''}postrie-${name}`
}

function options(secure: boolean): CookieOptions {
  // Lax, not Strict: coming back from an identity provider is a navigation from another site.
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
