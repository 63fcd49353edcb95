/** `postrie fleet …`, `postrie node …` and `postrie migrate …`: many nodes on one PostgreSQL. */
import { resolve } from 'node:path'
import type { Command } from 'commander'
import { asOperatorError } from '../control/operator/operator-error.ts'
import type { PostgresStore } from '../fleet/postgres-store.ts'
import type { RecoveredNode } from '../fleet/recover-node.ts'
import { type FleetStatus, nodeState } from '../fleet/store.ts'
import { table } from '../platform/table.ts'
import { SECOND_MS } from '../platform/time.ts'
import { readConfig } from '../settings/config.ts'
import { addCommand, addGroup, type JsonFlag, money, print, time } from './command.ts'
import { UsageError } from './exit.ts'

const MICROS = 1_000_000

const MIGRATE_HELP = `
The server must be stopped, and the fleet empty. Everything is written in one transaction, read back and compared before it is
committed. The ledger stays in DATA_DIR as it was, with a mark that its accounts have moved. Rate limits begin to count again.
`

export function addFleetCommands(program: Command): void {
  const fleet = addGroup(
    program,
    'fleet',
    'show the nodes on one PostgreSQL, and give up those that never come back',
    'postrie fleet status',
  )

  addCommand(
    fleet,
    'status',
    'show nodes, epochs, leases, lag, index builds, and what is in doubt',
    'postrie fleet status --json',
  ).action(async ({ json }: JsonFlag) => print(json, await onFleet(store => store.status()), statusText))

  addCommand(
    fleet,
    'write-off <node>',
    'give up what a node held that has been silent for 24 hours; the customers get it back',
    'postrie fleet write-off 5f9a785a-24f6-46ed-92cf-c843e81a925b',
  ).action(async (node: string, { json }: JsonFlag) =>
    print(
      json,
      await onFleet(store => store.writeOff(node)),
      ({ accounts, micros }) => `${money(micros / MICROS)} of ${accounts} accounts is free again.`,
    ),
  )

  addCommand(
    fleet,
    'dashboard <node>',
    'give the dashboard to another node, whose next start takes it; the present one must be stopped',
    'postrie fleet dashboard 5f9a785a-24f6-46ed-92cf-c843e81a925b',
  ).action(async (node: string, { json }: JsonFlag) => {
    await onFleet(store => store.moveDashboard(node))
    print(json, { node }, () => `Node ${node} has the dashboard from its next start on.`)
  })

  const node = addGroup(
    program,
    'node',
    'bring in what one node of a fleet has charged',
    'postrie node recover /var/lib/postrie/node',
  )
  addCommand(
    node,
    'recover <folder>',
    "report what a node that will not serve again has charged, from the folder 'node' of its DATA_DIR",
    'postrie node recover /mnt/old-disk/postrie/node',
  ).action(async (folder: string, { json }: JsonFlag) => {
    const { recoverNode } = await import('../fleet/recover-node.ts')
    print(json, await onFleet(store => recoverNode(resolve(folder), store)), recoveredText)
  })

  const migrate = addGroup(
    program,
    'migrate',
    'move all accounts of one node to a fleet on PostgreSQL',
    'ACCOUNTS=postgres://… postrie migrate ledger-to-postgres',
  )
  addCommand(
    migrate,
    'ledger-to-postgres',
    'move the accounts of the ledger in DATA_DIR to the empty database of ACCOUNTS',
    'postrie migrate ledger-to-postgres',
    MIGRATE_HELP,
  ).action(async ({ json }: JsonFlag) => {
    const { accountsUrl, dataDir } = fleetConfig()
    const { moveToPostgres } = await import('../fleet/move-to-postgres.ts')
    const report = await moveToPostgres(dataDir, accountsUrl).catch(error => {
      throw asOperatorError(error)
    })
    print(json, report, ({ isFinished, accounts, keys, balanceMicros, queries, folder, database }) => {
      const done = isFinished ? 'An earlier run had moved' : 'Moved'
      const balance = money(balanceMicros / MICROS)
      return (
        `${done} ${accounts} accounts and ${keys} keys from ${folder} to ${database}: balance ${balance}, ${queries} queries. ` +
        'The ledger keeps its last state and is not used any more.'
      )
    })
  })
}

/** Settings of a process with a fleet's database. @throws UsageError without one */
function fleetConfig() {
  const { accountsUrl, ...config } = readConfig(process.env)
  if (accountsUrl !== null) return { ...config, accountsUrl }
  throw new UsageError(
    'ACCOUNTS is not set: this command needs the database of a fleet, as postgres://user:password@host/database',
  )
}

/** Runs `work` on the database of ACCOUNTS, whose schema stays as it is. @throws UsageError without it */
async function onFleet<T>(work: (store: PostgresStore) => Promise<T>): Promise<T> {
  const { accountsUrl } = fleetConfig()
  const { openPostgresStore } = await import('../fleet/postgres-store.ts')
  const store = await openPostgresStore(accountsUrl, { rights: 'none' })
  try {
    return await work(store)
  } finally {
    await store.close()
  }
}

function statusText(status: FleetStatus): string {
  const heads = [
    'node',
    'state',
    'address',
    '>epoch',
    '>silent s',
    '>behind',
    '>leases',
    '>held',
    'version',
    'index',
  ]
  const rows = status.nodes.map(node => [
    node.node,
    nodeState(node),
    node.address,
    node.epoch,
    Math.round(node.silentMs / SECOND_MS),
    node.lag,
    node.leases,
    money(node.heldMicros / MICROS),
    node.version,
    node.indexBuild.slice(0, 8),
  ])
  const writeOffs = status.writeOffs.map(
    ({ node, account, micros, timeMs }) =>
      `  ${time(new Date(timeMs).toISOString())}  account ${account}  ${money(micros / MICROS)}  of node ${node}`,
  )
  return [
    `fleet ${status.fleet}: ${status.accounts} accounts, ${status.keys} keys, ${status.sequence} changes`,
    `dashboard at node ${status.dashboard ?? 'none'}`,
    `leased ${money(status.leasedMicros / MICROS)}, in doubt ${money(status.inDoubtMicros / MICROS)}`,
    '',
    table(heads, rows),
    ...(writeOffs.length > 0 ? ['', 'given up:', ...writeOffs] : []),
  ].join('\n')
}

function recoveredText({ node, epoch, keys, queries, ...lost }: RecoveredNode): string {
  const { unknownKeys, unknownQueries, forgivenMicros } = lost
  return [
    `Node ${node}: ${queries} queries of ${keys} keys are booked, and what it held is free again. Epoch ${epoch}.`,
    ...(unknownKeys > 0
      ? [`The database does not have ${unknownKeys} of its keys: ${unknownQueries} queries are not charged.`]
      : []),
    ...(forgivenMicros > 0
      ? [`${money(forgivenMicros / MICROS)} exceeded the balances and are not charged.`]
      : []),
  ].join('\n')
}
