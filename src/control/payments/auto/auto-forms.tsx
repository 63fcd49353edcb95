/** The forms of automatic recharges: save a card, choose amounts, turn off, remove the card. */
import type Stripe from 'stripe'
import { RECHARGE_MIN_MICROS } from '../../../limits.ts'
import { refuseField } from '../../layout/field.tsx'
import { formText } from '../../layout/forms.ts'
import { typedDollars } from '../../layout/typed-dollars.ts'
import { money } from '../../layout/words.ts'
import { RECHARGE_MAX_MICROS, RECHARGE_MONTH_MAX_MICROS } from '../../limits.ts'
import type { Dashboard, PageApp } from '../../shell/dashboard.ts'
import { createCustomer, openSetup } from '../checkout.ts'
import { Onward } from '../onward.tsx'
import type { RechargePage } from '../recharge.ts'
import { MICROS_PER_CENT } from '../stripe-client.ts'
import type { AutoRecharge } from './auto-recharge.ts'

const PATH = '/balance/auto'

interface AutoFormParts {
  stripe: Stripe
  auto: AutoRecharge
  page: RechargePage
}

export function addAutoForms(
  app: PageApp,
  dashboard: Dashboard,
  { stripe, auto, page }: AutoFormParts,
): void {
  const { audit, log } = dashboard

  for (const action of ['', '/off', '/card', '/card/remove'])
    app.get(PATH + action, c => c.redirect('/balance#auto', 303))

  app.post(`${PATH}/card`, async c => {
    const { account } = c.var
    try {
      const customer = auto.planOf(account.id).customer ?? (await createCustomer(stripe, account))
      await auto.change(account.id, { customer })
      return c.html(<Onward url={await openSetup(stripe, dashboard, account, customer)} />)
    } catch (error) {
      log.error({ err: error, account: account.id }, 'stripe refused to save a card')
      return c.html(page(c, 'The payment provider does not answer. Please try again in a minute.'), 502)
    }
  })

  app.post(`${PATH}/card/remove`, async c => {
    const { id } = c.var.account
    const { card } = auto.planOf(id)
    await auto.change(id, { card: null, isOn: false, problem: '' })
    if (card !== null) {
      // Without a plan that names it, the card is not used any more, whether or not Stripe hears of it.
      await stripe.paymentMethods
        .detach(card.id)
        .catch(error => log.warn({ err: error, account: id }, 'stripe has not forgotten a card'))
      audit.record({ what: 'recharge', account: id, details: { removed: card.text } })
    }
    c.var.session.keep({ notice: 'The card is removed, and automatic recharge is off.' })
    return c.redirect('/balance', 303)
  })

  app.post(`${PATH}/off`, async c => {
    const { id } = c.var.account
    await auto.change(id, { isOn: false, problem: '' })
    audit.record({ what: 'recharge', account: id, details: { turned: 'off' } })
    c.var.session.keep({ notice: 'Automatic recharge is off.' })
    return c.redirect('/balance', 303)
  })

  app.post(PATH, async c => {
    const { id } = c.var.account
    if (auto.planOf(id).card === null) return c.html(page(c, 'Save a card first.'), 400)
    const amounts = {
      thresholdMicros: typedDollars(await formText(c, 'threshold')),
      amountMicros: typedDollars(await formText(c, 'amount')),
      monthMaxMicros: typedDollars(await formText(c, 'month')),
    }
    const wrong = problemOf(amounts)
    if (wrong !== null) {
      await refuseField(c, ...wrong)
      return c.html(page(c), 400)
    }
    const { thresholdMicros, amountMicros, monthMaxMicros } = amounts as Record<keyof Amounts, number>
    await auto.turnOn(id, { thresholdMicros, amountMicros, monthMaxMicros })
    audit.record({
      what: 'recharge',
      account: id,
      details: {
        turned: 'on',
        threshold: money(thresholdMicros),
        amount: money(amountMicros),
        month: money(monthMaxMicros),
      },
    })
    c.var.session.keep({
      notice: `Below ${money(thresholdMicros)}, ${money(amountMicros)} are paid with your card, at most ${money(monthMaxMicros)} a month.`,
    })
    return c.redirect('/balance', 303)
  })
}

interface Amounts {
  thresholdMicros: number | null
  amountMicros: number | null
  monthMaxMicros: number | null
}

/** The field that is wrong, with the reason, or null. */
function problemOf({ thresholdMicros, amountMicros, monthMaxMicros }: Amounts): [string, string] | null {
  const range = `from ${money(RECHARGE_MIN_MICROS)} to ${money(RECHARGE_MAX_MICROS)}`
  if (amountMicros === null || !isRecharge(amountMicros))
    return ['amount', `The amount must be dollars and cents, ${range}.`]
  // Then a payment always lifts the balance above the threshold, so one fall below it is one payment.
  if (thresholdMicros === null || thresholdMicros === 0 || thresholdMicros > amountMicros)
    return [
      'threshold',
      `The threshold must be dollars, above zero and at most the amount of ${money(amountMicros)}.`,
    ]
  if (monthMaxMicros === null || monthMaxMicros < amountMicros || monthMaxMicros > RECHARGE_MONTH_MAX_MICROS)
    return [
      'month',
      `The bound must be at least the amount, and at most ${money(RECHARGE_MONTH_MAX_MICROS)}.`,
    ]
  return null
}

function isRecharge(micros: number): boolean {
  return micros % MICROS_PER_CENT === 0 && micros >= RECHARGE_MIN_MICROS && micros <= RECHARGE_MAX_MICROS
}
