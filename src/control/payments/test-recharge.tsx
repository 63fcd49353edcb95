/** Recharging with money that does not exist: every step of a payment, on a developer's own machine. */
import { randomUUID } from 'node:crypto'
import { refuseField } from '../layout/field.tsx'
import { formText } from '../layout/forms.ts'
import { Page } from '../layout/page.tsx'
import { Form } from '../layout/parts.tsx'
import { money } from '../layout/words.ts'
import { TEST_PAYMENT_MS_MAX } from '../limits.ts'
import type { Dashboard, PageContext } from '../shell/dashboard.ts'
import { throughDoorOnly } from '../sign-in/development-door.tsx'
import { type Recharge, rechargeMicros } from './recharge.ts'
import { AMOUNT_PROBLEM } from './recharge-section.tsx'

interface TestPayment {
  id: string
  account: string
  micros: number
}

/** For those who may use the development sign-in: a real provider's customers must not credit themselves. */
export function testRecharge(dashboard: Dashboard): Recharge {
  const { accounts, seal } = dashboard
  /** The payment of an address, when it is this account's. */
  const paymentOf = (c: PageContext, sealed: string): TestPayment | undefined => {
    const payment = seal.open('test payment', sealed) as TestPayment | undefined
    return payment?.account === c.var.account.id ? payment : undefined
  }
  return {
    kind: 'test',
    addRoutes(app, page) {
      app.use('/balance/recharge', throughDoorOnly(dashboard))
      app.use('/balance/test-payment/*', throughDoorOnly(dashboard))

      app.post('/balance/recharge', async c => {
        const micros = rechargeMicros(await formText(c, 'usd'))
        if (micros === null) {
          await refuseField(c, 'usd', AMOUNT_PROBLEM)
          return c.html(page(c), 400)
        }
        const payment: TestPayment = { id: randomUUID(), account: c.var.account.id, micros }
        const sealed = seal.seal('test payment', payment, Date.now() + TEST_PAYMENT_MS_MAX)
        return c.redirect(`/balance/test-payment/${sealed}`, 303)
      })

      app.get('/balance/test-payment/:sealed', c => {
        const payment = paymentOf(c, c.req.param('sealed'))
        if (payment === undefined) return c.notFound()
        return c.html(
          <Page
            c={c}
            title="Test payment"
            lead="A real payment provider would show its own page here. No money moves."
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

      app.post('/balance/test-payment/:sealed', async c => {
        const payment = paymentOf(c, c.req.param('sealed'))
        if (payment === undefined) return c.notFound()
        const { id, account, micros } = payment
        // With the same reference a second click changes nothing, as with a real payment.
        await accounts.credit({ account, micros, reference: `test:${id}`, kind: 'test' })
        c.var.session.keep({ notice: `${money(micros)} has been credited.` })
        return c.redirect('/balance', 303)
      })
    },
  }
}
