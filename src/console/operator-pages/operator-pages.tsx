/** Routes of the operator's pages under `/operator`. */
import type { Recharge } from '../payments/recharge.tsx'
import { operatorsOnly } from '../session/access.ts'
import type { Dashboard, PageApp } from '../session/page-context.ts'
import { addAccountList } from './accounts.tsx'
import { addOneAccount } from './operator-account.tsx'
import { addOperatorLog } from './operator-log.tsx'
import { addRevenue } from './revenue.tsx'
import { addServicePage } from './service-page.tsx'
import { addSettings } from './settings.tsx'

export function addOperatorPages(app: PageApp, dashboard: Dashboard, recharge: Recharge): void {
  app.use('/operator/*', operatorsOnly)
  app.get('/operator', c => c.redirect('/operator/service', 303))
  addServicePage(app, dashboard, recharge)
  addAccountList(app, dashboard)
  addOneAccount(app, dashboard, recharge)
  addRevenue(app, dashboard)
  addOperatorLog(app, dashboard)
  addSettings(app, dashboard)
}
