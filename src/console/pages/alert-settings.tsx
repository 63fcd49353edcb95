/** The page of alerts: the kinds that an account wants by email and by webhook. */

import type { AlertKind, Channel, Choice } from '../alerts/alert-kinds.ts'
import {
  ALERT_KINDS,
  CHANNELS,
  isAboutMoney,
  isOn,
  KINDS,
  kindsOf as kindsIn,
} from '../alerts/alert-kinds.ts'
import type { Alerts, Outcome } from '../alerts/alerts.ts'
import { newWebhookSecret, webhookProblem } from '../alerts/webhook.ts'
import { addForm, addStep, Field, FieldProblem, submit } from '../layout/form.tsx'
import { List, onePage } from '../layout/list.tsx'
import { Banner, Page } from '../layout/page.tsx'
import { Button, Copyable, Form, Link, Section, Table, Time } from '../layout/parts.tsx'
import { optionalText } from '../operator/params.ts'
import { secretFor } from '../session/access.ts'
import { type Dashboard, type PageApp, type PageContext, pageContext } from '../session/dashboard.ts'
import { readForm } from '../session/forms.ts'
import { money, plural, utcMinute } from '../words.ts'

/** Only owners may change it. @param canEmail false if the webhook is the only channel */
const urlField = (canEmail: boolean) =>
  optionalText({
    label: canEmail ? 'Webhook URL (optional)' : 'Webhook URL',
    inputmode: 'url',
    empty: 'https://example.com/alerts',
  })

const kindsOf = (c: PageContext): AlertKind[] => (c.var.role === 'owner' ? KINDS : KINDS.filter(isAboutMoney))

export function addAlertPages(app: PageApp, { alerts }: Dashboard): void {
  app.get('/alerts', c => {
    // The result of a test arrives within seconds.
    if (c.req.query('test') !== undefined) c.header('Refresh', '3;url=/alerts')
    return c.html(<AlertPage alerts={alerts} />)
  })

  app.post('/alerts', c => {
    const { account, role } = c.var
    return submit(c, '/alerts', role === 'owner' ? { url: urlField(alerts.canEmail) } : {}, async typed => {
      const form = await readForm(c)
      const before = alerts.choiceOf(account.id)
      const mine = kindsOf(c)
      /** Returns the ticked kinds, and keeps earlier choices of kinds that this person may not change. */
      const chosen = (channel: Channel) =>
        KINDS.filter(kind =>
          mine.includes(kind) ? form.has(`${channel}:${kind}`) : isOn(before, channel, kind),
        )
      const url = 'url' in typed ? String(typed.url) : (before.webhook?.url ?? '')
      const isNew = url !== '' && url !== before.webhook?.url
      const problem = isNew ? await webhookProblem(url, alerts.allowPrivate) : null
      if (problem !== null) throw new FieldProblem(problem, 'url')
      const kinds = chosen('webhook')
      if (url === '' && kinds.length > 0)
        throw new FieldProblem('Enter the address for alerts, or choose no alerts for the webhook.', 'url')
      const webhook = url === '' ? null : { url, secret: before.webhook?.secret ?? newWebhookSecret(), kinds }
      const email = alerts.emailProblem(account) === null ? chosen('email') : before.email
      await alerts.choose(account.id, { email, webhook })
      return 'Your alerts are saved.'
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
      await alerts.choose(account.id, { email, webhook: { ...webhook, secret: newWebhookSecret() } })
      return 'Messages are signed with the new secret from now on.'
    },
  })

  addForm(app, '/alerts/test', '/alerts', {}, async ({ var: { account } }) =>
    alerts.sendTest(account)
      ? { notice: 'A test is being sent. The result appears below in a few seconds.', to: '/alerts?test' }
      : 'The last test was less than a minute ago. Try again in a minute.',
  )
}

function AlertPage({ alerts }: { alerts: Alerts }) {
  const c = pageContext()
  const { account, role } = c.var
  const choice = alerts.choiceOf(account.id)
  const emailProblem = alerts.emailProblem(account)
  const { webhook } = choice
  const url = webhook === null ? '' : secretFor(c, webhook.url, new URL(webhook.url).origin)
  const secret = webhook === null ? '' : secretFor(c, webhook.secret)
  const outcomes = alerts.outcomes(account.id)
  const last = outcomes.find(({ attempts }) => attempts > 0)
  return (
    <Page
      title="Alerts"
      lead="Messages about this account: each time that the balance is used up, and at most one of every other kind per hour. The next message covers everything in between."
    >
      {last?.problem && (
        <Banner
          text={`The last alert could not be delivered by ${CHANNELS[last.channel].toLowerCase()}: ${last.problem}.`}
          kind="caution"
        />
      )}
      {kindsIn(choice).size === 0 && <Banner text="No alert is chosen: nobody is told." />}
      <Section
        title="Kinds of alerts"
        hint={emailProblem ?? `Email goes to ${alerts.addresses(account).join(', ')}.`}
      >
        <Form action="/alerts" class="stack">
          <ChoiceTable choice={choice} canEmail={emailProblem === null} />
          {role === 'owner' && (
            <Field action="/alerts" name="url" field={urlField(emailProblem === null)} value={url} />
          )}
          <div class="actions">
            <Button kind="primary" text="Save" />
          </div>
        </Form>
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
            <Copyable wide text={secret} label="Copy the secret" />
          </details>
          <Link href="/alerts/secret" text="Replace the secret" />
        </Section>
      )}
      {(emailProblem === null || webhook !== null) && (
        <Section title="Test" hint="Sends a test message to every channel.">
          <Form action="/alerts/test" button="Send a test" />
        </Section>
      )}
      <List
        title="Latest delivery of each kind"
        found={onePage(outcomes)}
        empty="No alert has been sent yet."
        columns={[
          { head: 'Time', cell: ({ timeMs }) => <Time ms={timeMs} /> },
          {
            head: 'What',
            kind: 'detail',
            cell: ({ kind }) => (kind === 'test' ? 'Test' : ALERT_KINDS[kind].text),
            below: ({ texts }) => texts.join(' '),
          },
          { head: 'Channel', cell: ({ channel }) => CHANNELS[channel] },
          { head: 'Result', cell: Delivery },
        ]}
      />
    </Page>
  )
}

