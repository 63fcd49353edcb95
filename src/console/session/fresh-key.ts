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

/** Returns the id of a form, and of the key or the payment that it makes. The same form has the same id: its token has a mask of its own. */
export async function formIdOf(c: PageContext): Promise<string> {
  const form = [c.var.account.id, c.var.csrf, await c.req.text()].join('\n')
  const digest = createHash('sha256').update(form).digest('base64url')
  return `key_${digest.replace(/[-_]/g, '').slice(0, 12)}`
}

/** Runs a form that makes a secret, which the page at `path` shows. @param done, repeated return notices for the first and a second copy */
export async function makeFreshKey(
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

/** Returns the fresh key of the form that led to this page. A reload shows it again only if this page does not reach the browser. */
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
