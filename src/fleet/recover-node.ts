/** Reports what a node that will not serve again has charged, from its folder. */
import { Ledger } from '../ledger/ledger.ts'
import { QUERY_PRICE_MICROS } from '../limits.ts'
import { allCounts, isSameSlot } from './journal.ts'
import { readNodeFile } from './node-file.ts'
import { Replica } from './replica.ts'
import type { FleetStore, KeyCounts, NodeFacts } from './store.ts'

export interface RecoveredNode {
  node: string
  epoch: number
  /** Keys that it has ever charged, and what they have used there. */
  keys: number
  queries: number
  /** The same of keys that the database does not have: it was replaced by a copy from before they were created. Not charged. */
  unknownKeys: number
  unknownQueries: number
  /** What such a copy did not know to be held and the balances could not pay. */
  forgivenMicros: number
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
    const replica = new Replica()
    const image = await store.image()
    await replica.load(image).finally(() => image.close())
    const [counts, unknown] = partition(allCounts(journal.book), ({ key }) =>
      isSameSlot(key, journal.book, replica.book),
    )
    let forgivenMicros = 0
    const identity = { node: file.node, epoch }
    await store.settle(identity, counts, lacking => {
      forgivenMicros += lacking.forgivenMicros
    })
    if (failure !== null) throw failure
    await store.retire(identity)
    return {
      node: file.node,
      epoch,
      keys: counts.length,
      queries: sumOf(counts),
      unknownKeys: unknown.length,
      unknownQueries: sumOf(unknown),
      forgivenMicros,
    }
  } finally {
    await journal.close()
  }
}

function partition<T>(items: readonly T[], test: (item: T) => boolean): [T[], T[]] {
  return [items.filter(test), items.filter(item => !test(item))]
}

function sumOf(counts: readonly KeyCounts[]): number {
  return counts.reduce((sum, { queries }) => sum + queries.reduce((a, b) => a + b, 0), 0)
}
