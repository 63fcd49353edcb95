/** Rate limits: off, or a number for any of three windows, with the use of each. */

import type { Dashboard, PageApp, PageContext } from '../dashboard.ts'
import { addStep, FieldsForm, limitField, submit } from '../layout/form.tsx'
import { Page } from '../layout/page.tsx'
import { Pairs, Section } from '../layout/parts.tsx'
import { errorRows, holds, requestRows } from '../reports/activity.ts'
import { sumOf } from '../reports/usage-series.ts'
import { count, plural } from '../words.ts'

const FIELDS = {
  perMinute: limitField('Per minute', { refusals: ['INVALID_LIMITS'] }),
  perHour: limitField('Per hour'),
  perDay: limitField('Per day'),
}

/** Limits by the end of the reason in the log of requests. */
const REASONS = {
  'Per minute': 'limit per minute of the account',
  'Per hour': 'limit per hour of the account',
  'Per day': 'limit per day of the account',
  'Limits of single keys': 'of the key',
}

export function addLimitPages(app: PageApp, dashboard: Dashboard): void {
  const { accounts } = dashboard

  app.get('/limits', c => c.html(limitPage(c, dashboard)))

  app.post('/limits', c =>
    submit(c, '/limits', FIELDS, async limits => {
      await accounts.setLimits(c.var.account.id, limits)
      return 'Rate limiting is on. It applies from the next request.'
    }),
  )

  addStep(
    app,
    '/limits/off',
    '/limits',
    () => ({
      title: 'Turn rate limiting off?',
      text: 'A program that runs out of control can then spend the whole balance.',
      button: 'Turn off',
    }),
    async c => {
      await accounts.setLimits(c.var.account.id, null)
      return 'Rate limiting is off.'
    },
  )
}

function limitPage(c: PageContext, dashboard: Dashboard) {
  const { limits, id } = c.var.account
  const use = dashboard.accounts.presentUse(id)
  const hint = (window: keyof typeof FIELDS, used: number, now: string) =>
    limits !== null && (
      <>
        <span data-live={window}>{count(used)}</span> used {now}
        <Use limit={limits[window]} use={used} />
      </>
    )
  return (
    <Page
      c={c}
      title="Rate limits"
      lead="Protects your balance from a program that runs out of control. Requests beyond a limit get status 429 and the time to wait."
    >
      <Section
        title={limits === null ? 'Rate limiting is off' : 'Rate limiting is on'}
        hint="The windows start at the full minute, hour and day (UTC). All keys count together, and a bulk request counts once per record."
      >
        <FieldsForm
          c={c}
          action="/limits"
          class="grid"
          fields={FIELDS}
          values={limits ?? {}}
          hints={{
            perMinute: hint('perMinute', use.minute, 'this minute'),
            perHour: hint('perHour', use.hour, 'this hour'),
            perDay: hint('perDay', use.day, 'today'),
          }}
          button={limits === null ? 'Turn on' : 'Save'}
          kind="primary"
        />
        {limits !== null && <a href="/limits/off">Turn rate limiting off</a>}
      </Section>
      <Refused c={c} dashboard={dashboard} />
    </Page>
  )
}

function Refused({ c, dashboard: { accounts, dataPlane } }: { c: PageContext; dashboard: Dashboard }) {
  const { id } = c.var.account
  const total = sumOf(errorRows(accounts, dataPlane, id, Date.now()).map(hour => hour[429]))
  const kept = requestRows(accounts, dataPlane, id).filter(({ status }) => status === 429)
  const byLimit = Object.entries(REASONS).map(([name, reason]) => {
    const requests = kept.filter(row => holds(row, reason)).length
    const href = `/requests?${new URLSearchParams({ q: reason, only: 'status-429' })}`
    return [name, requests > 0 && <a href={href}>{plural(requests, 'request')}</a>] as const
  })
  return (
    <Section
      title="Refused by a limit"
      hint={`${plural(total, 'request')} in the last 48 hours. By limit, of those that the log of requests still has:`}
    >
      {kept.length === 0 ? <p class="empty">None.</p> : <Pairs rows={byLimit.filter(([, link]) => link)} />}
    </Section>
  )
}

/** A bar that changes its colour at 80 and at 100 percent, as the API's warning does. */
function Use({ limit, use }: { limit: number | null; use: number }) {
  if (limit === null) return null
  return <meter max={limit} low={limit * 0.8} high={limit} optimum={0} value={use} aria-label="Used" />
}
