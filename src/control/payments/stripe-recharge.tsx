/** Recharging through Stripe Checkout. */
import type Stripe from 'stripe'
import { refuseField } from '../layout/field.tsx'
import { formText } from '../layout/forms.ts'
import type { Dashboard } from '../shell/dashboard.ts'
import { addAutoForms } from './auto/auto-forms.tsx'
import type { AutoRecharge } from './auto/auto-recharge.ts'
import { openCheckout } from './checkout.ts'
import { Onward } from './onward.tsx'
import { receiptUrl } from './receipt-url.ts'
import { type Recharge, rechargeMicros } from './recharge.ts'
import { AMOUNT_PROBLEM } from './recharge-section.tsx'

export function stripeRecharge(dashboard: Dashboard, stripe: Stripe, auto: AutoRecharge): Recharge {
  const { origin, log, seal, config } = dashboard
  const withTax = config.dashboard.stripe?.tax === true
  return {
    kind: 'stripe',
    auto,
    receiptUrl: credit => receiptUrl(stripe, credit),
    addRoutes(app, page) {
      addAutoForms(app, dashboard, { stripe, auto, page })

      app.post('/balance/recharge', async c => {
        const micros = rechargeMicros(await formText(c, 'usd'))
        if (micros === null) {
          await refuseField(c, 'usd', AMOUNT_PROBLEM)
          return c.html(page(c), 400)
        }
        const url = await openCheckout(stripe, { origin, seal }, c.var.account, micros, {
          customer: auto.planOf(c.var.account.id).customer,
          withTax,
        }).catch(error => {
          log.error({ err: error, account: c.var.account.id }, 'stripe refused a checkout')
          return null
        })
        if (url === null)
          return c.html(page(c, 'The payment provider does not answer. Please try again in a minute.'), 502)
        return c.html(<Onward url={url} />)
      })
    },
  }
}
