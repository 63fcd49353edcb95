/** The identity of a node, which its folder keeps for as long as its journal, and the next epoch of the node of a folder. */
import { randomUUID } from 'node:crypto'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { readJson, writeJson } from '../ledger/disk/files.ts'
import { nodeFileSystem } from '../ledger/disk/node-file-system.ts'
import { CopiedFolderError } from './database-errors.ts'
import type { FleetNotices, PostgresStore } from './postgres-store.ts'
import type { NodeIdentity } from './store.ts'

const uuidOrNull = z.uuid().nullable()
const NODE_FILE = z.strictObject({
  node: z.uuid(),
  fleet: uuidOrNull,
  /** Starts that the database has accepted, and a random UUID of the last of them. */
  starts: z.int().nonnegative(),
  last: uuidOrNull,
  attempted: uuidOrNull,
})

export type NodeFile = z.infer<typeof NODE_FILE>

/** Folder inside DATA_DIR where a node of a fleet keeps its journal and its identity. */
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
  await mkdir(folder, { recursive: true, mode: 0o700 })
  await writeJson(nodeFileSystem, nodeFile(folder), content)
}

export function newNode(): NodeFile {
  return { node: randomUUID(), fleet: null, starts: 0, last: null, attempted: null }
}

function nodeFile(folder: string): string {
  return join(folder, 'node.json')
}

/** Takes the lock of the node that `folder` belongs to, and begins its next epoch. @throws Error when it belongs or runs elsewhere */
export async function beginInFolder(
  folder: string,
  store: PostgresStore,
  notices: FleetNotices,
): Promise<NodeIdentity> {
  const file = (await readNodeFile(folder)) ?? newNode()
  const { node, starts, last } = file
  const fleet = await store.fleet()
  expectFleet(folder, file.fleet, fleet)
  const next = file.attempted ?? randomUUID()
  // Before the database knows the node or its start: what it knows and nobody finds again would be in doubt.
  await writeNodeFile(folder, { ...file, attempted: next })
  try {
    await store.hold(node, notices)
    const epoch = await store.begin(node, { next, last, number: starts + 1 })
    await writeNodeFile(folder, { node, fleet, starts: starts + 1, last: next, attempted: null })
    return { node, epoch }
  } catch (error) {
    throw error instanceof CopiedFolderError ? copied(folder, error) : error
  }
}

export function expectFleet(folder: string, known: string | null, fleet: string): void {
  if (known === null || known === fleet) return
  throw new Error(
    `${folder} belongs to fleet ${known}, and the database is that of fleet ${fleet}: set ACCOUNTS or DATA_DIR.`,
  )
}

export function copied(folder: string, error: CopiedFolderError): Error {
  return new Error(
    `${folder} is a copy: ${error.message}. Two folders cannot count for one node. To have another node here, stop that one, run ` +
      '`postrie node recover` on this folder, move it away, and start with an empty one.',
    { cause: error },
  )
}
