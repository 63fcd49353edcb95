/** Recharging with money that does not exist: the whole way of a payment, on a developer's own machine. */
import { randomUUID } from 'node:crypto'
import { SIGN_IN_MS_MAX, SIGN_INS_MAX } from '../../limits.ts'
import { formText } from '../layout/forms.ts'
import { Page } from '../layout/page.tsx'
import { Form } from '../layout/parts.tsx'
import { money } from '../layout/words.ts'
import type { Dashboard } from '../shell/dashboard.ts'
import { ExpiringMap } from '../shell/expiring-map.ts'
import { type Recharge, rechargeMicros } from './recharge.ts'
import { AMOUNT_PROBLEM } from './recharge-section.tsx'

interface TestPayment {
  account: string
  micros: number
}

export function testRecharge({ accounts }: Dashboard): Recharge {
  const open = new ExpiringMap<TestPayment>(SIGN_INS_MAX)
  return {
    kind: 'test',
    addRoutes(app, page) {
      app.post('/balance/recharge', async c => {
        const micros = rechargeMicros(await formText(c, 'usd'))
        if (micros === null) return c.html(page(c, AMOUNT_PROBLEM), 400)
        const id = randomUUID()
        open.set(id, { account: c.var.account.id, micros }, SIGN_IN_MS_MAX)
        return c.redirect(`/balance/test-payment/${id}`, 303)
      })

      app.get('/balance/test-payment/:id', c => {
        const payment = open.get(c.req.param('id'))
        if (payment?.account !== c.var.account.id) return c.notFound()
        return c.html(
          <Page
            c={c}
            title="Test payment"
            lead="This stands where the payment provider would be. No money moves."
          >
            <section class="card">
              <p>
                Recharge <strong>{money(payment.micros)}</strong>, credited in full.
              </p>
              <Form c={c} action={c.req.path} class="actions">
                <button type="submit" class="primary">
                  Pay {money(payment.micros)}
                </button>
                <a class="button" href="/balance">
                  Cancel
                </a>
              </Form>
            </section>
          </Page>,
        )
      })

      app.post('/balance/test-payment/:id', async c => {
        const id = c.req.param('id')
        const payment = open.get(id)
        if (payment?.account !== c.var.account.id) return c.notFound()
        // The reference makes a second click harmless, as it does for a real payment.
        await accounts.credit({ ...payment, reference: `test:${id}`, kind: 'test' })
        c.var.session.notice = `${money(payment.micros)} has been credited.`
        return c.redirect('/balance', 303)
      })
    },
  }
}
