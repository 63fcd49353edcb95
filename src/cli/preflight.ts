/** What would stop a start, found before anything that takes time. */
import { existsSync } from 'node:fs'
import { statfs } from 'node:fs/promises'
import { createServer } from 'node:net'
import { dirname } from 'node:path'
import { askServer } from '../control/operator/operator-client.ts'
import { OperatorError } from '../control/operator/operator-error.ts'
import { PORTS, type ServerPorts } from '../control/operator/server-operations.ts'
import { nodeFolder } from '../fleet/node-file.ts'
import { IndexFileError } from '../index/index-file-error.ts'
import { openIndex, verifyIndex } from '../index/open-index.ts'
import { LedgerError } from '../ledger/errors.ts'
import { expectNotMoved } from '../ledger/moved.ts'
import { expectNotLost } from '../ledger/presence.ts'
import { verifyLedger } from '../ledger/tools/verify.ts'
import { FIRST_BUILD_DISK_BYTES, FIRST_BUILD_MEMORY_BYTES } from '../limits.ts'
import { memoryBytes } from '../platform/memory.ts'
import { fetchManifest } from '../publication/fetch-index.ts'
import type { Config } from '../settings/config.ts'
import { dataFolderProblem, existingFolder, writeRefusal } from './data-folder.ts'
import { missingDataPackage } from './data-packages.ts'

const MEGABYTE = 1024 * 1024

const ELSEWHERE =
  'or build the index on another machine (`postrie build --output index.postrie`), copy the file here, and name it in INDEX_FILE'

export interface Preflight {
  problems: string[]
  /** What a reader should know although it is as it should be. */
  notes: string[]
}

/**
 * Whatever would stop a start with `config`, or make it build an index that it cannot build. Reads the index and the ledger whole,
 * and creates nothing.
 */
export async function preflight(config: Config): Promise<Preflight> {
  const { indexFile, dataDir, accountsUrl } = config
  const folder = await dataFolderProblem(dataDir)
  const running = await runningServer(config).catch(error => {
    // A folder of somebody else has a socket that cannot be asked either.
    if (folder === null) throw error
    return undefined
  })
  const index = existsSync(indexFile) ? indexProblems(indexFile) : await firstIndexProblems(config)
  // A node of a fleet keeps its journal, and does not use the ledger of the time before.
  const ledgerDir = accountsUrl === null ? dataDir : nodeFolder(dataDir)
  // A folder that cannot be used may not even be one.
  const ledger = folder === null && existsSync(ledgerDir) ? await ledgerProblems(ledgerDir) : []
  const problems = [
    ...(await portProblems(config, running)),
    ...(folder === null ? [] : [folder]),
    ...index,
    ...ledger,
  ]
  return { problems, notes: running === undefined ? [] : [heldText(config, running)] }
}

/** Where the server of the same data folder listens; undefined: none is running. */
async function runningServer({ socketFile, port, controlPort }: Config): Promise<ServerPorts | undefined> {
  // The ledger is verified below: what the server has charged so far is then in it.
  const settled = await askServer(socketFile, 'ledger.settle', {})
  if (!settled.reached) return undefined
  try {
    const ports = await askServer(socketFile, PORTS, {})
    return ports.reached ? (ports.result as ServerPorts) : undefined
  } catch (error) {
    // A server of an earlier version, before an upgrade, does not say where it listens: on the same ports, most likely.
    if (error instanceof OperatorError && error.code === 'not_found') return { pid: null, port, controlPort }
    throw error
  }
}

function heldText({ dataDir, port, controlPort }: Config, running: ServerPorts): string {
  if (running.pid === null)
    return `the running postrie of ${dataDir} is of an earlier version and does not say where it listens, so PORT and CONTROL_PORT were not checked`
  const held = `the running postrie of ${dataDir} (process ${running.pid}) listens on the ports ${running.port} and ${running.controlPort}`
  const isSame = port === running.port && controlPort === running.controlPort
  return isSame ? held : `${held}, not on those of these settings, ${port} and ${controlPort}`
}

/** Why a start would get no first index. */
export async function firstIndexProblems(config: Config): Promise<string[]> {
  const { indexFile, indexUrl } = config
  const folder = existingFolder(dirname(indexFile))
  const refusal = await writeRefusal(folder)
  if (refusal !== null)
    return [`INDEX_FILE ${indexFile} cannot be made in ${folder}: ${refusal}. Set INDEX_FILE, ${ELSEWHERE}.`]
  if (indexUrl !== null) return publishedProblems(config, indexUrl)
  const missing = missingDataPackage()
  return missing === null ? buildProblems(indexFile) : [`There is no index at ${indexFile}, and ${missing}`]
}

async function publishedProblems({ indexPublicKey }: Config, url: string): Promise<string[]> {
  try {
    await fetchManifest({ url, publicKey: indexPublicKey }, null, new AbortController().signal)
    return []
  } catch (error) {
    return [(error as Error).message]
  }
}

function indexProblems(indexFile: string): string[] {
  try {
    verifyIndex(openIndex(indexFile))
    return []
  } catch (error) {
    return [error instanceof IndexFileError ? error.message : indexReadText(indexFile, error as Error)]
  }
}

/** Says that the system refuses the file, and what to do. */
export function indexReadText(indexFile: string, { message }: Error): string {
  return `INDEX_FILE ${indexFile} cannot be read: ${message}. Let the user of the service read it, set INDEX_FILE, or rebuild it with \`postrie build\`.`
}

/** A torn end is not a problem: the next start cuts it. */
async function ledgerProblems(dir: string): Promise<string[]> {
  try {
    // Refuses a folder that has lost its ledger, or whose ledger was moved; one that never had any is as it should be.
    await expectNotLost(dir)
    await expectNotMoved(dir)
  } catch (error) {
    if (error instanceof LedgerError) return [error.message]
    throw error
  }
  return (await verifyLedger(dir)).problems
}

/**
 * Why the ports of `config` cannot be listened on: one sentence for each that is taken or refused.
 * @param running a server that will have released its ports by then
 */
export async function portProblems(
  { host, port, controlPort }: Config,
  running?: ServerPorts,
): Promise<string[]> {
  const problems = await Promise.all([
    port === running?.port ? null : portProblem('PORT', host, port),
    controlPort === running?.controlPort ? null : portProblem('CONTROL_PORT', host, controlPort),
  ])
  return problems.filter(problem => problem !== null)
}

/** Why the first index cannot be built as `indexFile`: too little space, or less than enough `memory` in bytes. */
export async function buildProblems(indexFile: string, memory: number = memoryBytes()): Promise<string[]> {
  const folder = existingFolder(dirname(indexFile))
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
