/** Reports what a node that will not serve again has charged, from its folder. */
import { Ledger } from '../ledger/ledger.ts'
import { QUERY_PRICE_MICROS } from '../limits.ts'
import { allCounts } from './journal.ts'
import { readNodeFile } from './node-file.ts'
import type { FleetStore, NodeFacts } from './store.ts'

export interface RecoveredNode {
  node: string
  epoch: number
  /** Keys that it has ever charged, and what they have used there. */
  keys: number
  queries: number
}

/**
 * Takes the lock of the journal in `folder`, raises the node's epoch, so that a process that still runs with a copy of the folder is
 * refused, reports all counts, and returns what the node held. May be repeated.
 * @param folder the folder `node` of a DATA_DIR
 * @throws LedgerError when a process has the folder open or the journal is damaged; Error when it is not a node's folder
 */
export async function recoverNode(
  folder: string,
  store: FleetStore,
  facts: NodeFacts,
): Promise<RecoveredNode> {
  const file = await readNodeFile(folder)
  if (file === null)
    throw new Error(
      `${folder} has no node.json: it is not the folder of a node. Name the folder 'node' of its DATA_DIR.`,
    )
  let failure: Error | null = null
  const journal = await Ledger.open({
    dir: folder,
    mayCreate: false,
    priceMicros: QUERY_PRICE_MICROS,
    onFail(error) {
      failure = error
    },
  })
  try {
    const { epoch, fleet } = await store.begin(file.node, facts)
    if (file.fleet !== null && file.fleet !== fleet)
      throw new Error(
        `${folder} belongs to fleet ${file.fleet}, and the database is that of fleet ${fleet}: set ACCOUNTS.`,
      )
    const counts = allCounts(journal.book)
    const identity = { node: file.node, epoch }
    await store.settle(identity, counts)
    if (failure !== null) throw failure
    await store.retire(identity)
    const queries = counts.reduce((sum, { queries }) => sum + queries.reduce((a, b) => a + b, 0), 0)
    return { node: file.node, epoch, keys: counts.length, queries }
  } finally {
    await journal.close()
  }
}
