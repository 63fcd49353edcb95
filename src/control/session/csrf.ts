/** Refuses forms that another site has sent (CSRF): by the origin that the browser states, and by a token in each form. */
import { randomBytes } from 'node:crypto'
import type { MiddlewareHandler } from 'hono'
import type { PageEnv } from '../dashboard.ts'
import { NotAllowed } from './access.ts'
import { readForm } from './forms.ts'
import { sameSecret } from './seal.ts'

/**
 * Refuses to change anything for a page of another origin, or for one that does not say where it comes from. Hono's own
 * `csrf` lets through types that forms do not send, and requests without `Origin` that say `same-origin`.
 */
export function ownOriginOnly(origin: string): MiddlewareHandler {
  return async (c, next) => {
    const isSafe = c.req.method === 'GET' || c.req.method === 'HEAD'
    if (isSafe || c.req.header('Origin') === origin) return next()
    return c.text('This form was not sent from the dashboard.\n', 403)
  }
}

/** Lets a form through only when it carries the token that this session's pages were given. */
export function ownFormsOnly(): MiddlewareHandler<PageEnv> {
  return async (c, next) => {
    if (c.req.method === 'GET' || c.req.method === 'HEAD') return next()
    const csrf = (await readForm(c)).get('csrf')
    if (csrf !== null && isFormToken(csrf, c.get('csrf'))) return next()
    throw new NotAllowed(
      'This form is no longer valid',
      'Nothing was changed. You have signed in again or switched to another account since the page was opened, or the form was not sent from this dashboard.',
    )
  }
}

/**
 * Returns `secret` under a fresh mask: the mask, then the secret combined with it. Pages are compressed, and a secret that
 * stays the same next to text of a stranger's choice could be guessed from the length of the page (the BREACH attack).
 */
export function formToken(secret: string): string {
  const mask = randomBytes(Buffer.byteLength(secret))
  return Buffer.concat([mask, combine(mask, Buffer.from(secret))]).toString('base64url')
}

export function isFormToken(token: string, secret: string): boolean {
  const bytes = Buffer.from(token, 'base64url')
  const half = bytes.length >> 1
  return sameSecret(combine(bytes.subarray(0, half), bytes.subarray(half)).toString(), secret)
}

function combine(mask: Buffer, bytes: Buffer): Buffer {
  return Buffer.from(bytes.map((byte, index) => byte ^ mask[index]))
}
