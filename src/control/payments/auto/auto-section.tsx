/** Automatic recharges on the balance page. */
import { Field } from '../../layout/field.tsx'
import { Form, Section } from '../../layout/parts.tsx'
import { money } from '../../layout/words.ts'
import type { PageContext } from '../../shell/dashboard.ts'
import { monthMicrosOf, type Plan } from './plan.ts'

export function AutoSection({ c, plan }: { c: PageContext; plan: Plan }) {
  const { card, isOn } = plan
  if (card === null) {
    return (
      <Section
        title="Automatic recharge"
        id="auto"
        hint="Save a card on a page of Stripe, and the balance is recharged when it falls below an amount of your choice. Nothing is paid before you turn it on."
      >
        <Form c={c} action="/balance/auto/card">
          <button type="submit">Save a card</button>
        </Form>
      </Section>
    )
  }
  return (
    <Section
      title={isOn ? 'Automatic recharge is on' : 'Automatic recharge is off'}
      id="auto"
      hint={`${card.text}. ${money(monthMicrosOf(plan, Date.now()))} were paid automatically this month.`}
    >
      <Amounts c={c} plan={plan} />
      <div class="actions">
        {isOn && (
          <Form c={c} action="/balance/auto/off">
            <button type="submit">Turn off</button>
          </Form>
        )}
        <Form c={c} action="/balance/auto/card">
          <button type="submit">Use another card</button>
        </Form>
        <Form c={c} action="/balance/auto/card/remove">
          <button type="submit" class="link">
            Remove the card
          </button>
        </Form>
      </div>
      {plan.attempt !== null && (
        <p class="hint" role="status">
          A payment of {money(plan.attempt.micros)} is being made.
        </p>
      )}
    </Section>
  )
}

function Amounts({ c, plan }: { c: PageContext; plan: Plan }) {
  const { thresholdMicros, amountMicros, monthMaxMicros, isOn } = plan
  const fields = [
    ['threshold', 'Below, US dollars', thresholdMicros],
    ['amount', 'Pay in', amountMicros],
    ['month', 'At most in a month (UTC)', monthMaxMicros],
  ] as const
  return (
    <Form c={c} action="/balance/auto" class="row">
      {fields.map(([name, label, micros]) => (
        <Field
          {...{ c, action: '/balance/auto', name, label, value: money(micros).slice(1).replaceAll(',', '') }}
          inputmode="decimal"
          required
        />
      ))}
      <button type="submit" class={isOn ? undefined : 'primary'}>
        {isOn ? 'Save' : 'Turn on'}
      </button>
    </Form>
  )
}
