/** One key: rename, cap, rules, roll, revoke. */
import { USAGE_CLASSES } from '../../accounts/types.ts'
import type { KeyView } from '../../accounts/views.ts'
import { LABEL_LENGTH_MAX } from '../../limits.ts'
import { Field } from '../layout/field.tsx'
import { Page } from '../layout/page.tsx'
import { Choice, Dollars, Fact, Form, Section, Time } from '../layout/parts.tsx'
import { count, money } from '../layout/words.ts'
import { total } from '../reports/usage.ts'
import type { PageContext } from '../shell/dashboard.ts'
import { KeyRulesForm } from './key-rules-form.tsx'
import { KeyState } from './key-state.tsx'

export function KeyPage({ c, view }: { c: PageContext; view: KeyView }) {
  const revoked = view.revokedMs !== null
  const queries = USAGE_CLASSES.filter(name => view.queries[name] > 0).map(
    name => `${name} ${count(view.queries[name])}`,
  )
  return (
    <Page c={c} title={view.label || 'Unnamed key'} lead={<code>{view.start}…</code>}>
      <dl class="facts">
        <Fact name="State" hint={revoked ? <Time ms={view.revokedMs} /> : undefined}>
          <KeyState view={view} />
        </Fact>
        <Fact name="Created">
          <Time ms={view.createdMs} />
        </Fact>
        <Fact name="Last used">
          <Time ms={view.lastUsedMs} />
        </Fact>
        <Fact name="Queries" hint={queries.join(', ')}>
          {count(total(view.queries))}
        </Fact>
        <Fact
          name="Spent this month"
          hint={view.capMicros === null ? 'no cap' : `of ${money(view.capMicros)}`}
        >
          <Dollars micros={view.monthSpentMicros} />
        </Fact>
      </dl>
      {!revoked && (
        <>
          <Section title="Name">
            <Form c={c} action={`/keys/${view.id}/rename`} class="row">
              <Field
                {...{ c, action: `/keys/${view.id}/rename`, name: 'label', value: view.label }}
                label="Label"
                maxlength={LABEL_LENGTH_MAX}
              />
              <button type="submit">Rename</button>
            </Form>
          </Section>
          <Section
            title="Monthly cap"
            hint="The most that this key may spend in a calendar month (UTC). Further requests are refused with 402."
          >
            <Form c={c} action={`/keys/${view.id}/cap`} class="row">
              <Field
                {...{ c, action: `/keys/${view.id}/cap`, name: 'usd', value: capText(view) }}
                label="US dollars, empty for no cap"
                inputmode="decimal"
                placeholder="none"
              />
              <button type="submit">Set the cap</button>
            </Form>
          </Section>
          <KeyRulesForm c={c} view={view} />
          <Roll c={c} view={view} />
          <Section
            title="Revoke"
            hint="Every secret of this key is refused from the next request on. This cannot be undone."
          >
            <a class="button danger" href={`/keys/${view.id}/revoke`}>
              Revoke this key
            </a>
          </Section>
        </>
      )}
    </Page>
  )
}

/** The way to another secret, and the end of the one before it. */
function Roll({ c, view: { id, earlier } }: { c: PageContext; view: KeyView }) {
  return (
    <Section
      title="Roll"
      hint="Gives this key a new secret. The present one can go on working while you change your programs: its usage, cap and rules stay the same."
    >
      {earlier !== null && (
        <Form c={c} action={`/keys/${id}/end-overlap`} class="row">
          <p>
            The secret <code>{earlier.start}…</code> before the present one works until{' '}
            <Time ms={earlier.untilMs} />.
          </p>
          <button type="submit">Refuse it now</button>
        </Form>
      )}
      <a class="button" href={`/keys/${id}/roll`}>
        Roll this key
      </a>
    </Section>
  )
}

function capText({ capMicros }: KeyView): string {
  return capMicros === null ? '' : money(capMicros).slice(1).replaceAll(',', '')
}

/** A page of its own: it works without scripts, and nobody revokes a key with one wrong click. */
export function RevokePage({ c, view }: { c: PageContext; view: KeyView }) {
  return (
    <Page c={c} title={`Revoke ${view.label || 'this key'}?`} lead={<code>{view.start}…</code>}>
      <section class="card">
        <p>
          Requests with this key are refused with <code>401 Invalid API key</code> from now on. This cannot be
          undone.
        </p>
        <p class="muted">
          Last used: <Time ms={view.lastUsedMs} />
        </p>
        <Form c={c} action={`/keys/${view.id}/revoke`} class="actions">
          <button type="submit" class="danger">
            Revoke the key
          </button>
          <a class="button" href={`/keys/${view.id}`}>
            Keep it
          </a>
        </Form>
      </section>
    </Page>
  )
}

/** How long the present secret may go on working, by hours. */
export const OVERLAPS = {
  0: 'Not at all: it is refused at once',
  1: '1 hour',
  24: '1 day',
  168: '7 days',
  720: '30 days',
} as const

/** A page of its own, as that of a revocation. */
export function RollPage({ c, view }: { c: PageContext; view: KeyView }) {
  return (
    <Page c={c} title={`Roll ${view.label || 'this key'}?`} lead={<code>{view.start}…</code>}>
      <section class="card">
        <p>
          The key gets a new secret, which is shown once. Two secrets at most work at a time
          {view.earlier !== null && (
            <>
              , so <code>{view.earlier.start}…</code> is refused from then on
            </>
          )}
          .
        </p>
        <Form c={c} action={`/keys/${view.id}/roll`} class="row">
          <Choice name="overlap" label="The present secret works for" options={OVERLAPS} value="24" />
          <button type="submit" class="primary">
            Roll the key
          </button>
          <a class="button" href={`/keys/${view.id}`}>
            Keep it
          </a>
        </Form>
      </section>
    </Page>
  )
}