function Delivery({ problem, attempts, nextMs }: Outcome) {
  const waits = attempts === 0 ? 'waiting' : 'not yet delivered'
  const state = problem === null ? 'delivered' : nextMs === null ? 'not delivered' : waits
  const kind = problem === null ? 'tag good' : nextMs === null ? 'tag bad' : 'tag'
  const next = nextMs !== null && `${attempts === 0 ? 'Until' : 'Next attempt at'} ${utcMinute(nextMs)}`
  const tried = attempts > 1 && `Tried ${plural(attempts, 'time')}`
  const details = [problem, tried, next].filter(text => text)
  return (
    <>
      <span class={kind}>{state}</span> <span class="under small">{details.join('. ')}</span>
    </>
  )
}

function ChoiceTable({ choice, canEmail }: { choice: Choice; canEmail: boolean }) {
  const c = pageContext()
  const { refused, role, account } = c.var
  const typed = refused?.action === '/alerts' ? new URLSearchParams(refused.typed) : undefined
  const isTicked = (channel: Channel, kind: AlertKind) =>
    typed === undefined ? isOn(choice, channel, kind) : typed.has(`${channel}:${kind}`)
  // Only owners may set up a webhook.
  const isFixed = role !== 'owner' && choice.webhook === null
  const { lowBalanceMicros } = account
  const [threshold, change] =
    lowBalanceMicros === null
      ? ['no threshold is set', 'set one']
      : [`below ${money(lowBalanceMicros)}`, 'change it']
  const box = (channel: Channel, disabled: boolean) => ({
    head: CHANNELS[channel],
    kind: 'check' as const,
    cell: (kind: AlertKind) => (
      <input
        type="checkbox"
        name={`${channel}:${kind}`}
        checked={isTicked(channel, kind)}
        disabled={disabled}
        aria-label={`${CHANNELS[channel]}: ${ALERT_KINDS[kind].text}`}
      />
    ),
  })
  const when = (kind: AlertKind) => (
    <>
      {ALERT_KINDS[kind].text}
      {kind === 'balance.low' && (
        <span class="under small">
          {threshold}, <a href="/balance#threshold">{change}</a>
        </span>
      )}
    </>
  )
  return (
    <div class="lines">
      <Table
        caption="Alerts"
        rows={kindsOf(c)}
        columns={[
          { head: 'When', kind: 'name', cell: when },
          ...(canEmail ? [box('email', false)] : []),
          box('webhook', isFixed),
        ]}
      />
    </div>
  )
}
