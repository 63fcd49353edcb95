/** The account's rate limits of three windows, with their use: a card on the page of keys. */

import type { Accounts } from '../../billing/accounts/accounts.ts'
import { perWindow } from '../../billing/accounts/charging/limited.ts'
import { NEAR_SHARE } from '../../platform/limits.ts'
import type { Dashboard, PageApp, PageContext } from '../dashboard.ts'
import { addForm, addStep, FieldProblem, Fold } from '../layout/form.tsx'
import { RATE_LIMITS } from '../operator/operator-account-commands.ts'
import { figuresOf } from '../reports/figures.ts'
import { type Range, sumOf, usageSeries, WEEK } from '../reports/usage-series.ts'
import { count, limitTexts, plural } from '../words.ts'

const FIELDS = RATE_LIMITS

export function addLimitForms(app: PageApp, { accounts }: Dashboard): void {
  addForm(app, '/limits', '/keys', FIELDS, async (c, limits) => {
    if (Object.values(limits).every(limit => limit === null))
      throw new FieldProblem('Enter at least one limit.', 'perMinute')
    await accounts.setLimits(c.var.account.id, limits)
    return 'Rate limiting is on. It applies from the next request on.'
  })

  addStep(app, '/limits/off', '/keys', {
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

export function LimitCard({ c, dashboard }: { c: PageContext; dashboard: Dashboard }) {
  const { limits, id } = c.var.account
  const { accounts } = dashboard
  const figures = figuresOf(dashboard, id, Date.now())
  const queries = accounts.currentQueries(id)
  const hint = (used: number, window: keyof typeof FIELDS, name: string) =>
    limits !== null && (
      <>
        <span data-live={window}>{count(used)}</span> counted {name === 'day' ? 'today' : `this ${name}`}
        <Use limit={limits[window]} use={used} />
      </>
    )
  return (
    <Fold
      c={c}
      title="Rate limits of the account"
      id="limits"
      now={limits === null ? 'off' : limitTexts(limits)}
      isOpen={limits !== null}
      hint={`Requests beyond a limit get status 429 and the time to wait. All keys count together, from the moment limits are turned on, charged or not, and a bulk request counts once per record. The windows start at the full minute, hour and day. Your busiest hour of the last two days had ${plural(busiestQueries(accounts, id, '48h'), 'charged query', 'charged queries')}, and your busiest day of the last 90 had ${count(busiestQueries(accounts, id, '90d'))}.`}
      action="/limits"
      class="grid"
      fields={FIELDS}
      values={limits ?? {}}
      hints={perWindow(({ limit, current, name }) => hint(queries[current], limit, name))}
      button={limits === null ? 'Turn on' : 'Save'}
    >
      {limits !== null && <a href="/limits/off">Turn rate limiting off</a>}
      <a href="/requests?only=status-429" data-live="limited">
        {figures.limited}
      </a>
    </Fold>
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
