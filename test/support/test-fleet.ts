/** With POSTRIE_TEST_FLEET, the address of a PostgreSQL, each data folder is a fleet with its own schema. */

import { createHash, randomUUID } from 'node:crypto'
import { Accounts, type AccountsOptions } from '../../src/billing/accounts/accounts.ts'
import { type DashboardRows, dashboardRows } from '../../src/billing/fleet/dashboard-rows.ts'
import { openFleetAccounts } from '../../src/billing/fleet/open-fleet-accounts.ts'
import { openPostgresStore } from '../../src/billing/fleet/postgres-store.ts'

const DATABASE = process.env.POSTRIE_TEST_FLEET

/** Returns ACCOUNTS for processes on the data folder `dir`; nothing without a fleet. */
export function accountsEnv(dir: string | undefined): NodeJS.ProcessEnv {
  if (DATABASE === undefined || dir === undefined) return {}
  const address = new URL(DATABASE)
  address.searchParams.set('schema', `t_${createHash('sha256').update(dir).digest('hex').slice(0, 16)}`)
  return { ACCOUNTS: address.href }
}

/** Opens the dashboard rows of the fleet of `dir`; undefined without a fleet. */
export async function openTestRows(
  dir: string,
): Promise<{ rows: DashboardRows; close(): Promise<void> } | undefined> {
  const { ACCOUNTS: url } = accountsEnv(dir)
  if (url === undefined) return undefined
  const store = await openPostgresStore(url)
  const node = randomUUID()
  const epoch = await store.begin(node)
  await store.claimDashboard(node)
  return { rows: dashboardRows(store, { node, epoch }, () => {}), close: () => store.close() }
}

/** Opens the accounts in `options.dir`, or of its fleet. */
export async function openTestAccounts(options: AccountsOptions): Promise<Accounts> {
  const { ACCOUNTS: url } = accountsEnv(options.dir)
  if (url === undefined) return Accounts.open(options)
  const store = await openPostgresStore(url)
  const facts = { address: 'a test', version: '', indexBuild: '' }
  return (await openFleetAccounts({ ...options, store, facts })).accounts
}
