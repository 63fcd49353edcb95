/** Accounts in a data folder, or in the fleet of POSTRIE_TEST_FLEET. Most tests need none, so its code is loaded late. */

import { randomUUID } from 'node:crypto'
import { type Accounts, type AccountsOptions, openAccounts } from '../../src/billing/accounts/accounts.ts'
import type { DashboardRows } from '../../src/billing/fleet/open-fleet-accounts.ts'
import { accountsEnv } from './processes.ts'

/** Opens the dashboard rows of the fleet of `dir`; undefined without a fleet. */
export async function openTestRows(
  dir: string,
): Promise<{ rows: DashboardRows; close(): Promise<void> } | undefined> {
  const { ACCOUNTS: url } = accountsEnv(dir)
  if (url === undefined) return undefined
  const { openFleetDatabase } = await import('../../src/billing/fleet/fleet-database.ts')
  const store = await openFleetDatabase(url)
  const node = randomUUID()
  const epoch = await store.begin(node)
  await store.claimDashboard(node)
  const rows: DashboardRows = {
    read: name => store.readRows(name),
    write: (name, changes) => store.writeRows({ node, epoch }, name, changes),
  }
  return { rows, close: () => store.close() }
}

/** Opens the accounts in `options.dir`, or of its fleet. */
export async function openTestAccounts(options: AccountsOptions): Promise<Accounts> {
  const { ACCOUNTS: url } = accountsEnv(options.dir)
  if (url === undefined) return openAccounts(options)
  const { openFleetDatabase } = await import('../../src/billing/fleet/fleet-database.ts')
  const { openFleetAccounts } = await import('../../src/billing/fleet/open-fleet-accounts.ts')
  const store = await openFleetDatabase(url)
  const facts = { address: 'a test', version: '', indexBuild: '' }
  return (await openFleetAccounts({ ...options, database: store, facts })).accounts
}
