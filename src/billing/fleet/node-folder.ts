/** Identity of a node, kept in its folder beside its ledger. A start begins the node's next epoch. */
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import * as z from 'zod'
import { readJson, writeJson } from '../ledger/disk/files.ts'
import { nodeFileSystem } from '../ledger/disk/node-file-system.ts'
import { unusable } from '../ledger/ledger-error.ts'
import type { FleetDatabase } from './fleet-database.ts'
import type { NodeIdentity } from './messages.ts'

const uuidOrNull = z.uuid().nullable()
const NODE_FILE = z.strictObject({
  node: z.uuid(),
  fleet: uuidOrNull,
  /** Number of starts that the database accepted. */
  starts: z.int().nonnegative(),
  /** Random UUID of the last accepted start. */
  last: uuidOrNull,
  /** Random UUID of a start that may not be accepted yet. */
  attempted: uuidOrNull,
})

type NodeFile = z.infer<typeof NODE_FILE>

/** Returns the folder inside DATA_DIR with the node's ledger and identity. */
export function nodeFolder(dataDir: string): string {
  return join(dataDir, 'node')
}

export function readNodeFile(folder: string): Promise<NodeFile | null> {
  const file = nodeFile(folder)
  return readJson(nodeFileSystem, file, NODE_FILE, flaw => {
    const remedy = 'Restore the file from a backup of this folder.'
    return new Error(`${file} does not have the ids of a node and its fleet: ${flaw}. ${remedy}`)
  })
}

export async function writeNodeFile(folder: string, content: NodeFile): Promise<void> {
  await writeJson(nodeFileSystem, nodeFile(folder), content).catch(error => {
    throw unusable(folder, error)
  })
}

export function newNode(): NodeFile {
  return { node: randomUUID(), fleet: null, starts: 0, last: null, attempted: null }
}

function nodeFile(folder: string): string {
  return join(folder, 'node.json')
}

/** Locks the folder's node and begins its next epoch. @throws Error for another fleet, or a running node */
export async function beginInFolder(folder: string, database: FleetDatabase): Promise<NodeIdentity> {
  const file = (await readNodeFile(folder)) ?? newNode()
  const { node, starts, last } = file
  const fleet = await database.fleet()
  expectFleet(folder, file.fleet, fleet)
  const next = file.attempted ?? randomUUID()
  // Written before the database knows the start, so that an interrupted start is found again.
  await writeNodeFile(folder, { ...file, attempted: next })
  await database.lockNode(node)
  const epoch = await database.begin(node, { next, last, number: starts + 1 })
  await writeNodeFile(folder, { node, fleet, starts: starts + 1, last: next, attempted: null })
  return { node, epoch }
}

export function expectFleet(folder: string, known: string | null, fleet: string): void {
  if (known === null || known === fleet) return
  throw new Error(
    `${folder} belongs to fleet ${known}, and the database to fleet ${fleet}. Correct ACCOUNTS or DATA_DIR.`,
  )
}
