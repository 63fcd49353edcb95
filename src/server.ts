/** Starts the parts of the service in the order of their dependencies, and stops them in reverse. */
import { openAccounts } from './billing/accounts/accounts.ts'
import { actingAs } from './billing/accounts/actor.ts'
import { createDemoAccount, type DemoAccount } from './billing/demo-account.ts'
import type { NodeFacts } from './billing/fleet/messages.ts'
import type { JoinedFleet } from './billing/fleet/open-fleet-accounts.ts'
import { reservedBytes } from './billing/ledger/reserved-space.ts'
import type { ServerPorts } from './console/operator/operator-client.ts'
import type { Log } from './platform/log.ts'
import { packageVersion } from './platform/package-version.ts'
import { closeAll } from './platform/promises.ts'
import type { Config } from './platform/settings/config.ts'
import { type IndexPolling, pollIndex } from './postal/publication/poll-index.ts'
import type { DataPlane, Reload, StartDataPlane } from './service/data-plane.ts'
import { CHARGED } from './service/endpoints/table.ts'

export interface Server {
  /** Port of the API, never 0. */
  readonly port: number
  readonly controlPort: number
  /** The dashboard's address for a browser, with a token if tokens sign in. */
  readonly entrance: string
  readonly demoAccount: DemoAccount | null
  /** Rejects if the ledger cannot be written or a server thread died: the process must end. */
  readonly failure: Promise<never>
  /** Serves the index file if it holds another build. */
  reload(): Promise<Reload>
  /** Answers the requests in progress, syncs the ledger, releases the data folder. @throws the first error */
  close(): Promise<void>
}

/**
 * Starts accounts, data plane, control plane and operator socket. The index file must exist.
 * @param giveUp ends the wait for a fleet's database that does not answer. By default nothing waits
 * @throws OperatorError `busy` or `damaged`; Error if a port is taken or the index cannot be read
 */
export async function startServer(
  config: Config,
  startDataPlane: StartDataPlane,
  log: Log,
  giveUp = AbortSignal.abort(),
): Promise<Server> {
  const closers: (() => Promise<void>)[] = []
  // Planes stop charging before the accounts sync and release the lock.
  const close = () => closeAll(...closers.splice(0).reverse())
  try {
    let fail: (error: Error) => void = () => {}
    const failure = new Promise<never>((_resolve, reject) => {
      fail = reject
    })
    // The caller waits for it only once the server runs. An earlier failure must not count as unhandled.
    failure.catch(() => {})
    const failLedger = (cause: Error) =>
      fail(new Error(`the ledger cannot be written: ${cause.message}`, { cause }))
    // Facts for other nodes' operators. Port and build follow once they are known.
    const facts: NodeFacts = { address: config.host, version: packageVersion(), indexBuild: '' }
    const joining = openOrJoin(config, facts, failLedger, log, giveUp)
    const opening = joining.then(({ accounts }) => accounts)
    closers.push(async () => (await unlessFailed(opening))?.close())
    // Meanwhile the ledger is opened.
    const starting = startDataPlane({ config, accounts: opening, log, onFatal: fail })
    closers.push(async () => (await unlessFailed(starting))?.close())
    // It may fail while the ledger is still being opened. That must not count as unhandled.
    starting.catch(() => {})
    const accounts = await opening
    const dataPlane = await starting
    const fleet = await joining
    const { metrics: accountsMetrics, status: fleetStatus } = fleet
    facts.address = `${config.host}:${dataPlane.port}`
    facts.indexBuild = dataPlane.index().file.buildId
    dataPlane.onIndex(({ file }) => {
      facts.indexBuild = file.buildId
    })
    // The API answers already. The dashboard's libraries take longest to load.
    const [{ startControlPlane }, { COMMAND_LINE, executeOn }, { listenToOperator }, { PORTS, RELOAD }] =
      await Promise.all([
        import('./console/control-plane.ts'),
        import('./console/operator/commands.ts'),
        import('./console/operator/operator-socket.ts'),
        import('./console/operator/operator-client.ts'),
      ])
    const reload = () => dataPlane.reload()
    const polling = pollIndexUrl(config, dataPlane, log)
    closers.push(async () => polling?.close())
    const moreMetrics = () => [...(polling?.metrics() ?? []), ...accountsMetrics()]
    const controlPlane = await startControlPlane({
      config,
      accounts,
      dataPlane,
      moreMetrics,
      followed: polling === null ? undefined : () => polling.state,
      fleetStatus,
      elsewhere: await elsewhereText(fleet, log),
      sharedAudit: fleet.audit,
      sharedRows: fleet.rows,
      log,
    })
    closers.push(() => controlPlane.close())
    // The audit log is open now, so it records the account.
    const demoAccount = await createDemoAccount(accounts)
    const { port: controlPort, entrance, service } = controlPlane
    const onAccounts = executeOn(accounts, COMMAND_LINE, service)
    const ports: ServerPorts = { pid: process.pid, port: dataPlane.port, controlPort }
    const execute = async (name: string, params: unknown) => {
      if (name === PORTS) return ports
      return name === RELOAD ? actingAs(COMMAND_LINE, reload) : onAccounts(name, params)
    }
    const operator = await listenToOperator(config.socketFile, execute, log)
    closers.push(() => operator.close())
    return { port: dataPlane.port, controlPort, entrance, demoAccount, failure, reload, close }
  } catch (error) {
    // The first error says why the start failed.
    await close().catch(() => {})
    throw error
  }
}

function pollIndexUrl(
  { indexUrl, indexPublicKey, indexFile, indexCheckMs, dataDir }: Config,
  dataPlane: DataPlane,
  log: Log,
): IndexPolling | null {
  if (indexUrl === null) return null
  const source = { url: indexUrl, publicKey: indexPublicKey }
  const servedBuild = () => dataPlane.index().file.buildId
  const reload = () => dataPlane.reload()
  const leaveBytes = () => reservedBytes(dataDir, indexFile)
  return pollIndex({ source, indexFile, leaveBytes, intervalMs: indexCheckMs, servedBuild, reload }, log)
}

/** Returns a sentence on the other node that has the fleet's dashboard; undefined if none has. */
async function elsewhereText(fleet: Partial<JoinedFleet>, log: Log): Promise<string | undefined> {
  const holder = await fleet.dashboardElsewhere?.()
  if (holder === null || holder === undefined) return undefined
  const { node, address } = holder
  log.info({ node, address }, 'another node has the dashboard of this fleet')
  return (
    `The dashboard of this fleet is at node ${node}, whose API is at ${address}. ` +
    'If that node is gone, give the dashboard to another one with `postrie fleet dashboard <node>`.'
  )
}

function unlessFailed<T>(starting: Promise<T>): Promise<T | undefined> {
  return starting.catch(() => undefined)
}

async function openOrJoin(
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
    usageClasses: CHARGED,
    onFatal,
    onNotice: (notice: string) => log.warn(notice),
  }
  try {
    if (accountsUrl === null) return { accounts: await openAccounts(options), metrics: () => [] }
    // A single node never loads the fleet's code.
    const { joinFleet } = await import('./billing/fleet/open-fleet-accounts.ts')
    return await joinFleet(accountsUrl, facts, options, giveUp)
  } catch (error) {
    const { asOperatorError } = await import('./console/operator/operator-error.ts')
    throw asOperatorError(error)
  }
}
