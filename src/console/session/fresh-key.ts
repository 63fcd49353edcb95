/** Shows the secret of a key once. It exists nowhere else. */
import { createHash } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import { AccountError } from '../../billing/accounts/account-error.ts'
import type { Accounts } from '../../billing/accounts/accounts.ts'
import type { NewKey } from '../../billing/accounts/views.ts'
import type { Done } from './forms.ts'
import type { PageContext } from './page-context.ts'
import type { FreshKey } from './sessions.ts'

/** Maximum number of fresh keys of a session that wait for their page. */
const WAITING_MAX = 20

/** Returns the id of a form, and of what it makes. A copy has the same id: each form has its own token. */
export async function formIdOf(c: PageContext): Promise<string> {
  const form = [c.var.account.id, c.var.csrf, await c.req.text()].join('\n')
  const digest = createHash('sha256').update(form).digest('base64url')
  return `key_${digest.replace(/[-_]/g, '').slice(0, 12)}`
}

/** Makes a secret, which `path` shows. @param done, repeated notices of the first and a second copy */
export async function createFreshKey(
  c: PageContext,
  accounts: Accounts,
  path: string,
  make: (form: string) => Promise<NewKey>,
  done: (key: NewKey) => string | undefined,
  repeated: () => string,
): Promise<Done> {
  const form = await formIdOf(c)
  const to = `${path}?new=${form}`
  try {
    const made = await make(form)
    keep(c, form, { label: made.label, key: made.secret, endpoints: made.rules.endpoints })
    return { notice: done(made), to }
  } catch (error) {
    if (!(error instanceof AccountError && error.code === 'REPEATED')) throw error
    // After a second click, the page shows the secret of the first, which may not be durable yet.
    await accounts.makeDurable()
    return c.var.session.kept()?.freshKeys?.[form] === undefined ? { notice: repeated(), to: path } : { to }
  }
}

function keep(c: PageContext, form: string, key: FreshKey): void {
  const { session } = c.var
  const others = Object.entries(session.kept()?.freshKeys ?? {}).slice(1 - WAITING_MAX)
  session.keep({ freshKeys: { ...Object.fromEntries(others), [form]: key } })
}

/** Returns the fresh key for this page, once: again only if the page does not reach the browser. */
export function takeFreshKey(c: PageContext): FreshKey | undefined {
  const form = c.req.query('new') ?? ''
  const kept = c.var.session.kept()?.freshKeys ?? {}
  // HEAD shows no page.
  if (c.req.method !== 'GET' || !Object.hasOwn(kept, form)) return undefined
  const { [form]: fresh, ...freshKeys } = kept
  c.var.session.keep({ freshKeys })
  keepUnlessSent(c.env.outgoing, () => keep(c, form, fresh))
  return fresh
}

export function keepUnlessSent(response: ServerResponse, keep: () => void): void {
  response.once('close', () => {
    if (!response.writableFinished) keep()
  })
}
