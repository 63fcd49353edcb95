/** Carries out an operation where the accounts are: in the running server, or here under the ledger's lock. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Accounts } from '../accounts/accounts.ts'
import type { OperationName, ResultOf } from '../control/operator/operations.ts'
import { askServer } from '../control/operator/operator-client.ts'
import { OperatorError } from '../control/operator/operator-error.ts'
import { asOperatorError } from '../control/operator/operator-refusal.ts'
import { OPERATOR_WAIT_MS } from '../limits.ts'
import { closeAll } from '../platform/close-all.ts'
import { packageVersion } from '../platform/package-version.ts'
import { type Config, readConfig } from '../settings/config.ts'
import { expectDataFolder } from './data-folder.ts'

/**
 * The operation's result. A server that is just starting or stopping, and another command, hold the lock without
 * answering; that passes, so it is tried again for a while.
 * @throws OperatorError
 */
export async function operate<Name extends OperationName>(
  name: Name,
  params: object,
): Promise<ResultOf<Name>> {
  const config = readConfig(process.env)
  const { socketFile } = config
  const deadline = performance.now() + OPERATOR_WAIT_MS
  for (;;) {
    const answer = await askServer(socketFile, name, params)
    if (answer.reached) return answer.result as ResultOf<Name>
    try {
      return (await runHere(config, name, params)) as ResultOf<Name>
    } catch (error) {
      const busy = error instanceof OperatorError && error.code === 'busy'
      if (!busy || performance.now() > deadline) throw error
      await sleep(50)
    }
  }
}

async function runHere(config: Config, name: string, params: object): Promise<unknown> {
  const { dataDir: dir } = config
  expectDataFolder(dir)
  // Loaded late: through the socket of a running server none of it is needed, and a command starts faster.
  const [{ AuditLog }, { COMMAND_LINE, executeOn }] = await Promise.all([
    import('../control/audit/audit-log.ts'),
    import('../control/operator/operations.ts'),
  ])
  // A mistyped DATA_DIR must not look like a service without accounts.
  const mayCreate = name === 'account.create'
  const accounts = await openHere(config, mayCreate).catch(error => {
    throw asOperatorError(error)
  })
  let audit: Awaited<ReturnType<typeof AuditLog.open>> | undefined
  try {
    audit = await AuditLog.open(dir, console)
    audit.follow(accounts)
    return await executeOn(accounts, COMMAND_LINE)(name, params)
  } finally {
    await closeAll(
      () => audit?.close(),
      () => accounts.close(),
    )
  }
}

/** Of the ledger in DATA_DIR, or of the fleet, which this process joins for the time of one command. */
async function openHere(
  { dataDir: dir, flushMs, accountsUrl }: Config,
  mayCreate: boolean,
): Promise<Accounts> {
  if (accountsUrl === null) {
    const { Accounts } = await import('../accounts/accounts.ts')
    return Accounts.open({ dir, flushMs, mayCreate })
  }
  const { joinFleet } = await import('../fleet/join-fleet.ts')
  const facts = { address: 'a command', version: packageVersion(), indexBuild: '' }
  const { accounts } = await joinFleet(accountsUrl, facts, { dir, flushMs }, 'create')
  return accounts
}
