/** Ways to recharge an account: Stripe, test payments, or the operator's command. */
import type Stripe from 'stripe'
import type { StatementRow } from '../../billing/accounts/reports/statement.ts'
import { HOUR_MS } from '../../platform/time.ts'
import { Gate } from '../layout/document.tsx'
import { addForm, FieldsForm } from '../layout/form.tsx'
import { Code, Section } from '../layout/parts.tsx'
import { amountMicros } from '../reports/refundable.ts'
import type { Spend } from '../reports/spend.ts'
import { NotAllowed } from '../session/access.ts'
import { formIdOf } from '../session/fresh-key.ts'
import { type Dashboard, type PageApp, pageContext } from '../session/page-context.ts'
import { agoText, money, plural, QUERIES_PER_DOLLAR, typedDollars } from '../words.ts'
import { addAutoForms, orProblem } from './auto-pages.tsx'
import type { AutoRecharge } from './auto-recharge.ts'
import {
  checkoutUrl,
  ONWARD,
  PAYMENT_RANGE,
  paymentField,
  RECHARGE_MAX_MICROS,
  RECHARGE_MIN_MICROS,
  receiptUrl,
} from './checkout.ts'

const PATH = '/balance/recharge'

export interface Recharge {
  readonly kind: 'stripe' | 'test' | 'operator'
  readonly auto?: AutoRecharge
  /** Returns the address of the provider's receipt; null if there is none. @throws the provider's error */
  receiptUrl?(payment: StatementRow): Promise<string | null>
  /** Returns a sentence for operators about messages that could not be applied; `''` for none. */
  concern?(): string
  addRoutes(app: PageApp): void
}

export const BY_OPERATOR: Recharge = { kind: 'operator', addRoutes: () => {} }

const FIELDS = { usd: paymentField('US dollars') }

/** Amount that a first payment proposes. */
const RECHARGE_USUAL_MICROS = 20_000_000

/** Spans in days for which a page offers an amount. */
const SPANS = [7, 30, 90]

interface RechargeProps {
  kind: Recharge['kind']
  spend: Spend
  paid?: StatementRow | undefined
}

export function RechargeSection({ kind, spend, paid }: RechargeProps) {
  const { usualMicros: perDay, perDayMicros, pace } = spend
  const c = pageContext()
  const { id, debtMicros, balanceMicros } = c.var.account
  if (kind === 'operator')
    return (
      <Section
        title="Recharge"
        id="recharge"
        hint="Online payment is not set up. The operator can credit your account with this command:"
      >
        <Code text={`postrie account credit ${id} 5.00 --reference <receipt>`} />
      </Section>
    )
  const credited =
    debtMicros > 0
      ? `The first ${money(debtMicros)} pays your debt, the rest is credited: ${PAYMENT_RANGE}.`
      : `Credited in full, ${PAYMENT_RANGE}. $1 buys ${QUERIES_PER_DOLLAR} queries.`
  const how =
    kind === 'stripe'
      ? 'You pay on a page of Stripe. This service never sees your card number.'
      : 'This is a test payment, because no payment provider is configured. No money moves.'
  /** Returns an amount in whole dollars that can be paid, after the debt. */
  const payable = (micros: number) => {
    const whole = (micros: number) => Math.ceil(micros / 1_000_000) * 1_000_000
    return Math.min(RECHARGE_MAX_MICROS, whole(debtMicros) + Math.max(RECHARGE_MIN_MICROS, whole(micros)))
  }
  const microsFor = (days: number) => payable(perDay * days - balanceMicros)
  // A smallest payment may last longer than a span.
  const amounts = new Set(SPANS.filter(days => perDay * days > balanceMicros).map(microsFor))
  const daysOf = (micros: number) => Math.floor((balanceMicros + micros - debtMicros) / perDay)
  // Nothing is proposed for an hour: a second click must not pay twice.
  const justPaid =
    paid && paid.timeMs > Date.now() - HOUR_MS && `${money(amountMicros(paid))} ${agoText(paid.timeMs)}`
  // Not an amount by the pace, which may be that of a leaked key.
  const usualMicros = paid
    ? Math.min(RECHARGE_MAX_MICROS, amountMicros(paid))
    : payable(RECHARGE_USUAL_MICROS)
  const chosen = typedDollars(c.req.query('usd') ?? '')
  return (
    <Section title="Recharge" id="recharge" hint={[credited, ' ', how, justPaid && ` You paid ${justPaid}.`]}>
      <FieldsForm
        action={PATH}
        fields={FIELDS}
        values={{ usd: chosen ?? (justPaid ? undefined : usualMicros) }}
        button="Recharge"
        kind="primary"
      >
        {amounts.size > 0 && (
          <p class="actions hint">
            With {money(balanceMicros)}, at the pace {perDay < perDayMicros ? 'of a usual day' : pace}:
            {[...amounts].map(micros => (
              <a class="button" href={`/balance?usd=${micros / 1_000_000}#recharge`}>
                {money(micros)} for {plural(daysOf(micros), 'day')}
              </a>
            ))}
          </p>
        )}
      </FieldsForm>
    </Section>
  )
}

export function stripeRecharge(dashboard: Dashboard, stripe: Stripe, auto: AutoRecharge): Recharge {
  const { log, config } = dashboard
  const withTax = config.dashboard.stripe?.tax === true
  return {
    kind: 'stripe',
    auto,
    receiptUrl: payment => receiptUrl(stripe, payment),
    addRoutes(app) {
      addAutoForms(app, dashboard, stripe, auto)

      addForm(app, PATH, '/balance', FIELDS, async ({ var: { account } }, { usd }) => {
        const { customer } = auto.planOf(account.id)
        const url = checkoutUrl(stripe, dashboard, account, usd, { customer, withTax })
        return { to: ONWARD, onward: await orProblem(log, account, url) }
      })

      // Not a redirect: after a form, the policy's `form-action` would need Stripe's host.
      app.get(ONWARD, c => {
        const url = c.var.session.kept()?.onward
        if (url === undefined) return c.redirect('/balance', 303)
        return c.html(
          <Gate title="Stripe">
            <meta http-equiv="refresh" content={`0;url=${url}`} />
            <h1>Continue to Stripe</h1>
            <p>
              <a href={url}>Open the page if it does not open by itself</a>
            </p>
          </Gate>,
        )
      })
    },
  }
}

/** Test payments need a sign-in with a token: customers with older sessions must not credit themselves. */
export function testRecharge({ accounts }: Dashboard): Recharge {
  return {
    kind: 'test',
    addRoutes(app) {
      app.use(PATH, (c, next) => {
        if (c.var.session.byToken) return next()
        throw new NotAllowed('Test payments', 'A test payment needs a sign-in with a token.')
      })

      addForm(app, PATH, '/balance', FIELDS, async (c, { usd: micros }) => {
        const { id: account, debtMicros: owedMicros } = c.var.account
        // A second click has the same reference, so it changes nothing.
        const entry = { account, micros, reference: `test:${await formIdOf(c)}`, kind: 'test' } as const
        const { debtMicros } = await accounts.credit(entry)
        if (owedMicros === 0) return `${money(micros)} has been credited.`
        return debtMicros > 0
          ? `${money(micros)} has paid a part of your debt. You still owe ${money(debtMicros)}.`
          : `${money(owedMicros)} has paid off your debt, and ${money(micros - owedMicros)} has been credited.`
      })
    },
  }
}
