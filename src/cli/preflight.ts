/** Finds what would stop a start before anything that takes time. Each check throws errors that name the remedy. */
import { existsSync } from 'node:fs'
import { dirname } from 'node:path'
import { askServer, PORTS, type ServerPorts } from '../control/operator/operator-client.ts'
import { nodeFolder } from '../fleet/node-folder.ts'
import { IndexFileError } from '../index/index-file-error.ts'
import { openIndex, verifyIndex } from '../index/open-index.ts'
import { expectNotMoved } from '../ledger/moved.ts'
import { expectNotLost } from '../ledger/presence.ts'
import { reservedBytes } from '../ledger/reserved-space.ts'
import { verifyLedger } from '../ledger/tools/verify-ledger.ts'
import { FIRST_BUILD_DISK_BYTES, FIRST_BUILD_MEMORY_BYTES } from '../limits.ts'
import { DiskSpaceError, existingFolder, expectSpace, freeBytes, megabytes } from '../platform/disk-space.ts'
import { memoryBytes } from '../platform/memory.ts'
import { tryPort } from '../platform/try-port.ts'
import { fetchManifest } from '../publication/fetch-index.ts'
import { shownAddress } from '../publication/manifest.ts'
import type { Config } from '../settings/config.ts'
import { expectUsableFolder, writeRefusal } from './data-folder.ts'
import { missingDataPackage } from './data-packages.ts'

const ELSEWHERE =
  'or build the index on another machine (`postrie build --output index.postrie`), copy the file here, and name it in INDEX_FILE'

interface Preflight {
  problems: Error[]
  notes: string[]
}

/**
 * Finds whatever would stop a start with `config`, or make it build an index that it cannot build. Reads the index and the ledger whole,
 * asks the fleet's database, and creates nothing.
 */
export async function preflight(config: Config): Promise<Preflight> {
  const { indexFile, dataDir, accountsUrl } = config
  const folder = await problemsOf(() => expectUsableFolder(config))
  const isUsable = folder.length === 0
  const running = await runningServer(config).catch(error => {
    // A folder of somebody else has a socket that cannot be asked either.
    if (isUsable) throw error
    return undefined
  })
  // A node of a fleet keeps its journal, and does not use the ledger of the time before.
  const ledgerDir = accountsUrl === null ? dataDir : nodeFolder(dataDir)
  const problems = await problemsOf(
    () => expectPorts(config, running),
    () => (existsSync(indexFile) ? expectIndex(indexFile) : expectFirstIndex(config)),
    // A folder that cannot be used may not even be one.
    () => isUsable && existsSync(ledgerDir) && expectSoundLedger(ledgerDir),
    () => accountsUrl !== null && expectDatabase(accountsUrl),
  )
  const notes = running === undefined ? [] : [heldText(config, running)]
  return { problems: [...folder, ...problems], notes }
}

export async function problemsOf(...checks: (() => unknown)[]): Promise<Error[]> {
  const problems: Error[] = []
  for (const check of checks)
    try {
      await check()
    } catch (error) {
      problems.push(...(error instanceof AggregateError ? error.errors : [error as Error]))
    }
  return problems
}

/** Returns where the server of the same data folder listens; undefined: none is running. */
async function runningServer({ socketFile }: Config): Promise<ServerPorts | undefined> {
  // The ledger is verified afterwards: by then it has what the server has charged so far.
  const settled = await askServer(socketFile, 'ledger.settle', {})
  if (!settled.reached) return undefined
  const ports = await askServer(socketFile, PORTS, {})
  return ports.reached ? (ports.result as ServerPorts) : undefined
}

function heldText({ dataDir, port, controlPort }: Config, running: ServerPorts): string {
  const held = `the running postrie of ${dataDir} (process ${running.pid}) listens on the ports ${running.port} and ${running.controlPort}`
  const isSame = port === running.port && controlPort === running.controlPort
  return isSame ? held : `${held}, not on those of these settings, ${port} and ${controlPort}`
}

export async function expectFirstIndex({
  indexFile,
  indexUrl,
  indexPublicKey,
  dataDir,
}: Config): Promise<void> {
  const folder = existingFolder(dirname(indexFile))
  const refusal = await writeRefusal(folder)
  if (refusal !== null)
    throw new Error(
      `INDEX_FILE ${indexFile} cannot be made in ${folder}: ${refusal}. Set INDEX_FILE, ${ELSEWHERE}.`,
    )
  if (indexUrl !== null) {
    const source = { url: indexUrl, publicKey: indexPublicKey }
    const { bytes } = await fetchManifest(source, new AbortController().signal)
    const room = await reservedBytes(dataDir, indexFile)
    return expectSpace(`The index that ${shownAddress(indexUrl)} names`, indexFile, bytes, room)
  }
  const missing = missingDataPackage()
  if (missing !== null) throw new Error(`There is no index at ${indexFile}, and ${missing}`)
  await expectRoomToBuild(indexFile)
}

