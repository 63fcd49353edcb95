/** Alerts: what an account wants to hear of, by email and by webhook. */

import type { Alerts } from '../alerts/alerts.ts'
import { type Choice, newWebhookSecret, type WebhookChoice, webhookProblem } from '../alerts/choice.ts'
import { ALERT_KINDS, type AlertKind, type Channel, isOfMoney } from '../alerts/kinds.ts'
import type { Outcome } from '../alerts/outcomes.ts'
import { Field, refuseField } from '../layout/field.tsx'
import { formText } from '../layout/forms.ts'
import { Page } from '../layout/page.tsx'
import { Copyable, Form, Section, Table, Time } from '../layout/parts.tsx'
import { money } from '../layout/words.ts'
import { WEBHOOK_URL_LENGTH_MAX } from '../limits.ts'
import type { PageApp, PageContext } from '../shell/dashboard.ts'
import { readForm } from '../shell/read-form.ts'

const KINDS = Object.keys(ALERT_KINDS) as AlertKind[]

/** What the reader may choose: billing members what is about money. */
function kindsOf(c: PageContext): AlertKind[] {
  return c.var.role === 'owner' ? KINDS : KINDS.filter(isOfMoney)
}

const CHANNELS: Record<Channel, string> = { email: 'Email', webhook: 'Webhook' }

export function addAlertPages(app: PageApp, alerts: Alerts): void {
  const page = (c: PageContext) => <AlertPage c={c} alerts={alerts} />

  app.get('/alerts', c => c.html(page(c)))

  app.post('/alerts', async c => {
    const { account } = c.var
    const form = await readForm(c)
    const before = alerts.choiceOf(account.id)
    const mine = kindsOf(c)
    /** What was ticked, and what others have chosen among the kinds that are not for the sender. */
    const chosen = (channel: Channel) =>
      KINDS.filter(kind =>
        mine.includes(kind) ? form.get(`${channel}:${kind}`) !== null : isOn(before, channel, kind),
      )
    // Where messages go is for owners alone: they name the account.
    const url = c.var.role === 'owner' ? await formText(c, 'url') : (before.webhook?.url ?? '')
    const kinds = chosen('webhook')
    const problem =
      url !== ''
        ? webhookProblem(url, alerts.allowPrivate)
        : kinds.length > 0
          ? 'Enter the address that alerts are to be sent to, or choose none for the webhook.'
          : null
    if (problem !== null) {
      await refuseField(c, 'url', problem)
      return c.html(page(c), 400)
    }
    const webhook = url === '' ? null : { url, secret: before.webhook?.secret ?? newWebhookSecret(), kinds }
    const email = alerts.emailProblem(account) === null ? chosen('email') : before.email
    await alerts.choose(account.id, { email, webhook })
    c.var.session.keep({ notice: 'Your alerts are saved.' })
    return c.redirect('/alerts', 303)
  })

  app.post('/alerts/secret', async c => {
    const { id } = c.var.account
    const { email, webhook } = alerts.choiceOf(id)
    if (webhook !== null) {
      await alerts.choose(id, { email, webhook: { ...webhook, secret: newWebhookSecret() } })
      c.var.session.keep({ notice: 'Messages are signed with the new secret from now on.' })
    }
    return c.redirect('/alerts', 303)
  })

  app.post('/alerts/test', c => {
    const notice = alerts.test(c.var.account)
      ? 'A test is on its way. Reload this page in a few seconds to see how it went.'
      : 'The last test was less than a minute ago. Wait a little, then try again.'
    c.var.session.keep({ notice })
    return c.redirect('/alerts', 303)
  })

  for (const action of ['secret', 'test']) app.get(`/alerts/${action}`, c => c.redirect('/alerts', 303))
}

