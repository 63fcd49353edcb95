import { amountMicros, isPayment } from '../../billing/accounts/reports/refundable.ts'
import type { StatementRow } from '../../billing/accounts/reports/statement.ts'
import { ExpiringMap } from '../../platform/expiring-map.ts'
import { HOUR_MS } from '../../platform/time.ts'
import { addForm, FieldsForm } from '../layout/form.tsx'
import { Banner, Page } from '../layout/page.tsx'
import { Facts, Section } from '../layout/parts.tsx'
import { THRESHOLD } from '../operator/operator-account-commands.ts'
import { AutoSection } from '../payments/auto-pages.tsx'
import { PAYMENT_RETURN_MS_MAX, payingSinceMs } from '../payments/checkout.ts'
import { type Recharge, RechargeSection } from '../payments/recharge.tsx'
import { figuresOf } from '../reports/figures.ts'
import { spendOf } from '../reports/spend.ts'
import type { Dashboard, PageApp, PageContext } from '../session/page-context.ts'
import { money, utcMinute } from '../words.ts'
import { Ending, figure } from './overview.tsx'

const FIELDS = { usd: THRESHOLD }

/** Time from the start of a payment in which its page is loaded again until the payment is confirmed. */
const CONFIRMING_MS_MAX = HOUR_MS
/** Maximum number of remembered thanks. */
const THANKED_MAX = 10_000

export function addBalancePages(app: PageApp, dashboard: Dashboard, recharge: Recharge): void {
  const { accounts } = dashboard
  /** Returns of payers that were thanked: a browser may open its address again. */
  const thanked = new ExpiringMap<true>(THANKED_MAX)

  app.get('/balance', c => {
    const { account, session } = c.var
    const { paid: back = '' } = c.req.query()
    const sinceMs = payingSinceMs(dashboard, account, back)
    const paid = accounts.statement(account.id).findLast(isPayment)
    if (sinceMs !== null && paid !== undefined && paid.timeMs >= sinceMs) {
      const notice = `Thank you. ${money(amountMicros(paid))} was credited at ${utcMinute(paid.timeMs)} UTC.`
      if (!thanked.get(back)) session.keep({ notice })
      thanked.set(back, true, PAYMENT_RETURN_MS_MAX)
      return c.redirect('/balance', 303)
    }
    const { attempt } = recharge.auto?.planOf(account.id) ?? {}
    const beganMs = Math.max(sinceMs ?? 0, attempt?.startedMs ?? 0)
    if (Date.now() < beganMs + CONFIRMING_MS_MAX) c.header('Refresh', '3')
    c.set('isPaying', sinceMs !== null)
    return c.html(balancePage(c, dashboard, recharge, paid))
  })

  addForm(app, '/balance/threshold', '/balance', FIELDS, async (c, { usd }) => {
    await accounts.setLowBalance(c.var.account.id, usd)
    return usd === null ? 'Low-balance warnings are off.' : `You will be warned below ${money(usd)}.`
  })

  recharge.addRoutes(app)
}

function balancePage(c: PageContext, dashboard: Dashboard, recharge: Recharge, paid?: StatementRow) {
  const { accounts, alerts } = dashboard
  const { account } = c.var
  const { returned } = c.req.query()
  const spend = spendOf(accounts, account, Date.now())
  const figures = figuresOf(dashboard, account, Date.now(), spend)
  return (
    <Page title="Balance">
      <Ending figures={figures} />
      {returned === 'no' && <p class="empty">Nothing was paid or saved.</p>}
      {returned === 'saved' && <Banner kind="notice" text="The card is saved, usually within seconds." />}
      <Facts
        facts={[
          figure(figures, 'Balance', 'balance', 'exactBalance', 'lasts'),
          figure(figures, 'Spent today', 'todaySpent', 'exactTodaySpent'),
          figure(figures, 'Spent this month', 'monthSpent', 'exactMonthSpent', 'forecast'),
        ]}
      />
      <div class="grid">
        <RechargeSection spend={spend} kind={recharge.kind} paid={paid} />
        <Section
          title="Low balance"
          id="threshold"
          hint={
            <>
              Below this amount, every page shows a warning. To get it by {alerts.canEmail && 'email or '}
              webhook, see <a href="/alerts">Alerts</a>.
            </>
          }
        >
          <FieldsForm
            action="/balance/threshold"
            fields={FIELDS}
            values={{ usd: account.lowBalanceMicros }}
            button="Save"
          />
        </Section>
      </div>
      {recharge.auto !== undefined && <AutoSection plan={recharge.auto.planOf(account.id)} />}
    </Page>
  )
}
