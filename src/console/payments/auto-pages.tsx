import type Stripe from 'stripe'
import type { AccountView } from '../../billing/accounts/views.ts'
import type { Log } from '../../platform/log.ts'
import { addForm, addStep, FieldProblem, FieldsForm, type Values } from '../layout/form.tsx'
import { Banner } from '../layout/page.tsx'
import { Form, Section } from '../layout/parts.tsx'
import { dollarAmount } from '../operator/params.ts'
import { type Dashboard, type PageApp, type PageContext, pageContext } from '../session/page-context.ts'
import { money, utcMonth } from '../words.ts'
import { monthMicrosOf, type Plan } from './auto-payment.ts'
import type { AutoRecharge } from './auto-recharge.ts'
import { createCustomer, ONWARD, paymentField, setupUrl } from './checkout.ts'

const PATH = '/balance/auto'
const PAGE = '/balance'

const MONTH_MAX_MICROS = 100_000_000_000

const FIELDS = {
  threshold: dollarAmount(
    { label: 'Balance below, US$', problem: 'Enter an amount above zero, at most the amount to pay.' },
    { max: MONTH_MAX_MICROS },
  ),
  amount: paymentField('Amount to pay, US$'),
  month: dollarAmount(
    {
      label: 'At most in a month (UTC), US$',
      problem: `Enter at least the amount to pay, at most ${money(MONTH_MAX_MICROS)}.`,
    },
    { max: MONTH_MAX_MICROS },
  ),
}

/** Awaits a page of Stripe for a form. @throws FieldProblem if there is none */
export function orProblem<T>(log: Log, { id }: AccountView, call: Promise<T>): Promise<T> {
  return call.catch(err => {
    log.error({ err, account: id }, 'stripe refused to open a page')
    throw new FieldProblem('The payment provider does not answer. Try again in a minute.')
  })
}

export function addAutoForms(app: PageApp, dashboard: Dashboard, stripe: Stripe, auto: AutoRecharge): void {
  const { audit, log } = dashboard

  addForm(app, `${PATH}/card`, PAGE, {}, async ({ var: { account } }) => {
    const { customer: known, card } = auto.planOf(account.id)
    const customer = known ?? (await orProblem(log, account, createCustomer(stripe, account)))
    await auto.change(account.id, { customer })
    const url = setupUrl(stripe, dashboard, account.id, customer, card?.id)
    return { to: ONWARD, onward: await orProblem(log, account, url) }
  })

  addStep(app, `${PATH}/card/remove`, PAGE, {
    ask: c => {
      const { card } = auto.planOf(c.var.account.id)
      const text = 'This turns automatic recharge off. Stripe forgets the card.'
      return card && { title: `Remove the card ${card.text}?`, text, button: 'Remove the card' }
    },
    run: async c => {
      const { id } = c.var.account
      const { card } = auto.planOf(id)
      await auto.change(id, { card: null, isOn: false, problem: '' })
      if (card !== null) {
        // Even if Stripe keeps the card, no plan uses it.
        await stripe.paymentMethods
          .detach(card.id)
          .catch(error => log.warn({ err: error, account: id }, 'stripe did not remove a card'))
        audit.record({ what: 'recharge', account: id, details: { removed: card.text } })
      }
      return 'The card is removed, and automatic recharge is off.'
    },
  })

  addForm(app, `${PATH}/off`, PAGE, {}, async c => {
    const { id } = c.var.account
    await auto.change(id, { isOn: false, problem: '' })
    audit.record({ what: 'recharge', account: id, details: { turned: 'off' } })
    return 'Automatic recharge is off.'
  })

  const run = async (c: PageContext, { threshold, amount, month }: Values<typeof FIELDS>) => {
    const { id } = c.var.account
    if (auto.planOf(id).card === null) throw new FieldProblem('Save a card first.')
    await auto.turnOn(id, { thresholdMicros: threshold, amountMicros: amount, monthMaxMicros: month })
    const details = { threshold: money(threshold), amount: money(amount), month: money(month) }
    audit.record({ what: 'recharge', account: id, details: { turned: 'on', ...details } })
    return `Automatic recharge is on: below ${details.threshold}, your card pays ${details.amount}, at most ${details.month} a month.`
  }
  // So that one payment lifts the balance to the threshold.
  addForm(app, PATH, PAGE, FIELDS, run, (_, { threshold = 0, amount = Number.NaN, month = amount }) => ({
    ...(threshold > amount && { threshold: `Enter at most the amount to pay, ${money(amount)}.` }),
    ...(month < amount && { month: `Enter at least the amount to pay, ${money(amount)}.` }),
  }))
}

const paidText = (plan: Plan) =>
  `${money(Math.max(0, monthMicrosOf(plan, Date.now()) - (plan.attempt?.micros ?? 0)))} was paid automatically this month.`

export const payingText = ({ attempt }: Plan) =>
  attempt ? `A payment of ${money(attempt.micros)} is being made automatically.` : ''

export function AutoState({ plan }: { plan: Plan }) {
  const { card, isOn, thresholdMicros, amountMicros, monthMaxMicros, problem } = plan
  const terms = `pays ${money(amountMicros)} when the balance is below ${money(thresholdMicros)}, at most ${money(monthMaxMicros)} a month`
  const texts = [`${card?.text}${isOn ? ` ${terms}` : ', off'}.`, paidText(plan), problem, payingText(plan)]
  return <Section title="Automatic recharge" hint={texts.filter(Boolean).join(' ')} />
}

export function AutoSection({ plan }: { plan: Plan }) {
  const now = money(pageContext().var.account.balanceMicros)
  const { card, isOn, thresholdMicros, amountMicros, monthMaxMicros, boundMonth, problem } = plan
  if (card === null)
    return (
      <Section
        title="Automatic recharge"
        id="auto"
        hint="Save a card on a page of Stripe. The card then recharges the balance when it falls below an amount of your choice. Nothing is paid before you turn this on."
      >
        <Form action={`${PATH}/card`} button="Save a card" />
      </Section>
    )
  const isAtMost = isOn && boundMonth === utcMonth(Date.now())
  const failed = problem && `${problem} Use another card, or turn it on to try this card again.`
  const atMost = `The balance fell below ${money(thresholdMicros)} and was not recharged: ${money(amountMicros)} more would exceed the maximum of this month. Raise the maximum, or recharge above.`
  return (
    <Section
      title={`Automatic recharge is ${isOn ? 'on' : 'off'}`}
      id="auto"
      hint={`${card.text}. ${paidText(plan)}${isOn ? '' : ` Turning on pays at once if the balance, now ${now}, is below the first amount.`}`}
    >
      <Banner text={failed || (isAtMost ? atMost : '')} kind="caution" />
      <FieldsForm
        action={PATH}
        fields={FIELDS}
        values={{ threshold: thresholdMicros, amount: amountMicros, month: monthMaxMicros }}
        button={isOn ? 'Save' : 'Turn on'}
        kind={isOn || problem ? undefined : 'primary'}
      />
      <div class="actions">
        {isOn && <Form action={`${PATH}/off`} button="Turn off" />}
        <Form action={`${PATH}/card`} button="Use another card" kind={problem ? 'primary' : ''} />
        <a href={`${PATH}/card/remove`}>Remove the card</a>
      </div>
    </Section>
  )
}
