/** Starts the parts of the service in the order of their dependencies, and stops them in reverse. */
import { Accounts } from './accounts/accounts.ts'
import { actingAs } from './accounts/actor.ts'
import type { ServerPorts } from './control/operator/operator-client.ts'
import type { DataPlane, Reload, StartDataPlane } from './data-plane.ts'
import { createFirstAccount, type FirstAccount } from './demo-account.ts'
import type { JoinedFleet } from './fleet/open-fleet-accounts.ts'
import type { NodeFacts } from './fleet/store.ts'
import { roomForLedger } from './ledger/room-for-ledger.ts'
import { closeAll } from './platform/close-all.ts'
import type { Log } from './platform/log.ts'
import { packageVersion } from './platform/package-version.ts'
import { followIndex, type IndexFollower } from './publication/follow-index.ts'
import type { Config } from './settings/config.ts'

export interface Server {
  /** Real ports, also when the settings said 0. */
  readonly port: number
  readonly controlPort: number
  /** The dashboard's address for a browser, with the token of the development sign-in where there is one. */
  readonly entrance: string
  readonly firstAccount: FirstAccount | null
  /** Rejects when the ledger cannot be written any more or a server thread has died; the process must then end. Never resolves. */
  readonly failure: Promise<never>
  /** Takes over the index file when it holds another build. */
  reload(): Promise<Reload>
  /** Answers what is in progress, syncs the ledger, releases the data folder. @throws Error of the first part that failed to stop */
  close(): Promise<void>
}

/**
 * Starts accounts, data plane, control plane and operator socket on an index that exists.
 * @param rebuild builds the index file again; resolves with the builder's exit code
 * @param giveUp ends the wait for a fleet's database that does not answer; without it, none waits
 * @throws OperatorError `busy` when another process holds the data folder, `damaged` when the ledger is;
 * Error when a port is taken or the index cannot be read. Whatever had started by then is closed again.
 */
export async function startServer(
  config: Config,
  startDataPlane: StartDataPlane,
  log: Log,
  rebuild?: () => Promise<number>,
  giveUp = AbortSignal.abort(),
): Promise<Server> {
  const closers: (() => Promise<void>)[] = []
  // The last to start is the first to stop: planes stop charging before the accounts sync and release the lock.
  const close = () => closeAll(...closers.splice(0).reverse())
  try {
    let fail: (error: Error) => void = () => {}
    const failure = new Promise<never>((_resolve, reject) => {
      fail = reject
    })
    // The caller waits for it once the server runs. A failure before that must not end the process as an unhandled one.
    failure.catch(() => {})
    const failLedger = (cause: Error) =>
      fail(new Error(`the ledger cannot be written: ${cause.message}`, { cause }))
    // Facts for other nodes' operators. Port and build follow once they are known.
    const facts: NodeFacts = { address: config.host, version: packageVersion(), indexBuild: '' }
    const joining = openAccounts(config, facts, failLedger, log, giveUp)
    const opening = joining.then(({ accounts }) => accounts)
    closers.push(async () => (await opened(opening))?.close())
    // Threads load their code and the index is read meanwhile.
    const starting = startDataPlane({ config, accounts: opening, log, onFatal: fail })
    closers.push(async () => (await opened(starting))?.close())
    // It may fail while the ledger is still being opened, long before anybody waits for it.
    starting.catch(() => {})
    const accounts = await opening
    const dataPlane = await starting
    const fleet = await joining
    const { metrics: accountsMetrics, status: fleetStatus, describe = () => {} } = fleet
    facts.address = `${config.host}:${dataPlane.port}`
    facts.indexBuild = dataPlane.index()?.file.buildId ?? ''
    describe()
    dataPlane.onIndex?.(({ file }) => {
      facts.indexBuild = file.buildId
      describe()
    })
    // Loaded only now: the API answers already, and the dashboard's libraries take longer to load than all else.
    const [{ startControlPlane }, { executeOn, SOCKET }, { listenToOperator }, { PORTS, RELOAD }] =
      await Promise.all([
        import('./control/control-plane.ts'),
        import('./control/operator/commands.ts'),
        import('./control/operator/operator-socket.ts'),
        import('./control/operator/operator-client.ts'),
      ])
    const reload = async (): Promise<Reload> => {
      if (dataPlane.reload === undefined) throw new Error('this data plane has no index to reload')
      return dataPlane.reload()
    }
    const follower = follow(config, dataPlane, reload, log)
    closers.push(async () => follower?.close())
    const moreMetrics = () => [...(follower?.metrics() ?? []), ...accountsMetrics()]
    const controlPlane = await startControlPlane({
      config,
      accounts,
      dataPlane,
      rebuild,
      moreMetrics,
      followed: follower === null ? undefined : () => follower.state,
      fleetStatus,
      elsewhere: await dashboardElsewhere(fleet, log),
      sharedAudit: fleet.audit,
      sharedRows: fleet.rows,
      log,
    })
    closers.push(() => controlPlane.close())
    // The audit log follows by now.
    const firstAccount = await createFirstAccount(accounts, config.accountsUrl !== null)
    const onAccounts = executeOn(accounts, SOCKET)
    const { port: controlPort, entrance } = controlPlane
    const ports: ServerPorts = { pid: process.pid, port: dataPlane.port, controlPort }
    const execute = async (name: string, params: unknown) => {
      if (name === PORTS) return ports
      return name === RELOAD ? actingAs(SOCKET, reload) : onAccounts(name, params)
    }
    const operator = await listenToOperator(config.socketFile, execute, log)
    closers.push(() => operator.close())
    return { port: dataPlane.port, controlPort, entrance, firstAccount, failure, reload, close }
  } catch (error) {
    // The first error says why the start failed.
    await close().catch(() => {})
    throw error
  }
}

