/** Runs operator commands: in the running server, or else in this process under the ledger's lock. */
import { existsSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Accounts } from '../../billing/accounts/accounts.ts'
import type { CommandName, ResultOf } from '../../console/operator/commands.ts'
import { askServer } from '../../console/operator/operator-client.ts'
import { asOperatorError, OperatorError } from '../../console/operator/operator-error.ts'
import { packageVersion } from '../../platform/package-version.ts'
import { closeAll } from '../../platform/promises.ts'
import { type Config, readConfig } from '../../platform/settings/config.ts'
import { CHARGED } from '../../service/endpoints/table.ts'
import { expectDataFolder } from './data-folder.ts'

/** Time that a command waits for a data folder whose holder does not answer. */
const OPERATOR_WAIT_MS = 10_000

/** Runs a command. Retries for OPERATOR_WAIT_MS while another process has the lock. @throws OperatorError */
export async function operate<Name extends CommandName>(name: Name, params: object): Promise<ResultOf<Name>> {
  const config = readConfig(process.env)
  const { socketFile } = config
  const deadline = performance.now() + OPERATOR_WAIT_MS
  for (;;) {
    const answer = await askServer(socketFile, name, params)
    if (answer.reached) return answer.result as ResultOf<Name>
    try {
      return (await runHere(config, name, params)) as ResultOf<Name>
    } catch (error) {
      const isBusy = error instanceof OperatorError && error.code === 'busy'
      if (!isBusy || performance.now() > deadline) throw error
      await sleep(50)
    }
  }
}

async function runHere(config: Config, name: string, params: object): Promise<unknown> {
  const { dataDir: dir } = config
  expectDataFolder(dir)
  // Loaded late: a running server does not need it, and the command starts faster.
  const [{ openAuditLog }, { COMMAND_LINE, executeOn }] = await Promise.all([
    import('../../console/audit/audit-log.ts'),
    import('../../console/operator/commands.ts'),
  ])
  // A mistyped DATA_DIR must not look like a service without accounts.
  const mayCreate = name === 'account.create'
  const accounts = await openHere(config, mayCreate).catch(error => {
    throw asOperatorError(error)
  })
  let audit: Awaited<ReturnType<typeof openAuditLog>> | undefined
  try {
    audit = await openAuditLog(dir, console)
    accounts.onAudited(audit.record)
    return await executeOn(accounts, COMMAND_LINE)(name, params)
  } finally {
    await closeAll(
      () => audit?.untilWritten(),
      () => accounts.close(),
    )
  }
}

async function openHere(
  { dataDir: dir, flushMs, accountsMax, keysMax, accountsUrl }: Config,
  mayCreate: boolean,
): Promise<Accounts> {
  const onNotice = (notice: string) => console.error(notice)
  const options = { dir, flushMs, accountsMax, keysMax, usageClasses: CHARGED, onNotice }
  if (accountsUrl === null) {
    const { openAccounts } = await import('../../billing/accounts/accounts.ts')
    return openAccounts({ ...options, mayCreate })
  }
  const { nodeFolder } = await import('../../billing/fleet/node-folder.ts')
  // The folder of a node belongs to one fleet.
  if (process.env.DATA_DIR === undefined && !existsSync(nodeFolder(dir)))
    throw new OperatorError(
      'refused',
      `DATA_DIR is not set, and ${dir} is not the folder of a node: set DATA_DIR.`,
    )
  const { joinFleet } = await import('../../billing/fleet/open-fleet-accounts.ts')
  const facts = { address: 'a command', version: packageVersion(), indexBuild: '' }
  const { accounts } = await joinFleet(accountsUrl, facts, options, AbortSignal.abort())
  return accounts
}
