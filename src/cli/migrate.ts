/** `postrie migrate …`: all accounts from the ledger of one node to the database of a fleet, and back. */
import type { Command } from 'commander'
import { asOperatorError } from '../control/operator/operator-refusal.ts'
import type { MoveReport } from '../fleet/move-report.ts'
import { readConfig } from '../settings/config.ts'
import { example, JSON_OPTION, type JsonFlag } from './options.ts'
import { money, print } from './output.ts'
import { UsageError } from './usage-error.ts'

const TO_POSTGRES_HELP = `
The server must be stopped, and the fleet empty. Everything is written in one transaction, read back and compared before it is
committed. The ledger stays in DATA_DIR as it was, with a mark that its accounts have moved. Rate limits begin to count again.
`

const TO_LEDGER_HELP = `
All nodes must have been stopped. The ledger is made in DATA_DIR, read back and compared before the fleet is marked as moved; the
database stays as it was. A ledger that was moved to the fleet is renamed, and never deleted. Rate limits begin to count again.
`

export function addMigrateCommands(program: Command): void {
  const migrate = program
    .command('migrate')
    .description('move all accounts between one node and a fleet on PostgreSQL')
    .addHelpText('after', example('ACCOUNTS=postgres://… postrie migrate ledger-to-postgres'))

  migrate
    .command('ledger-to-postgres')
    .description('move the accounts of the ledger in DATA_DIR to the empty database of ACCOUNTS')
    .addOption(JSON_OPTION)
    .addHelpText('after', TO_POSTGRES_HELP + example('postrie migrate ledger-to-postgres'))
    .action(async ({ json }: JsonFlag) => {
      const { moveToPostgres } = await import('../fleet/move-to-postgres.ts')
      print(json, await move(moveToPostgres), report =>
        movedText(
          report,
          `${report.folder} to ${report.database}`,
          'The ledger keeps its last state and is not used any more.',
        ),
      )
    })

  migrate
    .command('postgres-to-ledger')
    .description('move the accounts of the database of ACCOUNTS to a new ledger in DATA_DIR')
    .addOption(JSON_OPTION)
    .addHelpText('after', TO_LEDGER_HELP + example('postrie migrate postgres-to-ledger'))
    .action(async ({ json }: JsonFlag) => {
      const { moveToLedger } = await import('../fleet/move-to-ledger.ts')
      const report = await move(async (dir, url) => {
        const moved = await moveToLedger(dir, url)
        await bringDashboard(dir, url, moved.isFinished)
        return moved
      })
      print(json, report, report => {
        const aside = report.replaced === null ? '' : `\nThe ledger that was there is now ${report.replaced}.`
        const next = 'The database keeps its last state. Start the node without ACCOUNTS.'
        return movedText(report, `${report.database} to ${report.folder}`, next) + aside
      })
    })
}

/** Alerts and saved cards, which the database has as well. */
async function bringDashboard(dir: string, url: string, isAgain: boolean): Promise<void> {
  const { carryBack } = await import('../control/alerts/carry-back.ts')
  const { readDashboardRows } = await import('../fleet/dashboard-rows.ts')
  const { openFleetStore } = await import('../fleet/join-fleet.ts')
  const store = await openFleetStore(url, 'none')
  try {
    await carryBack({ read: name => readDashboardRows(store, name) }, dir, isAgain)
  } finally {
    await store.close()
  }
}

/** @throws UsageError without ACCOUNTS; OperatorError for what the ledger reports */
async function move(run: (dir: string, url: string) => Promise<MoveReport>): Promise<MoveReport> {
  const { accountsUrl, dataDir } = readConfig(process.env)
  if (accountsUrl === null)
    throw new UsageError(
      'ACCOUNTS is not set: this command needs the database of a fleet, as postgres://user:password@host/database',
    )
  try {
    return await run(dataDir, accountsUrl)
  } catch (error) {
    throw asOperatorError(error)
  }
}

function movedText(report: MoveReport, from: string, next: string): string {
  const { isFinished, accounts, keys, balanceMicros, queries } = report
  const done = isFinished ? 'An earlier run had moved' : 'Moved'
  const balance = money(balanceMicros / 1_000_000)
  return `${done} ${accounts} accounts and ${keys} keys from ${from}: balance ${balance}, ${queries} queries. ${next}`
}
