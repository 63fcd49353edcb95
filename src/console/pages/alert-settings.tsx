import { SECOND_MS } from '../../platform/time.ts'
import type { Channel } from '../alerts/alert-kinds.ts'
import { ALERT_KINDS, CHANNELS, FIRST_ALERTS, isAboutMoney, isOn, KINDS } from '../alerts/alert-kinds.ts'
import type { Alerts } from '../alerts/alerts.ts'
import { createWebhookSecret, webhookProblem } from '../alerts/webhook.ts'
import { addForm, addStep, FieldProblem, FieldsForm, submit } from '../layout/form.tsx'
import { Banner, Page } from '../layout/page.tsx'
import { Button, Copyable, Form, Link, Pairs, Section, Time } from '../layout/parts.tsx'
import { list, optionalText } from '../operator/params.ts'
import { secretFor } from '../session/access.ts'
import { type Dashboard, type PageApp, type PageContext, pageContext } from '../session/page-context.ts'
import { plural } from '../words.ts'

const THRESHOLD = ['/balance#threshold-usd', 'Set one'] as const

const kindsFor = ({ var: { role } }: PageContext) => (role === 'owner' ? KINDS : KINDS.filter(isAboutMoney))

/** Returns a list of kinds by each channel of the account. Only owners may set up a webhook. */
function fieldsOf(c: PageContext, alerts: Alerts) {
  const { account, role } = c.var
  const options = Object.fromEntries(kindsFor(c).map(kind => [kind, ALERT_KINDS[kind].text]))
  const isOption = (kind: string) => Object.hasOwn(options, kind)
  const kinds = (channel: Channel) => list({ label: CHANNELS[channel], options }, 'a kind of alert', isOption)
  const canEmail = alerts.emailProblem(account) === null
  const url = optionalText({
    label: canEmail ? 'Webhook URL (optional)' : 'Webhook URL',
    inputmode: 'url',
    empty: 'https://example.com/alerts',
  })
  return {
    ...(role === 'owner' && { url }),
    ...(canEmail && { email: kinds('email') }),
    ...((role === 'owner' || alerts.choiceOf(account.id).webhook !== null) && { webhook: kinds('webhook') }),
  }
}

export function addAlertPages(app: PageApp, { alerts }: Dashboard): void {
  app.get('/alerts', c => {
    if (alerts.isTesting(c.var.account.id)) c.header('Refresh', '3')
    return c.html(<AlertPage alerts={alerts} />)
  })

  app.post('/alerts', c => {
    const { account } = c.var
    return submit(c, '/alerts', fieldsOf(c, alerts), async typed => {
      const before = alerts.choiceOf(account.id)
      const mine = kindsFor(c)
      /** Returns the ticked kinds, and keeps earlier choices that this person may not change. */
      const chosen = (channel: Channel) =>
        KINDS.filter(kind =>
          channel in typed && mine.includes(kind)
            ? typed[channel]?.includes(kind)
            : isOn(before, channel, kind),
        )
      const url = typed.url ?? before.webhook?.url ?? ''
      const isNew = url !== '' && url !== before.webhook?.url
      const problem = isNew ? await webhookProblem(url, alerts.allowPrivate) : null
      if (problem !== null) throw new FieldProblem(problem, 'url')
      const kinds = chosen('webhook')
      if (url === '' && kinds.length > 0)
        throw new FieldProblem('Enter the address for alerts, or choose no alerts for the webhook.', 'url')
      const webhook =
        url === '' ? null : { url, secret: before.webhook?.secret ?? createWebhookSecret(), kinds }
      await alerts.choose(account.id, { email: chosen('email'), webhook })
      if (url === '' || kinds.length > 0) return 'Your alerts are saved.'
      return { caution: 'Your alerts are saved. The webhook gets none: choose its kinds.' }
    })
  })

  addStep(app, '/alerts/secret', '/alerts', {
    ask: c =>
      alerts.choiceOf(c.var.account.id).webhook && {
        title: 'Replace the secret?',
        text: 'Messages are signed with a new secret from now on. Your receiver refuses them until it has the new secret.',
        button: 'Replace the secret',
      },
    run: async ({ var: { account } }) => {
      const { email, webhook } = alerts.choiceOf(account.id)
      if (webhook === null) return {}
      await alerts.choose(account.id, { email, webhook: { ...webhook, secret: createWebhookSecret() } })
      return 'Messages are signed with the new secret from now on.'
    },
  })

  addForm(app, '/alerts/test', '/alerts', {}, async ({ var: { account } }) => {
    const waitMs = alerts.sendTest(account)
    if (waitMs > 0) {
      const wait = plural(Math.ceil(waitMs / SECOND_MS), 'second')
      throw new FieldProblem(
        `Nothing was sent: the last test was less than a minute ago. Try again in ${wait}.`,
      )
    }
    return 'A test is being sent. Its result appears below in seconds.'
  })
}

