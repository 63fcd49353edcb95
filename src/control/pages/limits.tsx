/** Rate limits: off, or a number for any of three windows, with the use of each. */
import type { RateLimits } from '../../accounts/types.ts'
import { Field, refuseField } from '../layout/field.tsx'
import { attempt, formText } from '../layout/forms.ts'
import { Page } from '../layout/page.tsx'
import { Form, Section } from '../layout/parts.tsx'
import { LIMIT_PROBLEM, typedLimit } from '../layout/typed-limit.ts'
import { count } from '../layout/words.ts'
import type { Dashboard, PageApp, PageContext } from '../shell/dashboard.ts'

const WINDOWS = [
  ['perMinute', 'Per minute', 'minute', 'this minute'],
  ['perHour', 'Per hour', 'hour', 'this hour'],
  ['perDay', 'Per day', 'day', 'today'],
] as const

export function addLimitPages(app: PageApp, dashboard: Dashboard): void {
  const { accounts } = dashboard

  app.get('/limits', c => c.html(<LimitPage c={c} dashboard={dashboard} />))

  app.post('/limits', async c => {
    const limits: RateLimits = { perMinute: null, perHour: null, perDay: null }
    for (const [window] of WINDOWS) {
      const limit = typedLimit(await formText(c, window))
      if (limit === undefined) {
        await refuseField(c, window, LIMIT_PROBLEM)
        return c.html(<LimitPage c={c} dashboard={dashboard} />, 400)
      }
      limits[window] = limit
    }
    const set = await attempt(accounts.setLimits(c.var.account.id, limits))
    if ('problem' in set) return c.html(<LimitPage c={c} dashboard={dashboard} problem={set.problem} />, 400)
    c.var.session.keep({ notice: 'Rate limiting is on. It applies from the next request.' })
    return c.redirect('/limits', 303)
  })

  app.get('/limits/off', c => c.redirect('/limits', 303))

  app.post('/limits/off', async c => {
    await accounts.setLimits(c.var.account.id, null)
    c.var.session.keep({ notice: 'Rate limiting is off.' })
    return c.redirect('/limits', 303)
  })
}

function LimitPage({ c, dashboard, problem }: { c: PageContext; dashboard: Dashboard; problem?: string }) {
  const { limits, id } = c.var.account
  const use = dashboard.accounts.presentUse(id)
  const lead =
    'Protects your balance from a program that runs out of control. Requests beyond a limit get status 429 and the time to wait.'
  return (
    <Page c={c} title="Rate limits" lead={lead} problem={problem} scripts={['live.js']}>
      <Section
        title={limits === null ? 'Rate limiting is off' : 'Rate limiting is on'}
        hint="The windows start at the full minute, hour and day (UTC). All keys count together, and a bulk request counts once per record."
      >
        <Form c={c} action="/limits" class="grid">
          {WINDOWS.map(([window, name, unit, now]) => (
            <Field
              {...{ c, action: '/limits', name: window, label: name }}
              value={String(limits?.[window] ?? '')}
              inputmode="numeric"
              placeholder="no limit"
              hint={
                limits !== null && (
                  <>
                    <span data-live={window}>{count(use[unit])}</span> used {now}
                    <Use limit={limits[window]} use={use[unit]} />
                  </>
                )
              }
            />
          ))}
          <div class="actions">
            <button type="submit" class="primary">
              {limits === null ? 'Turn on' : 'Save'}
            </button>
          </div>
        </Form>
        {limits !== null && (
          <Form c={c} action="/limits/off">
            <button type="submit" class="link">
              Turn rate limiting off
            </button>
          </Form>
        )}
      </Section>
    </Page>
  )
}

/** A bar that changes its colour at 80 and at 100 percent, as the API's warning does. */
function Use({ limit, use }: { limit: number | null; use: number }) {
  if (limit === null) return null
  return <meter max={limit} low={limit * 0.8} high={limit} optimum={0} value={use} aria-label="Used" />
}
