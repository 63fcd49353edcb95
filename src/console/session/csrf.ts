/** Refuses forms of other sites (CSRF), by the origin that the browser sends and by a token in each form. */
import { randomBytes } from 'node:crypto'
import type { MiddlewareHandler } from 'hono'
import { isRead, NotAllowed } from './access.ts'
import { readForm } from './forms.ts'
import type { PageEnv } from './page-context.ts'
import { sameSecret } from './signer.ts'

/** Hono's `csrf` accepts requests without `Origin` that claim `same-origin`. This does not. */
export function ownOriginOnly(origin: string): MiddlewareHandler {
  return async (c, next) => {
    if (isRead(c) || c.req.header('Origin') === origin) return next()
    return c.text('This form was not sent from the dashboard. Open the dashboard and send it there.\n', 403)
  }
}

export const ownFormsOnly: MiddlewareHandler<PageEnv> = async (c, next) => {
  if (isRead(c)) return next()
  const csrf = (await readForm(c)).get('csrf')
  if (csrf !== null && isFormToken(csrf, c.get('csrf'))) return next()
  throw new NotAllowed(
    'This form is no longer valid',
    'Nothing was changed. You signed in again or switched to another account after opening the page, or another site sent the form. Reload the page and try again.',
  )
}

/** Masks the secret: in a compressed page, the length could reveal a constant one (BREACH). */
export function formToken(secret: string): string {
  const mask = randomBytes(Buffer.byteLength(secret))
  return Buffer.concat([mask, combine(mask, Buffer.from(secret))]).toString('base64url')
}

function isFormToken(token: string, secret: string): boolean {
  const bytes = Buffer.from(token, 'base64url')
  const half = bytes.length >> 1
  return sameSecret(combine(bytes.subarray(0, half), bytes.subarray(half)).toString(), secret)
}

const combine = (mask: Buffer, bytes: Buffer) => Buffer.from(bytes.map((byte, index) => byte ^ mask[index]))
