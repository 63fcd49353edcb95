/** The audit log of all accounts, and the latest changes of one. */
import { addKeySearch, List, onePage, readQuery } from '../layout/list.tsx'
import { addLog, logColumns, NO_CHANGES } from '../sections/log.tsx'
import type { Dashboard, PageApp } from '../session/page-context.ts'

/** Number of changes on the first page of an account. */
const LATEST = 5

export function addOperatorLog(app: PageApp, dashboard: Dashboard): void {
  const { accounts } = dashboard
  addKeySearch(app, '/operator/log')
  addLog(app, dashboard, '/operator/log', async () => {
    const { wanted } = readQuery({})
    const one = accounts.account(wanted)
    return { accounts, account: one?.id ?? null, isOperator: true, text: one === undefined ? wanted : '' }
  })
}

export async function LatestChanges({ dashboard, id }: { dashboard: Dashboard; id: string }) {
  const { audit, accounts } = dashboard
  const { rows, matches } = await audit.page(id, 1, ({ what }) => !NO_CHANGES.includes(what))
  return (
    <>
      <List
        class="log"
        title="Latest changes"
        empty="The log has no change of this account."
        found={onePage(rows.slice(0, LATEST), matches)}
        columns={logColumns(accounts, true)}
      />
      <a href={`/operator/log?q=${id}`}>Log of this account</a>
    </>
  )
}
