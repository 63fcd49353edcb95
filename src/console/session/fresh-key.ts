/** Shows the secret of a key once. It exists nowhere else. */
import { createHash } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import { AccountError } from '../../billing/accounts/account-error.ts'
import type { NewKey } from '../../billing/accounts/views.ts'
import type { PageContext } from '../dashboard.ts'
import type { Flash } from './sessions.ts'

/**
 * Runs a form that makes a secret, and keeps the secret for the next page. Returns the notice for that page.
 * @param done returns the notice of a first form @param repeated returns the notice of a form that was sent before
 */
export async function keepFreshKey(
  c: PageContext,
  made: Promise<NewKey>,
  done: (key: NewKey) => string | undefined,
  repeated: () => string,
): Promise<string | undefined> {
  const { session } = c.var
  try {
    const key = await made
    session.keep({ freshKey: { label: key.label, key: key.key, endpoints: key.rules.endpoints } })
    return done(key)
  } catch (error) {
    if (!(error instanceof AccountError && error.code === 'REPEATED')) throw error
    // After a second click, the next page shows the secret of the first.
    return session.kept()?.freshKey === undefined ? repeated() : undefined
  }
}

/** Returns the id of the key that a form makes. The same form is the same key: its token has a mask of its own. */
export async function keyIdOf(c: PageContext): Promise<string> {
  const form = [c.var.account.id, c.var.csrf, await c.req.text()].join('\n')
  const digest = createHash('sha256').update(form).digest('base64url')
  return `key_${digest.replace(/[-_]/g, '').slice(0, 12)}`
}

/** Returns the fresh key for this page. The next page shows it only if this page does not reach the browser. */
export function takeFreshKey(c: PageContext): Flash['freshKey'] {
  // HEAD shows no page.
  if (c.req.method !== 'GET') return undefined
  const { session } = c.var
  const freshKey = session.take('freshKey')
  if (freshKey !== undefined) keepUnlessSent(c.env.outgoing, () => session.keep({ freshKey }))
  return freshKey
}

export function keepUnlessSent(response: ServerResponse, keep: () => void): void {
  response.once('close', () => {
    if (!response.writableFinished) keep()
  })
}