function follow(
  { indexUrl, indexPublicKey, indexFile, indexCheckMs, dataDir }: Config,
  dataPlane: DataPlane,
  reload: () => Promise<Reload>,
  log: Log,
): IndexFollower | null {
  if (indexUrl === null) return null
  const source = { url: indexUrl, publicKey: indexPublicKey }
  const servedBuild = () => dataPlane.index()?.file.buildId
  const leaveBytes = () => roomForLedger(dataDir, indexFile)
  return followIndex({ source, indexFile, leaveBytes, intervalMs: indexCheckMs, servedBuild, reload }, log)
}

/** Which other node of the fleet has the dashboard, as a sentence; undefined: none. */
async function dashboardElsewhere(
  { dashboardElsewhere }: Partial<JoinedFleet>,
  log: Log,
): Promise<string | undefined> {
  const holder = await dashboardElsewhere?.()
  if (holder === null || holder === undefined) return undefined
  const { node, address } = holder
  log.info({ node, address }, 'another node has the dashboard of this fleet')
  return (
    `The dashboard of this fleet is at node ${node}, whose API is at ${address}. ` +
    'If that node is gone, give the dashboard to another one with `postrie fleet dashboard <node>`.'
  )
}

/** Returns the started part, or undefined when the start failed, which its caller knows. */
function opened<T>(starting: Promise<T>): Promise<T | undefined> {
  return starting.catch(() => undefined)
}

async function openAccounts(
  { dataDir, flushMs, accountsMax, keysMax, accountsUrl }: Config,
  facts: NodeFacts,
  onFatal: (error: Error) => void,
  log: Log,
  giveUp: AbortSignal,
): Promise<Pick<JoinedFleet, 'accounts' | 'metrics'> & Partial<JoinedFleet>> {
  const options = {
    dir: dataDir,
    flushMs,
    accountsMax,
    keysMax,
    onFatal,
    onNotice: (notice: string) => log.warn(notice),
  }
  try {
    if (accountsUrl === null) return { accounts: await Accounts.open(options), metrics: () => [] }
    // A node that is alone never loads the fleet's code.
    const { joinFleet } = await import('./fleet/open-fleet-accounts.ts')
    return await joinFleet(accountsUrl, facts, options, giveUp)
  } catch (error) {
    const { asOperatorError } = await import('./control/operator/operator-error.ts')
    throw asOperatorError(error)
  }
}