/** Checks that the first index can be built: free space on its disk, and `memory` in bytes. */
export async function expectRoomToBuild(indexFile: string, memory: number = memoryBytes()): Promise<void> {
  const folder = existingFolder(dirname(indexFile))
  const free = await freeBytes(folder)
  if (free < FIRST_BUILD_DISK_BYTES)
    throw new DiskSpaceError(
      `${folder} has ${megabytes(free)} free, and building the index needs ${megabytes(FIRST_BUILD_DISK_BYTES)}. ` +
        `Free some space, set INDEX_FILE to a file elsewhere, ${ELSEWHERE}.`,
      FIRST_BUILD_DISK_BYTES - free,
    )
  if (memory < FIRST_BUILD_MEMORY_BYTES)
    throw new Error(
      `This process may use ${megabytes(memory)} of memory, and building the index needs ${megabytes(FIRST_BUILD_MEMORY_BYTES)}; ` +
        `serving needs less. Allow more for the first start, ${ELSEWHERE}.`,
    )
}

function expectIndex(indexFile: string): void {
  try {
    verifyIndex(openIndex(indexFile))
  } catch (error) {
    throw error instanceof IndexFileError ? error : indexUnread(indexFile, error as Error)
  }
}

function indexUnread(indexFile: string, cause: Error): Error {
  return new Error(
    `INDEX_FILE ${indexFile} cannot be read: ${cause.message}. Let the user of the service read it, set INDEX_FILE, or rebuild it with \`postrie build\`.`,
    { cause },
  )
}

/** Verifies the ledger of a folder, which may never have had one. A torn end is no problem: the next start cuts it. */
async function expectSoundLedger(dir: string): Promise<void> {
  await expectNotLost(dir)
  await expectNotMoved(dir)
  const { problems } = await verifyLedger(dir)
  throwAll(problems.map(problem => new Error(problem)))
}

async function expectDatabase(url: string): Promise<void> {
  const { connectionOptions, Database, shownAddress } = await import('../fleet/database.ts')
  try {
    const database = new Database(connectionOptions(url))
    await database.query('select').finally(() => database.close())
  } catch (cause) {
    const { message } = cause as Error
    throw new Error(
      `ACCOUNTS ${shownAddress(url)} cannot be used: ${message}. Start the database, or set ACCOUNTS.`,
      { cause },
    )
  }
}

/** Checks that the ports of `config` can be listened on. Those of a `running` server will have been released. */
export async function expectPorts({ host, port, controlPort }: Config, running?: ServerPorts): Promise<void> {
  const problems = await problemsOf(
    () => port !== running?.port && expectPort('PORT', host, port),
    () => controlPort !== running?.controlPort && expectPort('CONTROL_PORT', host, controlPort),
  )
  throwAll(problems)
}

export function throwAll(problems: readonly Error[]): void {
  if (problems.length > 0) throw new AggregateError(problems)
}

async function expectPort(setting: string, host: string, port: number): Promise<void> {
  await tryPort(host, port).catch(({ code = '', message }: NodeJS.ErrnoException) => {
    const found = REASONS[code] ?? message
    throw new Error(
      `${setting} ${port} on HOST ${host} cannot be listened on: ${found}. Set ${setting} or HOST.`,
    )
  })
}

const REASONS: Readonly<Record<string, string>> = {
  EADDRINUSE: 'another process listens there',
  EACCES: 'ports below 1024 need a privilege that this user lacks',
  EADDRNOTAVAIL: 'this machine does not have that address',
  ENOTFOUND: 'no address is known by that name',
}

/** Names the setting behind an error of a start. @throws AggregateError, Error; `error` itself when it has said all there is */
export async function explainStart(config: Config, error: unknown): Promise<never> {
  const { syscall, path } = error as NodeJS.ErrnoException
  // The sockets of the start are closed by now, so whatever is in their way is seen again.
  if (syscall === 'listen' || syscall === 'getaddrinfo') await expectPorts(config)
  if (syscall !== undefined && path === config.indexFile) throw indexUnread(config.indexFile, error as Error)
  throw error
}
