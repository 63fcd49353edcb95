import { Field, FieldsForm, submit, type Values } from '../layout/form.tsx'
import { addKeySearch } from '../layout/list.tsx'
import { Page } from '../layout/page.tsx'
import { Button } from '../layout/parts.tsx'
import { LABEL, RULES } from '../operator/operator-key-commands.ts'
import { RULE_REFUSALS } from '../reports/figures.ts'
import { FreshCard } from '../sections/fresh-key.tsx'
import { KeyList } from '../sections/key-list.tsx'
import { formText } from '../session/forms.ts'
import { createFreshKey } from '../session/fresh-key.ts'
import type { Dashboard, PageApp, PageContext } from '../session/page-context.ts'
import { addKeyPage, expiryProblem, rulesOf } from './key-page.tsx'
import { addLimitPage } from './limits.tsx'

const NEW_KEY = { label: LABEL, ...RULES }

export function addKeyPages(app: PageApp, dashboard: Dashboard): void {
  const { accounts } = dashboard
  app.get('/keys', c => c.html(keysPage(c, dashboard)))

  app.post('/keys', async c => {
    const isOverview = (await formText(c, 'from')) === 'overview'
    // Two unnamed keys could not be told apart.
    const usual = `key ${c.var.keys().length + 1}`
    const run = ({ label, ...typed }: Values<typeof NEW_KEY>) =>
      createFreshKey(
        c,
        accounts,
        isOverview ? '/' : '/keys',
        id => accounts.createKey(c.var.account.id, { label: label || usual, rules: rulesOf(typed), id }),
        () => undefined,
        () =>
          `This form was sent before. Its key${label === '' ? '' : ` “${label}”`} exists and was shown once. If you have not copied it, revoke it and create another key.`,
      )
    return submit(c, '/keys', NEW_KEY, run, (_, values) => expiryProblem(values))
  })

  addKeySearch(app, '/keys')
  addKeyPage(app, dashboard)
  addLimitPage(app, dashboard)
}

function keysPage(c: PageContext, dashboard: Dashboard) {
  const waiting = Object.entries(c.var.session.kept()?.freshKeys ?? {}).filter(
    ([form]) => form !== c.req.query('new'),
  )
  const { account } = c.var
  const keys = c.var.keys()
  const form = c.var.refused
  const refused = form?.action === '/keys' ? form : undefined
  const typed = new URLSearchParams(refused?.typed)
  const hasRules = Object.keys(RULES).some(name => typed.get(name) || refused?.problems[name])
  return (
    <Page
      title="API keys"
      lead="Every request needs a key. Use one key per program, so that you can revoke each separately."
    >
      <FreshCard dashboard={dashboard} />
      {waiting.map(([form, { label }]) => (
        <p class="notice">
          The secret of the new key “{label}” was not shown yet. <a href={`/keys?new=${form}`}>Show it</a>
        </p>
      ))}
      <section class="card" aria-label="Create New Key">
        <details open={keys.length === 0 || refused !== undefined}>
          <summary>
            <h2>Create New Key</h2>
          </summary>
          <FieldsForm action="/keys" fields={{ label: LABEL }} button="Create New Key" kind="primary">
            <details open={hasRules}>
              <summary>Rules: expiry, limits, addresses, endpoints</summary>
              <p class="muted">{RULE_REFUSALS} You can change the rules later.</p>
              <div class="grid">
                {Object.entries(RULES).map(([name, field]) => (
                  <Field {...{ action: '/keys', name, field }} />
                ))}
              </div>
              <Button kind="primary" text="Create New Key" />
            </details>
          </FieldsForm>
        </details>
      </section>
      <KeyList {...{ account, keys, dashboard }} empty="You have no keys yet. Create the first one above." />
    </Page>
  )
}
