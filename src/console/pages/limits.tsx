import { perWindow } from '../../billing/accounts/windows.ts'
import { addForm, FieldProblem, FieldsForm, submit } from '../layout/form.tsx'
import { Page } from '../layout/page.tsx'
import { Button, Section } from '../layout/parts.tsx'
import { RATE_LIMITS } from '../operator/operator-account-commands.ts'
import { limitConcern, usedTexts } from '../reports/figures.ts'
import { usageSeries, WEEK } from '../reports/usage-series.ts'
import type { Dashboard, PageApp } from '../session/page-context.ts'
import { count } from '../words.ts'

export function addLimitPage(app: PageApp, { accounts }: Dashboard): void {
  app.get('/limits', c => {
    const { account } = c.var
    const { limits } = account
    const used = usedTexts(account, c.var.queries())
    const busiest = (range: '48h' | '30d') =>
      count(Math.max(...usageSeries(accounts, account.id, { ...WEEK, range }, Date.now()).sums))
    const usual = ` The busiest of 30 days had ${busiest('30d')} charged queries, the busiest of 48 hours ${busiest('48h')}.`
    return c.html(
      <Page
        title="Rate limits"
        lead="All keys of the account count together. The rules of a key may have limits of its own. A bulk request counts once per record. Requests beyond a limit get 429 and the time to wait."
      >
        <Section
          title={limits === null ? 'Limits are off' : 'Limits are on'}
          hint={
            (limits === null
              ? 'A program that is out of control can spend the whole balance.'
              : 'Queries count towards a limit only while limits are on.') + usual
          }
        >
          <FieldsForm
            action="/limits"
            class="grid"
            fields={RATE_LIMITS}
            values={limits ?? {}}
            hints={
              limits === null ? {} : perWindow(({ limit }) => <span data-live={limit}>{used[limit]}</span>)
            }
            button={limits === null ? 'Turn on' : 'Save'}
            kind="primary"
          >
            {limits !== null && <Button text="Turn off" action="/limits/off" />}
          </FieldsForm>
        </Section>
      </Page>,
    )
  })

  app.post('/limits', c =>
    submit(c, '/limits', RATE_LIMITS, async limits => {
      if (Object.values(limits).every(limit => limit === null))
        throw new FieldProblem('Enter at least one limit.')
      const account = await accounts.setLimits(c.var.account.id, limits)
      const concern = limitConcern(account, accounts.currentQueries(account.id), Date.now())
      if (concern !== '') return { caution: `Rate limiting is on, and refuses requests now. ${concern}` }
      return 'Rate limiting is on. It applies from the next request on.'
    }),
  )

  addForm(app, '/limits/off', '/limits', {}, async c => {
    await accounts.setLimits(c.var.account.id, null)
    return 'Rate limiting is off.'
  })
}
