/** The operator's pages, all under `/operator`: for everybody else there is nothing there. */

import type { Dashboard, PageApp } from '../dashboard.ts'
import { List, whole } from '../layout/list.tsx'
import { Page } from '../layout/page.tsx'
import { operatorsOnly } from '../session/access.ts'
import { addOneAccount } from './account.tsx'
import { addAccountList } from './accounts.tsx'
import { addOperatorLog } from './log-page.tsx'
import { addServicePage } from './service.tsx'

export function addConsole(app: PageApp, dashboard: Dashboard): void {
  app.use('/operator', operatorsOnly())
  app.use('/operator/*', operatorsOnly())
  app.get('/operator', c => c.redirect('/operator/service', 303))
  addServicePage(app, dashboard)
  addAccountList(app, dashboard)
  addOneAccount(app, dashboard)
  addOperatorLog(app, dashboard)

  app.get('/operator/settings', c =>
    c.html(
      <Page c={c} title="Settings" lead="As they are in force, without secrets. A change needs a restart.">
        <List
          c={c}
          caption="Environment; secrets are hidden"
          found={whole(dashboard.config.inForce)}
          noun={['setting']}
          empty=""
          columns={[
            { head: 'Variable', cell: ([name]) => <code>{name}</code> },
            { head: 'Value', cell: ([, value]) => value || <span class="muted">not set</span> },
          ]}
        />
      </Page>,
    ),
  )
}