function AlertPage({ c, alerts }: { c: PageContext; alerts: Alerts }) {
  const { account } = c.var
  const choice = alerts.choiceOf(account.id)
  const emailProblem = alerts.emailProblem(account)
  const outcomes = alerts.outcomes(account.id)
  const isOwner = c.var.role === 'owner'
  const canTest = emailProblem === null || choice.webhook !== null
  return (
    <Page
      c={c}
      title="Alerts"
      lead="Messages about this account. There is at most one of a kind per hour; what happens meanwhile is in the next one."
      scripts={['copy.js']}
    >
      <Section
        title="What to hear about"
        hint={emailProblem ?? `Email goes to ${alerts.addresses(account).join(', ')}.`}
      >
        <Form c={c} action="/alerts" class="stack">
          <ChoiceTable c={c} choice={choice} canEmail={emailProblem === null} />
          {isOwner && (
            <Field
              {...{ c, action: '/alerts', name: 'url', value: choice.webhook?.url ?? '' }}
              label="Address of the webhook, empty for none"
              inputmode="url"
              placeholder="https://example.com/alerts"
              maxlength={WEBHOOK_URL_LENGTH_MAX}
            />
          )}
          <div class="actions">
            <button type="submit" class="primary">
              Save
            </button>
          </div>
        </Form>
      </Section>
      {isOwner && choice.webhook !== null && <Secret c={c} webhook={choice.webhook} />}
      {canTest && (
        <Section title="Test" hint="Sends a message of the type test to every channel that is set up.">
          <Form c={c} action="/alerts/test">
            <button type="submit">Send a test</button>
          </Form>
        </Section>
      )}
      {outcomes.length === 0 ? (
        <p class="empty">No alert has been sent since this service was started.</p>
      ) : (
        <Outcomes outcomes={outcomes} />
      )}
    </Page>
  )
}

function isOn({ email, webhook }: Choice, channel: Channel, kind: AlertKind): boolean {
  return (channel === 'email' ? email : (webhook?.kinds ?? [])).includes(kind)
}

function ChoiceTable({ c, choice, canEmail }: { c: PageContext; choice: Choice; canEmail: boolean }) {
  const typed = c.var.refused?.action === '/alerts' ? c.var.refused.values : undefined
  const isTicked = (channel: Channel, kind: AlertKind) =>
    typed === undefined ? isOn(choice, channel, kind) : typed.get(`${channel}:${kind}`) !== null
  const { lowBalanceMicros } = c.var.account
  // Without an address of its own, a webhook is for the owners to set up.
  const isFixed = c.var.role !== 'owner' && choice.webhook === null
  const threshold = lowBalanceMicros === null ? 'no threshold is set' : `below ${money(lowBalanceMicros)}`
  return (
    <Table caption="Alerts" heads={['When', ...Object.values(CHANNELS)]}>
      {kindsOf(c).map(kind => (
        <tr>
          <th scope="row">
            {ALERT_KINDS[kind].text}
            {kind === 'balance.low' && (
              <span class="under small">
                {threshold}, <a href="/balance#threshold">change it</a>
              </span>
            )}
          </th>
          {(Object.keys(CHANNELS) as Channel[]).map(channel => (
            <td class="check">
              <input
                type="checkbox"
                name={`${channel}:${kind}`}
                checked={isTicked(channel, kind)}
                disabled={channel === 'email' ? !canEmail : isFixed}
                aria-label={`${CHANNELS[channel]}: ${ALERT_KINDS[kind].text}`}
              />
            </td>
          ))}
        </tr>
      ))}
    </Table>
  )
}

function Secret({ c, webhook }: { c: PageContext; webhook: WebhookChoice }) {
  return (
    <Section
      title="Signature of the webhook"
      hint={
        <>
          Each message is a POST of JSON with the header <code>Postrie-Signature: t=…,v1=…</code>. Check that
          v1 is HMAC-SHA256 of t, a dot and the body under this secret, in hex, and that t is recent.
        </>
      }
    >
      <Copyable wide text={webhook.secret} label="Copy the secret" />
      <Form c={c} action="/alerts/secret">
        <button type="submit">Replace the secret</button>
      </Form>
    </Section>
  )
}

function Outcomes({ outcomes }: { outcomes: readonly Outcome[] }) {
  return (
    <section>
      <div class="heading">
        <h2>Latest deliveries</h2>
      </div>
      <Table caption="Latest deliveries" heads={['Time', 'What', 'Channel', 'Result']}>
        {outcomes.map(({ timeMs, kind, channel, problem }) => (
          <tr>
            <td>
              <Time ms={timeMs} />
            </td>
            <td>{kind === 'test' ? 'Test' : ALERT_KINDS[kind].text}</td>
            <td>{CHANNELS[channel]}</td>
            <td>
              {problem === null ? (
                <span class="tag good">delivered</span>
              ) : (
                <>
                  <span class="tag bad">not delivered</span> <span class="under small">{problem}</span>
                </>
              )}
            </td>
          </tr>
        ))}
      </Table>
    </section>
  )
}
