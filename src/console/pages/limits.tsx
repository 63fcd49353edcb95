/** The page of rate limits of three windows, with their use. */

import type { Accounts } from '../../billing/accounts/accounts.ts'
import { ERROR_HOURS, NEAR_SHARE } from '../../platform/limits.ts'
import type { Dashboard, PageApp, PageContext } from '../dashboard.ts'
import { addStep, FieldProblem, FieldsForm, paramFields, submit } from '../layout/form.tsx'
import { Page } from '../layout/page.tsx'
import { Section } from '../layout/parts.tsx'
import { RATE_LIMITS } from '../operator/operator-account-commands.ts'
import { errorRows } from '../reports/activity.ts'
import { type Range, sumOf, usageSeries, WEEK } from '../reports/usage-series.ts'
import { count, plural } from '../words.ts'

const FIELDS = paramFields(RATE_LIMITS)

export function addLimitPages(app: PageApp, dashboard: Dashboard): void {
  const { accounts } = dashboard

  app.get('/limits', c => c.html(limitPage(c, dashboard)))

  app.post('/limits', c =>
    submit(c, '/limits', FIELDS, async limits => {
      if (Object.values(limits).every(limit => limit === null))
        throw new FieldProblem('Enter at least one limit.', 'perMinute')
      await accounts.setLimits(c.var.account.id, limits)
      return 'Rate limiting is on. It applies from the next request on.'
    }),
  )

  addStep(app, '/limits/off', '/limits', {
    ask: () => ({
      title: 'Turn rate limiting off?',
      text: 'A program that is out of control can then spend the whole balance.',
      button: 'Turn off',
    }),
    run: async c => {
      await accounts.setLimits(c.var.account.id, null)
      return 'Rate limiting is off.'
    },
  })
}

function limitPage(c: PageContext, dashboard: Dashboard) {
  const { limits, id } = c.var.account
  const { accounts, dataPlane } = dashboard
  const queries = accounts.currentQueries(id)
  const refused = sumOf(errorRows(accounts, dataPlane, id, Date.now()).map(hour => hour[429]))
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
      lead="Limits protect your balance from a program that is out of control. Requests beyond a limit get status 429 and the time to wait."
    >
      <Section
        title={limits === null ? 'Rate limiting is off' : 'Rate limiting is on'}
        hint={`The windows start at the full minute, hour and day (UTC). All keys count together, and a bulk request counts once per record. Your busiest hour of the last two days had ${plural(busiestQueries(accounts, id, '48h'), 'query', 'queries')}, and your busiest day of the last 90 had ${count(busiestQueries(accounts, id, '90d'))}.`}
      >
        <FieldsForm
          c={c}
          action="/limits"
          class="grid"
          fields={FIELDS}
          values={limits ?? {}}
          hints={{
            perMinute: hint('perMinute', queries.currentMinute, 'this minute'),
            perHour: hint('perHour', queries.currentHour, 'this hour'),
            perDay: hint('perDay', queries.currentDay, 'today'),
          }}
          button={limits === null ? 'Turn on' : 'Save'}
          kind="primary"
        />
        {limits !== null && <a href="/limits/off">Turn rate limiting off</a>}
      </Section>
      <p>
        <a href="/requests?only=status-429">{plural(refused, 'request')}</a> {refused === 1 ? 'was' : 'were'}{' '}
        refused by a limit of the account or a key in the last {ERROR_HOURS} hours.{' '}
        <a href="/keys?state=limited">Keys with limits of their own</a>
      </p>
    </Page>
  )
}

function busiestQueries(accounts: Accounts, account: string, range: Range): number {
  const { starts, series } = usageSeries(accounts, account, { ...WEEK, range }, Date.now())
  return Math.max(...starts.map((_, at) => sumOf(series.map(({ values }) => values[at] ?? 0))))
}

/** A bar that changes its colour at 80 percent, like the alert, and at 100 percent. */
function Use({ limit, use }: { limit: number | null; use: number }) {
  if (limit === null) return null
  return <meter max={limit} low={limit * NEAR_SHARE} high={limit} optimum={0} value={use} aria-label="Used" />
}
