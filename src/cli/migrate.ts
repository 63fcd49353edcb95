/** `postrie migrate`: all accounts from the ledger of one node to the database of a fleet. */
import type { Command } from 'commander'
import { asOperatorError } from '../control/operator/operator-error.ts'
import { readConfig } from '../settings/config.ts'
import { UsageError } from './exit.ts'
import { example, JSON_OPTION, type JsonFlag } from './options.ts'
import { money, print } from './words.ts'

const HELP = `
The server must be stopped, and the fleet empty. Everything is written in one transaction, read back and compared before it is
committed. The ledger stays in DATA_DIR as it was, with a mark that its accounts have moved. Rate limits begin to count again.
`

export function addMigrateCommands(program: Command): void {
  program
    .command('migrate')
    .description('move all accounts of one node to a fleet on PostgreSQL')
    .addHelpText('after', example('ACCOUNTS=postgres://… postrie migrate ledger-to-postgres'))
    .command('ledger-to-postgres')
    .description('move the accounts of the ledger in DATA_DIR to the empty database of ACCOUNTS')
    .addOption(JSON_OPTION)
    .addHelpText('after', HELP + example('postrie migrate ledger-to-postgres'))
    .action(async ({ json }: JsonFlag) => {
      const { accountsUrl, dataDir } = readConfig(process.env)
      if (accountsUrl === null)
        throw new UsageError(
          'ACCOUNTS is not set: this command needs the database of a fleet, as postgres://user:password@host/database',
        )
      const { moveToPostgres } = await import('../fleet/move-to-postgres.ts')
      const report = await moveToPostgres(dataDir, accountsUrl).catch(error => {
        throw asOperatorError(error)
      })
      print(json, report, ({ isFinished, accounts, keys, balanceMicros, queries, folder, database }) => {
        const done = isFinished ? 'An earlier run had moved' : 'Moved'
        const balance = money(balanceMicros / 1_000_000)
        return (
          `${done} ${accounts} accounts and ${keys} keys from ${folder} to ${database}: balance ${balance}, ${queries} queries. ` +
          'The ledger keeps its last state and is not used any more.'
        )
      })
    })
}
