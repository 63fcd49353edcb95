/** Balance, recharge, low-balance warning, statement. */

import { CREDIT_MAX_MICROS } from '../../limits.ts'
import { Field, refuseField } from '../layout/field.tsx'
import { attempt, formText } from '../layout/forms.ts'
import { Page } from '../layout/page.tsx'
import { Fact, Form, Section } from '../layout/parts.tsx'
import { typedDollars } from '../layout/typed-dollars.ts'
import { money } from '../layout/words.ts'
import { stated } from '../operator/operations/account.ts'
import { AutoSection } from '../payments/auto/auto-section.tsx'
import { isOwnPayment } from '../payments/checkout.ts'
import type { Recharge } from '../payments/recharge.ts'
import { RechargeSection } from '../payments/recharge-section.tsx'
import { figuresOf } from '../reports/figures.ts'
import { statementCsv } from '../reports/statement-csv.ts'
import type { Dashboard, PageApp, PageContext } from '../shell/dashboard.ts'
import { StatementTable } from './statement.tsx'

const THRESHOLD_PROBLEM = 'The threshold must be an amount in dollars, such as 5.00, or empty for no warning.'

export function addBalancePages(app: PageApp, dashboard: Dashboard, recharge: Recharge): void {
  const { accounts } = dashboard
  const page = (c: PageContext, problem?: string) => (
    <BalancePage c={c} dashboard={dashboard} recharge={recharge} problem={problem} />
  )

  app.get('/balance', c => {
    if (isOwnPayment(dashboard, c.var.account, c.req.query('paid'))) {
      c.var.session.keep({
        notice: 'Thank you. The payment appears here as soon as it is confirmed, usually within seconds.',
      })
    }
    return c.html(page(c))
  })

  app.get('/statement.csv', c => {
    const { id } = c.var.account
    const name = `postrie-statement-${new Date().toISOString().slice(0, 10)}.csv`
    return c.body(statementCsv(accounts.statement(id).map(stated)), 200, {
      'Content-Type': 'text/csv; charset=utf-8',
      'Content-Disposition': `attachment; filename="${name}"`,
    })
  })

  app.post('/balance/threshold', async c => {
    const text = await formText(c, 'usd')
    const micros = text === '' ? null : typedDollars(text)
    if (text !== '' && (micros === null || micros > CREDIT_MAX_MICROS)) {
      await refuseField(c, 'usd', THRESHOLD_PROBLEM)
      return c.html(page(c), 400)
    }
    const set = await attempt(accounts.setLowBalance(c.var.account.id, micros))
    if ('problem' in set) {
      await refuseField(c, 'usd', set.problem)
      return c.html(page(c), 400)
    }
    c.var.session.keep({
      notice:
        micros === null ? 'Low-balance warnings are off.' : `You will be warned below ${money(micros)}.`,
    })
    return c.redirect('/balance', 303)
  })

  for (const action of ['/balance/threshold', '/balance/recharge'])
    app.get(action, c => c.redirect('/balance', 303))
  recharge.addRoutes(app, page)
}

interface BalanceProps {
  c: PageContext
  dashboard: Dashboard
  recharge: Recharge
  problem?: string
}

function BalancePage({ c, dashboard, recharge, problem }: BalanceProps) {
  const { accounts } = dashboard
  const { account } = c.var
  const figures = figuresOf(accounts, account.id, Date.now())
  const threshold =
    account.lowBalanceMicros === null ? '' : money(account.lowBalanceMicros).slice(1).replaceAll(',', '')
  return (
    <Page c={c} title="Balance" problem={problem} scripts={['live.js']}>
      <dl class="facts">
        <Fact
          name="Balance"
          live="balance"
          exact={['balanceExact', figures.balanceExact]}
          hint={<span data-live="freeLeft">{figures.freeLeft}</span>}
        >
          {figures.balance}
        </Fact>
        <Fact name="Spent today" live="todaySpent" exact={['todaySpentExact', figures.todaySpentExact]}>
          {figures.todaySpent}
        </Fact>
        <Fact name="Spent this month" live="monthSpent" exact={['monthSpentExact', figures.monthSpentExact]}>
          {figures.monthSpent}
        </Fact>
        {account.debtMicros > 0 && (
          <Fact name="Owed" hint="from refunds or disputes; the next payment covers it first">
            {money(account.debtMicros)}
          </Fact>
        )}
      </dl>
      <RechargeSection c={c} kind={recharge.kind} />
      {recharge.auto !== undefined && <AutoSection c={c} plan={recharge.auto.planOf(account.id)} />}
      <Section
        title="Low balance"
        id="threshold"
        hint={
          <>
            Below this amount every page shows a warning. <a href="/alerts">Alerts</a> bring it to you by
            email or webhook.
          </>
        }
      >
        <Form c={c} action="/balance/threshold" class="row">
          <Field
            {...{ c, action: '/balance/threshold', name: 'usd', value: threshold }}
            label="US dollars, empty for no warning"
            inputmode="decimal"
            placeholder="none"
          />
          <button type="submit">Save</button>
        </Form>
      </Section>
      <StatementTable rows={accounts.statement(account.id)} keys={accounts.listKeys(account.id)} />
    </Page>
  )
}
