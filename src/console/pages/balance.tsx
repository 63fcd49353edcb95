import type { Child } from 'hono/jsx'
import type { StatementRow } from '../../billing/accounts/reports/statement.ts'
import { HOUR_MS, MINUTE_MS } from '../../platform/time.ts'
import { addForm, FieldsForm } from '../layout/form.tsx'
import { Banner, Page, supportLink } from '../layout/page.tsx'
import { Facts, Section } from '../layout/parts.tsx'
import { THRESHOLD } from '../operator/operator-account-commands.ts'
import { AutoSection, payingText } from '../payments/auto-pages.tsx'
import { AUTOMATIC } from '../payments/auto-recharge.ts'
import { payingSinceMs } from '../payments/checkout.ts'
import { type Recharge, RechargeSection } from '../payments/recharge.tsx'
import { figuresOf } from '../reports/figures.ts'
import { amountMicros, isPayment } from '../reports/refundable.ts'
import { LOW_DAYS, spendOf } from '../reports/spend.ts'
import type { Dashboard, PageApp, PageContext } from '../session/page-context.ts'
import { headline, money, utcMinute } from '../words.ts'
import { figure } from './overview.tsx'

const FIELDS = { usd: THRESHOLD }
const SAVING = 'The card is being saved, usually within seconds.'

/** Time from opening Stripe's page until nearly every payment is confirmed. */
const CONFIRMING_MS = 10 * MINUTE_MS

/** Time in which the page is loaded again until a payment is confirmed, and then says so. */
const NEWS_MS_MAX = HOUR_MS

export function addBalancePages(app: PageApp, dashboard: Dashboard, recharge: Recharge): void {
  const { accounts } = dashboard
  app.get('/balance', c => {
    const { account } = c.var
    const sinceMs = payingSinceMs(dashboard, account, c.req.query('paid'))
    const paid = accounts.statement(account.id).findLast(isPayment)
    if (sinceMs !== null && paid !== undefined && paid.timeMs >= sinceMs) {
      c.var.session.keep({ notice: paidText(paid) })
      return c.redirect('/balance', 303)
    }
    const { attempt, card } = recharge.auto?.planOf(account.id) ?? {}
    const { instead, since } = c.req.query()
    const isSaving = instead === (card?.id ?? 'none')
    const beganMs = Math.max(sinceMs ?? 0, attempt?.startedMs ?? 0, isSaving ? Number(since) : 0)
    if (Date.now() < beganMs + NEWS_MS_MAX) c.header('Refresh', '3')
    c.set('isPaying', sinceMs !== null)
    return c.html(balancePage(c, dashboard, recharge, paid, sinceMs))
  })

  addForm(app, '/balance/threshold', '/balance', FIELDS, async (c, { usd }) => {
    await accounts.setLowBalance(c.var.account.id, usd)
    return usd === null ? 'Low-balance warnings are off.' : `You will be warned below ${money(usd)}.`
  })

  recharge.addRoutes(app)
}

function balancePage(
  c: PageContext,
  dashboard: Dashboard,
  recharge: Recharge,
  paid: StatementRow | undefined,
  payingMs: number | null,
) {
  const { accounts, alerts } = dashboard
  const { account } = c.var
  const { returned, instead } = c.req.query()
  const spend = spendOf(accounts, account, Date.now())
  const figures = figuresOf(dashboard, account, Date.now(), spend)
  const plan = recharge.auto?.planOf(account.id)
  const isSaving = instead === (plan?.card?.id ?? 'none')
  const saved = plan?.card ? `${plan.card.text} is saved.` : ''
  const news = (plan && payingText(plan)) || (paid?.note === AUTOMATIC ? paidText(paid) : '')
  return (
    <Page title="Balance">
      {payingMs !== null && <Paying sinceMs={payingMs} support={supportLink(c.get('support'))} />}
      <Banner kind="notice" text={news} />
      {returned === 'no' && <p class="empty">Nothing was paid or saved.</p>}
      {instead && <Banner kind="notice" text={isSaving ? SAVING : saved} />}
      <Facts
        facts={[
          [
            ...figure(figures, 'Balance', 'balance', 'exactBalance', 'lasts'),
            plan?.isOn && <a href="#auto">recharged below {money(plan.thresholdMicros)}</a>,
          ],
          figure(figures, 'Spent today', 'todaySpent'),
          figure(figures, 'Spent this month', 'monthSpent', 'forecast'),
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
              {spend.usualMicros > 0 &&
                ` ${headline(LOW_DAYS * spend.usualMicros)} warns about ${LOW_DAYS} days ahead.`}
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
      {plan && !isSaving && <AutoSection plan={plan} />}
    </Page>
  )
}

function Paying({ sinceMs, support }: { sinceMs: number; support: Child }) {
  if (Date.now() < sinceMs + CONFIRMING_MS)
    return <Banner kind="notice" text="The payment is being confirmed, usually within seconds." />
  const text = `The payment that began at ${utcMinute(sinceMs)} UTC is not confirmed yet. It is credited as soon as it is.`
  return (
    <Banner kind="caution" text={text}>
      {support && ['If your bank shows it, ask the operator: ', support, '.']}
    </Banner>
  )
}

/** Confirms a payment; `''` for a test payment, whose form does, and after a while. */
function paidText(paid: StatementRow): string {
  if (paid.kind === 'test' || paid.timeMs < Date.now() - NEWS_MS_MAX) return ''
  const by = paid.note === AUTOMATIC ? 'Automatic recharge:' : 'Thank you.'
  return `${by} ${money(amountMicros(paid))} was credited at ${utcMinute(paid.timeMs)} UTC.`
}
