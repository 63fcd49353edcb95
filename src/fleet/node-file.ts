/** The identity of a node, which its folder keeps for as long as its journal. */
import { randomUUID } from 'node:crypto'
import { mkdir, open, readFile, rename } from 'node:fs/promises'
import { join } from 'node:path'

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

export interface NodeFile {
  /** Of this node. */
  node: string
  /** Of the fleet that it belongs to; null before its first start. */
  fleet: string | null
  /** Starts that the database has accepted, and a random UUID of the last of them. */
  starts: number
  last: string | null
  /** A start that the database may have accepted. */
  attempted: string | null
}

/** Where a node of a fleet keeps its journal and its identity, inside DATA_DIR. */
export function nodeFolder(dataDir: string): string {
  return join(dataDir, 'node')
}

/** Null when there is none. @throws Error naming the file, when it is not one */
export async function readNodeFile(folder: string): Promise<NodeFile | null> {
  const file = nodeFile(folder)
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null
    throw error
  })
  if (text === null) return null
  // Earlier versions did not count starts.
  const { node, fleet, starts = 0, last = null, attempted = null } = parsed(text)
  const isCounted = Number.isSafeInteger(starts) && isUuidOrNull(last) && isUuidOrNull(attempted)
  if (isUuid(node) && isUuidOrNull(fleet) && isCounted)
    return { node, fleet, starts: Number(starts), last, attempted }
  throw new Error(
    `${file}: found ${JSON.stringify(text.slice(0, 100))}, expected the ids of a node and its fleet. Restore the file from a backup of this folder.`,
  )
}

/** Writes it durably, in place of the previous one. Makes the folder. */
export async function writeNodeFile(folder: string, content: NodeFile): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const file = nodeFile(folder)
  const handle = await open(`${file}.new`, 'w', 0o600)
  try {
    await handle.writeFile(`${JSON.stringify(content)}\n`)
    await handle.sync()
  } finally {
    await handle.close()
  }
  await rename(`${file}.new`, file)
  const directory = await open(folder, 'r')
  try {
    await directory.sync()
  } finally {
    await directory.close()
  }
}

export function newNode(): NodeFile {
  return { node: randomUUID(), fleet: null, starts: 0, last: null, attempted: null }
}

function nodeFile(folder: string): string {
  return join(folder, 'node.json')
}

function parsed(text: string): Partial<Record<keyof NodeFile, unknown>> {
  try {
    return Object(JSON.parse(text))
  } catch {
    return {}
  }
}

function isUuid(value: unknown): value is string {
  return typeof value === 'string' && UUID.test(value)
}

function isUuidOrNull(value: unknown): value is string | null {
  return value === null || isUuid(value)
}
