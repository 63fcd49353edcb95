/** Recharging through Stripe Checkout. */
import type Stripe from 'stripe'
import { refuseField } from '../layout/field.tsx'
import { formText } from '../layout/forms.ts'
import { Gate } from '../layout/gate.tsx'
import type { Dashboard } from '../shell/dashboard.ts'
import { openCheckout } from './checkout.ts'
import { type Recharge, rechargeMicros } from './recharge.ts'
import { AMOUNT_PROBLEM } from './recharge-section.tsx'

export function stripeRecharge({ origin, log, seal }: Dashboard, stripe: Stripe): Recharge {
  return {
    kind: 'stripe',
    addRoutes(app, page) {
      app.post('/balance/recharge', async c => {
        const micros = rechargeMicros(await formText(c, 'usd'))
        if (micros === null) {
          await refuseField(c, 'usd', AMOUNT_PROBLEM)
          return c.html(page(c), 400)
        }
        const url = await openCheckout(stripe, { origin, seal }, c.var.account, micros).catch(error => {
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

/** A page that continues by itself. A redirect after a form would need Stripe's host in `form-action` of the policy. */
function Onward({ url }: { url: string }) {
  return (
    <Gate title="Payment">
      <meta http-equiv="refresh" content={`0;url=${url}`} />
      <h1>Continue to payment</h1>
      <p>
        <a href={url}>Continue if the page does not open by itself</a>
      </p>
    </Gate>
  )
}
