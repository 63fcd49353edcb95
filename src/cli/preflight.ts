/** What would stop a start, found before anything that takes time. */
import { existsSync } from 'node:fs'
import { statfs } from 'node:fs/promises'
import { createServer } from 'node:net'
import { dirname } from 'node:path'
import { askServer } from '../control/operator/operator-client.ts'
import { IndexFileError } from '../index/index-file-error.ts'
import { openIndex, verifyIndex } from '../index/open-index.ts'
import { LedgerError } from '../ledger/errors.ts'
import { expectNotLost } from '../ledger/presence.ts'
import { verifyLedger } from '../ledger/tools/verify.ts'
import { FIRST_BUILD_DISK_BYTES, FIRST_BUILD_MEMORY_BYTES } from '../limits.ts'
import { memoryBytes } from '../platform/memory.ts'
import type { Config } from '../settings/config.ts'

const MEGABYTE = 1024 * 1024

const ELSEWHERE =
  'or build the index on another machine (`postrie build --output index.postrie`), copy the file here, and name it in INDEX_FILE'

/** Whatever would stop a start with `config`, or make it build an index that it cannot build. Reads the index and the ledger whole. */
export async function allProblems(config: Config): Promise<string[]> {
  const { indexFile, dataDir } = config
  // A server that runs listens on these ports itself.
  const { reached: isRunning } = await askServer(config.socketFile, 'ledger.settle', {})
  const ports = isRunning ? [] : await portProblems(config)
  const index = existsSync(indexFile) ? indexProblems(indexFile) : await buildProblems(indexFile)
  return [...ports, ...index, ...(await ledgerProblems(dataDir))]
}

function indexProblems(indexFile: string): string[] {
  try {
    verifyIndex(openIndex(indexFile))
    return []
  } catch (error) {
    if (error instanceof IndexFileError) return [error.message]
    return [
      `${indexFile} cannot be read: ${(error as Error).message}. Set INDEX_FILE, or rebuild it with \`postrie build\`.`,
    ]
  }
}

/** A torn end is not a problem: the next start cuts it. */
async function ledgerProblems(dataDir: string): Promise<string[]> {
  try {
    // Refuses a folder that has lost its ledger; one that never had any is as it should be.
    await expectNotLost(dataDir)
  } catch (error) {
    if (error instanceof LedgerError) return [error.message]
    throw error
  }
  return (await verifyLedger(dataDir)).problems
}

/** Why the ports of `config` cannot be listened on: one sentence for each that is taken or refused. */
export async function portProblems({ host, port, controlPort }: Config): Promise<string[]> {
  const problems = await Promise.all([
    portProblem('PORT', host, port),
    portProblem('CONTROL_PORT', host, controlPort),
  ])
  return problems.filter(problem => problem !== null)
}

/** Why the first index cannot be built beside `indexFile`, whose folder exists: too little space, or less than enough `memory` in bytes. */
export async function buildProblems(indexFile: string, memory: number = memoryBytes()): Promise<string[]> {
  const folder = dirname(indexFile)
  const { bavail, bsize } = await statfs(folder)
  const problems: string[] = []
  if (bavail * bsize < FIRST_BUILD_DISK_BYTES) {
    problems.push(
      `${folder} has ${megabytes(bavail * bsize)} free, and building the index needs ${megabytes(FIRST_BUILD_DISK_BYTES)}. ` +
        `Free some space, set INDEX_FILE to a file elsewhere, ${ELSEWHERE}.`,
    )
  }
  if (memory < FIRST_BUILD_MEMORY_BYTES) {
    problems.push(
      `This process may use ${megabytes(memory)} of memory, and building the index needs ${megabytes(FIRST_BUILD_MEMORY_BYTES)}; ` +
        `serving needs less. Allow more for the first start, ${ELSEWHERE}.`,
    )
  }
  return problems
}

/** Listens for a moment. Connections that are made in that moment are closed. */
function portProblem(setting: string, host: string, port: number): Promise<string | null> {
  return new Promise(resolve => {
    const server = createServer(socket => socket.destroy())
    server.once('error', ({ code, message }: NodeJS.ErrnoException) => {
      const found = REASONS[code ?? ''] ?? message
      resolve(`${setting} ${port} on HOST ${host} cannot be listened on: ${found}. Set ${setting} or HOST.`)
    })
    server.listen({ host, port, exclusive: true }, () => server.close(() => resolve(null)))
  })
}

const REASONS: Readonly<Record<string, string>> = {
  EADDRINUSE: 'another process listens there',
  EACCES: 'ports below 1024 need a privilege that this user lacks',
  EADDRNOTAVAIL: 'this machine does not have that address',
  ENOTFOUND: 'no address is known by that name',
}

function megabytes(bytes: number): string {
  return `${Math.floor(bytes / MEGABYTE).toLocaleString('en')} MB`
}