function AlertPage({ alerts }: { alerts: Alerts }) {
  const c = pageContext()
  const { account, role } = c.var
  const choice = alerts.choiceOf(account.id)
  const emailProblem = alerts.emailProblem(account)
  const { webhook } = choice
  const chosen = [...choice.email, ...(webhook?.kinds ?? [])]
  const url = webhook === null ? '' : secretFor(c, webhook.url, new URL(webhook.url).origin)
  const secret = webhook === null ? '' : secretFor(c, webhook.secret)
  const isTesting = alerts.isTesting(account.id)
  // Beside a test, the result of an older message would look like its own.
  const tried = isTesting ? [] : alerts.lastTried(account.id)
  const fields = fieldsOf(c, alerts)
  const isNothing = Object.keys(fields).length === 0
  const canTest = emailProblem === null || webhook !== null
  // Without email, the kinds of a first webhook are proposed.
  const usual = emailProblem === null ? null : FIRST_ALERTS.email
  return (
    <Page
      title="Alerts"
      lead="Messages about this account: each time that the balance is used up, and at most one of every other kind per hour. The next message covers everything in between."
    >
      {chosen.length === 0 && <Banner text="No alert is saved: nobody is told." kind="caution" />}
      <Section
        title="Kinds of alerts"
        hint={`${emailProblem ?? `Email goes to ${alerts.addresses(account).join(', ')}.`}${isNothing ? ' An owner can add a webhook.' : ''}`}
      >
        {account.lowBalanceMicros === null && chosen.includes('balance.low') && (
          <Banner text="No threshold is set: no alert of a low balance." kind="caution" remedy={THRESHOLD} />
        )}
        {!isNothing && (
          <FieldsForm
            action="/alerts"
            class="grid"
            fields={fields}
            values={{ email: choice.email, webhook: webhook?.kinds ?? usual, url }}
            button="Save"
            kind="primary"
          />
        )}
      </Section>
      <Section title="Last deliveries">
        {tried.length === 0 ? (
          <p class="empty">{isTesting ? 'The test is being sent.' : 'Nothing has been sent yet.'}</p>
        ) : (
          <Pairs
            rows={tried.map(({ channel, kind, timeMs, problem }) => [
              CHANNELS[channel],
              [
                <span class={`tag ${problem ? 'bad' : 'good'}`}>{problem && 'not '}delivered</span>,
                ` ${kind === 'test' ? 'test' : `“${ALERT_KINDS[kind].text}”`} at `,
                <Time ms={timeMs} seconds />,
                problem && `: ${problem}`,
              ],
            ])}
          />
        )}
        {canTest && (
          <Form action="/alerts/test" class="actions">
            <Button text="Send a test" /> <span class="hint">to every channel</span>
          </Form>
        )}
      </Section>
      {role === 'owner' && secret !== '' && (
        <Section
          title="Signature of the webhook"
          hint={
            <>
              Each message is a POST of JSON with the header <code>Postrie-Signature: t=…,v1=…</code>. Check
              that v1 is the HMAC-SHA256, in hex, of t, a dot and the body with this secret, and that t is
              recent.
            </>
          }
        >
          <details>
            <summary>Show the secret</summary>
            <Copyable text={secret} label="Copy the secret" />
          </details>
          <Link href="/alerts/secret" text="Replace the secret" />
        </Section>
      )}
    </Page>
  )
}
