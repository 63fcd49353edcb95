/** Runs postrie through its stable interfaces: commands, settings and answers. */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { request } from 'node:http'
import { type AddressInfo, connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { json } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { ROOT_FOLDER } from './paths.ts'

const START_MS_MAX = 60_000
const ATTEMPT_MS = 20
/** Clock ticks a second in `/proc`, on every Linux with Node.js. */
const TICKS_PER_SECOND = 100

/** A server under load. */
export interface Loadable {
  readonly port: number
  readonly apiKey: string
  /** Returns the microseconds of processor time of all its threads and processes. */
  cpuMicros(): number | Promise<number>
  end(): Promise<void>
}

export interface Service extends Loadable {
  /** Keys, one per account. */
  readonly apiKeys: readonly string[]
  readonly controlPort: number
  readonly pid: number
  /** Runs an operator's command, such as `account.create`, and returns its result. */
  operate(name: string, params: object): Promise<unknown>
}

interface ServiceOptions {
  indexFile: string
  /** Compiled checkout; default this one. */
  checkout?: string
  threads?: number
  accounts?: number
  env?: Readonly<Record<string, string>>
}

/** Starts `postrie serve` with accounts that can pay for all requests of a run. */
export async function startService(options: ServiceOptions): Promise<Service> {
  const { indexFile, checkout = ROOT_FOLDER, threads = 1, accounts = 1, env = {} } = options
  const dir = mkdtempSync(join(tmpdir(), 'postrie-bench-'))
  const [port, controlPort] = [await freePort(), await freePort()]
  const settings = {
    PORT: String(port),
    CONTROL_PORT: String(controlPort),
    DATA_DIR: dir,
    INDEX_FILE: indexFile,
    LOG_LEVEL: 'error',
    HTTP_THREADS: String(threads),
    // wrk leaves two cores: one for a server thread, one for a worker.
    BULK_WORKERS: '1',
    ...env,
  }
  const child = spawn(process.execPath, [cliFile(checkout), 'serve'], {
    env: { ...process.env, ...settings },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  child.stdout.resume()
  const socket = join(dir, 'control.sock')
  const operate = (name: string, params: object) => askOperator(socket, name, params)
  const end = async () => {
    const ended = once(child, 'exit')
    if (child.exitCode === null && child.kill()) await ended
    rmSync(dir, { recursive: true, force: true })
  }
  try {
    // The API answers before the operator's socket does.
    await untilAnswering(
      port,
      () => child.exitCode,
      ATTEMPT_MS,
      () => isListening(socket),
    )
    const apiKeys: string[] = []
    for (let number = 0; number < accounts; number++) {
      const account = `bench${number}@localhost`
      await operate('account.create', { email: account })
      await operate('account.credit', { account, usd: '100000', reference: `bench ${account}` })
      const { key } = (await operate('key.create', { account })) as { key: string }
      apiKeys.push(key)
    }
    const pid = child.pid ?? 0
    return {
      port,
      controlPort,
      apiKeys,
      apiKey: apiKeys[0],
      pid,
      cpuMicros: () => processorMicros(pid),
      operate,
      end,
    }
  } catch (error) {
    await end()
    throw error
  }
}

/**
 * Resolves when a server on `port` answers and `isReady` is true.
 * @param pauseMs milliseconds between two attempts
 * @throws Error if its process ends or it stays silent
 */
export async function untilAnswering(
  port: number,
  exitCode: () => number | null,
  pauseMs: number = ATTEMPT_MS,
  isReady: () => Promise<boolean> = async () => true,
): Promise<void> {
  const signal = AbortSignal.timeout(START_MS_MAX)
  while (!signal.aborted) {
    const code = exitCode()
    if (code !== null) throw new Error(`the service ended with ${code} instead of answering`)
    const isUp = await fetch(`http://127.0.0.1:${port}/healthz`, { signal }).then(
      response => response.ok,
      () => false,
    )
    if (isUp && (await isReady())) return
    await sleep(pauseMs)
  }
  throw new Error(`port ${port} did not answer within ${START_MS_MAX / 1000} s`)
}

/** Returns true if a server accepts connections on a socket. */
async function isListening(socketPath: string): Promise<boolean> {
  const socket = connect(socketPath)
  try {
    await once(socket, 'connect')
    return true
  } catch {
    return false
  } finally {
    socket.destroy()
  }
}

/** Sends a command to the operator's socket. @throws Error with the server's answer if it refuses */
async function askOperator(socketPath: string, name: string, params: object): Promise<unknown> {
  const outgoing = request({ socketPath, path: `/operator/${name}`, method: 'POST', agent: false })
  outgoing.setHeader('Content-Type', 'application/json').end(JSON.stringify(params))
  const [incoming] = await once(outgoing, 'response')
  const answer = (await json(incoming)) as { result?: unknown; error?: object }
  if (answer.error !== undefined) throw new Error(`${name}: ${JSON.stringify(answer.error)}`)
  return answer.result
}

/** Runs a command of a checkout and returns its output. @throws Error if it fails */
export function runCommand(checkout: string, args: readonly string[], env: NodeJS.ProcessEnv): string {
  const { status, stdout } = spawnSync(
    process.execPath,
    ['--max-old-space-size=8192', cliFile(checkout), ...args],
    { env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'inherit'], encoding: 'utf8' },
  )
  if (status !== 0) throw new Error(`postrie ${args.join(' ')} of ${checkout} ended with ${status}`)
  return stdout
}

/** @throws Error unless `checkout` is compiled */
export function cliFile(checkout: string): string {
  const file = join(checkout, 'dist', 'bundle', 'cli.js')
  if (existsSync(file)) return file
  throw new Error(`${file} is missing. Run npm ci && npm run compile in ${checkout}`)
}

/** Returns a port that was free a moment ago, for a process that cannot choose one. */
export async function freePort(): Promise<number> {
  const probe = createServer()
  await once(probe.listen(0, '127.0.0.1'), 'listening')
  const { port } = probe.address() as AddressInfo
  await once(probe.close(), 'close')
  return port
}

/** Returns user and system time of a process: fields 14 and 15 of `/proc/<pid>/stat`, after the command in brackets. */
export function processorMicros(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return ((Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND) * 1e6
}

export function residentBytes(pid: number): number {
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1]) * 1024
}
