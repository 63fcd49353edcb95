/** The form that adds money, or what to do where there is none. */
import { RECHARGE_MIN_MICROS } from '../../limits.ts'
import { Field } from '../layout/field.tsx'
import { Form, Section } from '../layout/parts.tsx'
import { money } from '../layout/words.ts'
import { RECHARGE_MAX_MICROS } from '../limits.ts'
import type { PageContext } from '../shell/dashboard.ts'
import type { RechargeKind } from './recharge.ts'

const RANGE = `from ${money(RECHARGE_MIN_MICROS)} to ${money(RECHARGE_MAX_MICROS)}`

export const AMOUNT_PROBLEM = `The amount must be dollars and cents, ${RANGE}.`

const HINTS: Record<Exclude<RechargeKind, 'operator'>, string> = {
  stripe: `Credited in full, ${RANGE}. You pay on a page of Stripe; this service never sees your card number.`,
  test: `A test payment, ${RANGE}. No payment provider is configured on this machine, so no money moves.`,
}

export function RechargeSection({ c, kind }: { c: PageContext; kind: RechargeKind }) {
  if (kind === 'operator') {
    return (
      <Section
        title="Recharge"
        id="recharge"
        hint="Online payment is not set up. The operator can credit your account with this command:"
      >
        <pre>
          <code>{`postrie account credit ${c.var.account.id} 5.00 --reference <receipt>`}</code>
        </pre>
      </Section>
    )
  }
  return (
    <Section title="Recharge" id="recharge" hint={HINTS[kind]}>
      <Form c={c} action="/balance/recharge" class="row">
        <Field
          {...{ c, action: '/balance/recharge', name: 'usd', value: '5.00' }}
          label="US dollars"
          inputmode="decimal"
          required
        />
        <button type="submit" class="primary">
          Recharge
        </button>
      </Form>
    </Section>
  )
}
