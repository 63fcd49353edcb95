/** `postrie fleet …`, `postrie node …` and `postrie migrate …`: many nodes on one PostgreSQL. */

import { resolve } from 'node:path'
import type { Command } from 'commander'
import type { FleetDatabase } from '../../billing/fleet/fleet-database.ts'
import type { FleetStatus } from '../../billing/fleet/messages.ts'
import type { RecoveredNode } from '../../billing/fleet/recover-node.ts'
import { asOperatorError } from '../../console/operator/operator-error.ts'
import { money, nodeState, plural, utcSecond } from '../../console/words.ts'
import { UsageError } from '../../platform/exit.ts'
import { readConfig } from '../../platform/settings/config.ts'
import { table } from '../../platform/text-table.ts'
import { SECOND_MS } from '../../platform/time.ts'
import { addCommand, addGroup, type JsonFlag, print } from './add-command.ts'

const MIGRATE_HELP = `
The server must be stopped, and the fleet empty. Everything is written in one transaction, and compared before the commit.
The ledger stays in DATA_DIR, with a mark that its accounts have moved. Rate limits restart at zero.
`

export function addCommands(program: Command): void {
  const fleet = addGroup(program, 'fleet', {
    summary: 'show the nodes of a fleet, and write off lost nodes',
    example: 'postrie fleet status',
  })

  addCommand(fleet, 'status', {
    summary: 'show nodes, epochs, leases, lag, index builds and the money in doubt',
    example: 'postrie fleet status --json',
  }).action(async ({ json }: JsonFlag) =>
    print(json, await onFleet(database => database.status()), statusText),
  )

  addCommand(fleet, 'write-off <node>', {
    summary: 'return the leases of a node that has been silent for 24 hours to its customers',
    example: 'postrie fleet write-off 5f9a785a-24f6-46ed-92cf-c843e81a925b',
  }).action(async (node: string, { json }: JsonFlag) =>
    print(
      json,
      await onFleet(database => database.writeOff(node)),
      ({ accounts, micros }) => `Returned ${money(micros)} to ${plural(accounts, 'account')}.`,
    ),
  )

  addCommand(fleet, 'dashboard <node>', {
    summary:
      'move the dashboard to another node, which serves it after a restart. Stop the present node first',
    example: 'postrie fleet dashboard 5f9a785a-24f6-46ed-92cf-c843e81a925b',
  }).action(async (node: string, { json }: JsonFlag) => {
    await onFleet(database => database.moveDashboard(node))
    print(json, { node }, () => `Node ${node} has the dashboard. Restart it.`)
  })

  const node = addGroup(program, 'node', {
    summary: 'book the charges of one lost node',
    example: 'postrie node recover /var/lib/postrie/node',
  })
  addCommand(node, 'recover <folder>', {
    summary: "book the charges of a lost node from the folder 'node' of its DATA_DIR",
    example: 'postrie node recover /mnt/old-disk/postrie/node',
  }).action(async (folder: string, { json }: JsonFlag) => {
    const { recoverNode } = await import('../../billing/fleet/recover-node.ts')
    print(json, await onFleet(database => recoverNode(resolve(folder), database)), recoveredText)
  })

  const migrate = addGroup(program, 'migrate', {
    summary: 'move all accounts of one node to a fleet on PostgreSQL',
    example: 'ACCOUNTS=postgres://… postrie migrate ledger-to-postgres',
  })
  addCommand(migrate, 'ledger-to-postgres', {
    summary: 'move the accounts of the ledger in DATA_DIR to the empty database of ACCOUNTS',
    example: 'postrie migrate ledger-to-postgres',
    help: MIGRATE_HELP,
  }).action(async ({ json }: JsonFlag) => {
    const { accountsUrl, dataDir } = fleetConfig()
    const { migrateToPostgres } = await import('../../billing/fleet/migrate-to-postgres.ts')
    const report = await migrateToPostgres(dataDir, accountsUrl).catch(error => {
      throw asOperatorError(error)
    })
    print(json, report, ({ isFinished, accounts, keys, balanceMicros, queries, folder, database }) => {
      const done = isFinished ? 'An earlier run had moved' : 'Moved'
      const moved = `${accounts} accounts and ${keys} keys from ${folder} to ${database}`
      return `${done} ${moved}: balance ${money(balanceMicros)}, ${queries} queries. The ledger is kept, but no longer used.`
    })
  })
}

/** Returns the settings, with the address of the fleet's database. @throws UsageError without ACCOUNTS */
function fleetConfig() {
  const { accountsUrl, ...config } = readConfig(process.env)
  if (accountsUrl !== null) return { ...config, accountsUrl }
  throw new UsageError(
    'ACCOUNTS is not set: set it to the database of the fleet, as postgres://user:password@host/database',
  )
}

/** Runs `work` on the database of ACCOUNTS, whose schema stays. @throws UsageError without ACCOUNTS */
async function onFleet<T>(work: (database: FleetDatabase) => Promise<T>): Promise<T> {
  const { accountsUrl } = fleetConfig()
  const { openFleetDatabase } = await import('../../billing/fleet/fleet-database.ts')
  const database = await openFleetDatabase(accountsUrl, { mayCreate: false })
  try {
    return await work(database)
  } finally {
    await database.close()
  }
}

function statusText(status: FleetStatus): string {
  const heads = 'node,state,address,>epoch,>silent s,>behind,>leases,>held,version,index'.split(',')
  const rows = status.nodes.map(node => [
    node.node,
    nodeState(node),
    node.address,
    node.epoch,
    Math.round(node.silentMs / SECOND_MS),
    node.lag,
    node.leases,
    money(node.heldMicros),
    node.version,
    node.indexBuild.slice(0, 8),
  ])
  const writeOffs = status.writeOffs.map(
    ({ node, account, micros, timeMs }) =>
      `  ${utcSecond(timeMs)}  account ${account}  ${money(micros)}  of node ${node}`,
  )
  return [
    `fleet ${status.fleet}: ${status.accounts} accounts, ${status.keys} keys, ${status.sequence} changes`,
    `dashboard at node ${status.dashboard ?? 'none'}`,
    `leased ${money(status.leasedMicros)}, in doubt ${money(status.inDoubtMicros)}`,
    '',
    table(heads, rows),
    ...(writeOffs.length > 0 ? ['', 'written off:', ...writeOffs] : []),
  ].join('\n')
}

function recoveredText({ node, epoch, keys, queries, ...lost }: RecoveredNode): string {
  const { unknownKeys, unknownQueries, forgivenMicros } = lost
  return [
    `Node ${node}, epoch ${epoch}: booked ${queries} queries of ${keys} keys, and returned its leases.`,
    ...(unknownKeys > 0
      ? [`The database lacks ${unknownKeys} of its keys: ${unknownQueries} queries are not charged.`]
      : []),
    ...(forgivenMicros > 0 ? [`${money(forgivenMicros)} exceeded the balances and are not charged.`] : []),
  ].join('\n')
}
