/** Recharging through Stripe Checkout. */
import type Stripe from 'stripe'
import { formText } from '../layout/forms.ts'
import { Gate } from '../layout/gate.tsx'
import type { Dashboard } from '../shell/dashboard.ts'
import { openCheckout } from './checkout.ts'
import { type Recharge, rechargeMicros } from './recharge.ts'
import { AMOUNT_PROBLEM } from './recharge-section.tsx'

export function stripeRecharge({ origin, log }: Dashboard, stripe: Stripe): Recharge {
  return {
    kind: 'stripe',
    addRoutes(app, page) {
      app.post('/balance/recharge', async c => {
        const micros = rechargeMicros(await formText(c, 'usd'))
        if (micros === null) return c.html(page(c, AMOUNT_PROBLEM), 400)
        const url = await openCheckout(stripe, origin, c.var.account, micros).catch(error => {
          log.error({ err: error, account: c.var.account.id }, 'stripe refused a checkout')
          return null
        })
        if (url === null)
          return c.html(page(c, 'The payment provider does not answer. Try again in a minute.'), 502)
        return c.html(<Onward url={url} />)
      })
    },
  }
}

/** A page that goes on by itself: a redirect after a form would need the payment page's host in the form policy. */
function Onward({ url }: { url: string }) {
  return (
    <Gate title="To the payment">
      <meta http-equiv="refresh" content={`0;url=${url}`} />
      <h1>On to the payment</h1>
      <p>
        <a href={url}>Continue, if the page does not open by itself</a>
      </p>
    </Gate>
  )
}
