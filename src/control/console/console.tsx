/** The operator's pages, all under `/operator`: for everybody else there is nothing there. */
import { Pages, pageOf } from '../layout/pager.tsx'
import { Table } from '../layout/parts.tsx'
import { plural } from '../layout/words.ts'
import type { Dashboard, PageApp } from '../shell/dashboard.ts'
import { addOneAccount } from './account.tsx'
import { addAccountList } from './accounts.tsx'
import { OperatorPage } from './frame.tsx'
import { LogTable, logFile } from './log-table.tsx'
import { operatorsOnly } from './operators.ts'
import { addServicePage } from './service.tsx'
import { settingsInForce } from './settings-in-force.ts'

/** Comes after the checks of the session, of forms, and of who is an operator. */
export function addConsole(app: PageApp, dashboard: Dashboard): void {
  app.use('/operator', operatorsOnly())
  app.use('/operator/*', operatorsOnly())
  app.get('/operator', c => c.redirect('/operator/service', 303))
  addServicePage(app, dashboard)
  addAccountList(app, dashboard)
  addOneAccount(app, dashboard)
  addLog(app, dashboard)
  addSettings(app, dashboard)
}

function addLog(app: PageApp, { audit }: Dashboard): void {
  app.get('/operator/log', async c => {
    const account = c.req.query('account') || null
    const query = account === null ? '' : `account=${encodeURIComponent(account)}`
    const found = await audit.page(account, pageOf(c))
    return c.html(
      <OperatorPage
        c={c}
        title="Audit log"
        lead="Every change: who, when, and from where. The newest 64 MiB are kept."
      >
        <section class="log">
          <div class="heading">
            <h2>{account === null ? 'All accounts' : `Account ${account}`}</h2>
            <a class="button" href={`/operator/log.csv?${query}`}>
              Download CSV
            </a>
          </div>
          <LogTable entries={found.entries} isOperator ofAll={account === null} />
          <Pages
            {...found}
            matches={plural(found.matches, 'entry', 'entries')}
            pathOf={page => `/operator/log?${query}&page=${page}`}
          />
        </section>
      </OperatorPage>,
    )
  })

  app.get('/operator/log.csv', c => logFile(c, audit, c.req.query('account') || null, true))
}

function addSettings(app: PageApp, { config }: Dashboard): void {
  app.get('/operator/settings', c =>
    c.html(
      <OperatorPage c={c} title="Settings" lead="As they are in force. A change needs a restart.">
        <Table caption="Environment; secrets are hidden" heads={['Variable', 'Value']}>
          {settingsInForce(config).map(([name, value]) => (
            <tr>
              <td>
                <code>{name}</code>
              </td>
              <td>{value === '' ? <span class="muted">not set</span> : value}</td>
            </tr>
          ))}
        </Table>
      </OperatorPage>,
    ),
  )
}
