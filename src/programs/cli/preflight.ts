/** Checks everything that a start needs, before any slow step. Each error names the remedy. */
import { existsSync } from 'node:fs'
import { dirname } from 'node:path'
import { nodeFolder } from '../../billing/fleet/node-folder.ts'
import { expectNotLost, expectNotMigrated } from '../../billing/ledger/presence.ts'
import { reservedBytes } from '../../billing/ledger/reserved-space.ts'
import { verifyLedger } from '../../billing/ledger/tools/verify-ledger.ts'
import { askServer, PORTS, type ServerPorts } from '../../console/operator/operator-client.ts'
import { shownAddress } from '../../platform/download.ts'
import {
  DiskSpaceError,
  existingFolder,
  expectSpace,
  freeBytes,
  megabytes,
} from '../../platform/free-space.ts'
import { memoryBytes } from '../../platform/memory.ts'
import { tryPort } from '../../platform/server-address.ts'
import type { Config } from '../../platform/settings/config.ts'
import { IndexFileError } from '../../postal/index/index-file-error.ts'
import { openIndex, verifyIndex } from '../../postal/index/open-index.ts'
import { fetchManifest } from '../../postal/publication/fetch-index.ts'
import { expectUsableFolder, writeRefusal } from './data-folder.ts'
import { missingDataPackage } from './data-packages.ts'

/** Free space for a first build: the index twice (being written and served), and the first segments. */
const FIRST_BUILD_DISK_BYTES = 300 * 1024 * 1024
const FIRST_BUILD_MEMORY_BYTES = 512 * 1024 * 1024

const ELSEWHERE =
  'or build the index on another machine (`postrie build --output index.postrie`), copy the file here, and name it in INDEX_FILE'

/** Returns the problems of a start. Reads the whole index and ledger, asks the database, creates nothing. */
export async function preflight(config: Config) {
  const { indexFile, dataDir, accountsUrl } = config
  const folder = await problemsOf(() => expectUsableFolder(config))
  const isUsable = folder.length === 0
  const running = await findRunningServer(config).catch(error => {
    // The socket in an unusable folder cannot be asked either.
    if (isUsable) throw error
    return undefined
  })
  // A node of a fleet keeps its ledger in a folder of its own, and ignores an older one.
  const ledgerDir = accountsUrl === null ? dataDir : nodeFolder(dataDir)
  const problems = await problemsOf(
    () => expectPorts(config, running),
    () => (existsSync(indexFile) ? expectIndex(indexFile) : expectFirstIndex(config)),
    // An unusable folder may be a file.
    () => isUsable && existsSync(ledgerDir) && expectSoundLedger(ledgerDir),
    () => accountsUrl !== null && expectDatabase(accountsUrl),
  )
  const notes = running === undefined ? [] : [runningText(config, running)]
  return { problems: [...folder, ...problems], notes }
}

/** Runs all checks, one after the other, and returns the errors they throw. */
async function problemsOf(...checks: (() => unknown)[]): Promise<Error[]> {
  const problems: Error[] = []
  for (const check of checks)
    try {
      await check()
    } catch (error) {
      problems.push(...(error instanceof AggregateError ? error.errors : [error as Error]))
    }
  return problems
}

/** Returns the ports of a server that runs on the same data folder; undefined if none does. */
async function findRunningServer({ socketFile }: Config): Promise<ServerPorts | undefined> {
  // The server's charges must be in the ledger before the ledger is verified.
  const flushed = await askServer(socketFile, 'ledger.flush', {})
  if (!flushed.reached) return undefined
  const ports = await askServer(socketFile, PORTS, {})
  return ports.reached ? (ports.result as ServerPorts) : undefined
}

function runningText({ dataDir, port, controlPort }: Config, running: ServerPorts): string {
  const text = `the running postrie of ${dataDir} (process ${running.pid}) listens on the ports ${running.port} and ${running.controlPort}`
  const isSame = port === running.port && controlPort === running.controlPort
  return isSame ? text : `${text}, but the settings name ${port} and ${controlPort}`
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
      `INDEX_FILE ${indexFile} cannot be created in ${folder}: ${refusal}. Set INDEX_FILE, ${ELSEWHERE}.`,
    )
  if (indexUrl !== null) {
    const source = { url: indexUrl, publicKey: indexPublicKey }
    const { bytes } = await fetchManifest(source)
    const room = await reservedBytes(dataDir, indexFile)
    return expectSpace(`The index that ${shownAddress(indexUrl)} names`, indexFile, bytes, room)
  }
  const missing = missingDataPackage()
  if (missing !== null) throw new Error(`There is no index at ${indexFile}, and ${missing}`)
  await expectRoomToBuild(indexFile)
}

async function expectRoomToBuild(indexFile: string): Promise<void> {
  const folder = existingFolder(dirname(indexFile))
  const free = await freeBytes(folder)
  if (free < FIRST_BUILD_DISK_BYTES)
    throw new DiskSpaceError(
      `${folder} has ${megabytes(free)} free, and building the index needs ${megabytes(FIRST_BUILD_DISK_BYTES)}. ` +
        `Free some space, set INDEX_FILE to a file elsewhere, ${ELSEWHERE}.`,
      FIRST_BUILD_DISK_BYTES - free,
    )
  const memory = memoryBytes()
  if (memory < FIRST_BUILD_MEMORY_BYTES)
    throw new Error(
      `This process may use ${megabytes(memory)} of memory, and building the index needs ${megabytes(FIRST_BUILD_MEMORY_BYTES)}. ` +
        `Serving needs less. Allow more for the first start, ${ELSEWHERE}.`,
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

/** Verifies the ledger in `dir`, if there is one. A torn tail is no problem: the next start cuts it. */
async function expectSoundLedger(dir: string): Promise<void> {
  await expectNotLost(dir)
  await expectNotMigrated(dir)
  const { problems } = await verifyLedger(dir)
  throwAll(problems.map(problem => new Error(problem)))
}

async function expectDatabase(url: string): Promise<void> {
  const { Connections, connectionOptions, shownAddress } = await import('../../billing/fleet/connections.ts')
  try {
    const database = new Connections(connectionOptions(url))
    await database.query('select').finally(() => database.close())
  } catch (cause) {
    const { message } = cause as Error
    throw new Error(
      `ACCOUNTS ${shownAddress(url)} cannot be used: ${message}. Start the database, or set ACCOUNTS.`,
      { cause },
    )
  }
}

/** Checks that ports are free, except those of a `running` server that will be stopped first. */
export async function expectPorts({ host, port, controlPort }: Config, running?: ServerPorts): Promise<void> {
  await expectAll(
    () => port !== running?.port && expectPort('PORT', host, port),
    () => controlPort !== running?.controlPort && expectPort('CONTROL_PORT', host, controlPort),
  )
}

export async function expectAll(...checks: (() => unknown)[]): Promise<void> {
  throwAll(await problemsOf(...checks))
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

/** Throws the error of a start with the setting behind it, or `error` itself if no setting is. */
export async function explainStart(config: Config, error: unknown): Promise<never> {
  const { syscall, path } = error as NodeJS.ErrnoException
  // The start has closed its sockets, so a check finds the other process.
  if (syscall === 'listen' || syscall === 'getaddrinfo') await expectPorts(config)
  if (syscall !== undefined && path === config.indexFile) throw indexUnread(config.indexFile, error as Error)
  throw error
}
