/** What an operator's forms do to one account. Each takes effect once, under the operator's name. */
import type { AccountView } from '../../accounts/views.ts'
import { CREDIT_MAX_MICROS } from '../../limits.ts'
import { refuseField } from '../layout/field.tsx'
import { attempt, formText } from '../layout/forms.ts'
import { typedDollars } from '../layout/typed-dollars.ts'
import { money } from '../layout/words.ts'
import type { Dashboard, PageApp, PageContext } from '../shell/dashboard.ts'

const AMOUNT_PROBLEM = 'The amount must be dollars, such as 5.00, above zero and at most 1,000,000.'
const PATH = '/operator/accounts/:id'

/** @param page shows the account again, with the reason at the field that was refused */
export function addAccountForms(
  app: PageApp,
  { accounts }: Dashboard,
  page: (c: PageContext, account: AccountView) => Response | Promise<Response>,
): void {
  /** Runs `change` for the account that the address names. Returns the notice, or the field and its problem. */
  const form = (
    action: string,
    change: (c: PageContext, account: AccountView) => Promise<string | { field: string; problem: string }>,
  ) => {
    app.get(`${PATH}/${action}`, c => c.redirect(`/operator/accounts/${c.req.param('id')}`, 303))
    app.post(`${PATH}/${action}`, async c => {
      const account = accounts.account(c.req.param('id'))
      if (account === undefined) return c.notFound()
      const outcome = await change(c, account)
      if (typeof outcome === 'string') {
        c.var.session.keep({ notice: outcome })
        return c.redirect(`/operator/accounts/${account.id}`, 303)
      }
      await refuseField(c, outcome.field, outcome.problem)
      c.status(400)
      return page(c, account)
    })
  }

  for (const action of ['credit', 'refund'] as const) {
    form(action, async (c, { id }) => {
      const micros = typedDollars(await formText(c, 'usd'))
      if (micros === null || micros === 0 || micros > CREDIT_MAX_MICROS)
        return { field: 'usd', problem: AMOUNT_PROBLEM }
      const entry = {
        account: id,
        micros,
        reference: await formText(c, 'reference'),
        note: await formText(c, 'note'),
      }
      const done = await attempt(
        action === 'credit'
          ? accounts.credit({ ...entry, kind: 'operator' })
          : accounts.adjust({ ...entry, kind: 'refund' }),
      )
      if ('problem' in done) return { field: 'reference', problem: done.problem }
      if (!done.done.applied) return 'Nothing was changed: this reference had been entered before.'
      return `${money(micros)} ${action === 'credit' ? 'credited' : 'taken back'}. The balance is ${money(done.done.balanceMicros)}.`
    })
  }

  for (const [action, command, notice] of [
    ['suspend', accounts.suspend, 'Suspended. Its keys are refused from now on.'],
    ['resume', accounts.resume, 'Resumed. Its keys are answered again.'],
    ['close', accounts.closeAccount, 'Closed. Its keys are refused for good.'],
  ] as const) {
    form(action, async (c, { id, email }) => {
      // Who suspends or closes their own account would lose these pages with it.
      if (id === c.var.account.id) return { field: 'reason', problem: 'This is your own account.' }
      if (action === 'close' && (await formText(c, 'email')) !== email)
        return { field: 'email', problem: `Type ${email} to close this account.` }
      const done = await attempt(command.call(accounts, id, await formText(c, 'reason')))
      return 'problem' in done ? { field: 'reason', problem: done.problem } : notice
    })
  }

  form('keys/:key/revoke', async (c, { id }) => {
    const key = accounts.key(c.req.param('key') ?? '')
    if (key?.account !== id) return 'Nothing was changed: this account has no such key.'
    await accounts.revokeKey(key.id)
    return 'The key is revoked. Requests with it are refused from now on.'
  })
}
