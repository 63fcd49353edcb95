/** The customer's own log: every change of the account. */
import { Page } from '../layout/page.tsx'
import { Pages, pageOf } from '../layout/pager.tsx'
import { plural } from '../layout/words.ts'
import type { Dashboard, PageApp } from '../shell/dashboard.ts'
import { LogTable, logFile } from './log-table.tsx'

export function addAccountLog(app: PageApp, { audit }: Dashboard): void {
  app.get('/account/log', async c => {
    const found = await audit.page(c.var.account.id, pageOf(c))
    return c.html(
      <Page c={c} title="Log" lead="Every change of this account: who, when, and from where.">
        <section class="log">
          <div class="heading">
            <h2>Changes</h2>
            <a class="button" href="/account/log.csv">
              Download CSV
            </a>
          </div>
          <LogTable entries={found.entries} />
          <Pages
            {...found}
            matches={plural(found.matches, 'entry', 'entries')}
            pathOf={page => `/account/log?page=${page}`}
          />
        </section>
      </Page>,
    )
  })

  app.get('/account/log.csv', c => logFile(c, audit, c.var.account.id))
}
