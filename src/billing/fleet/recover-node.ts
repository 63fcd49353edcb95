/** Recovers the charges of a node that will not serve again: `postrie node recover`. */
import { openLedger } from '../ledger/ledger.ts'
import { allCounts, isSameSlot, Replica } from './books.ts'
import type { FleetDatabase } from './fleet-database.ts'
import type { KeyCount } from './messages.ts'
import { expectFleet, readNodeFile } from './node-folder.ts'

export type RecoveredNode = Awaited<ReturnType<typeof recoverNode>>

/** Reports the charges of a folder's node, under the locks of its ledger and of the node. May be repeated. */
export async function recoverNode(folder: string, database: FleetDatabase) {
  const file = await readNodeFile(folder)
  if (file === null)
    throw new Error(
      `${folder} has no node.json: it is not the folder of a node. Name the folder 'node' of its DATA_DIR.`,
    )
  const { node } = file
  expectFleet(folder, file.fleet, await database.fleet())
  const ledger = await openLedger({ dir: folder, mayCreate: false })
  try {
    await database.lockNode(node)
    const epoch = await database.begin(node)
    const replica = await Replica.open(database)
    const [counts, unknown]: KeyCount[][] = [[], []]
    for (const count of allCounts(ledger.book))
      (isSameSlot(count.key, ledger.book, replica.book) ? counts : unknown).push(count)
    const { forgivenMicros } = await database.settle({ node, epoch }, counts)
    await ledger.untilDurable()
    await database.retire({ node, epoch })
    const keysOf = (some: KeyCount[]) => new Set(some.map(({ key }) => key)).size
    const sumOf = (some: KeyCount[]) => some.reduce((sum, { queries }) => sum + queries, 0)
    // Unknown: the database was replaced by a copy older than these keys. Forgiven: such a copy did not know
    // the leases, and the balances could not pay. Neither is charged.
    const known = { keys: keysOf(counts), queries: sumOf(counts) }
    const others = { unknownKeys: keysOf(unknown), unknownQueries: sumOf(unknown) }
    return { node, epoch, ...known, ...others, forgivenMicros }
  } finally {
    await ledger.close()
  }
}
