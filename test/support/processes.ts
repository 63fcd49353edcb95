import { type ChildProcess, spawn } from 'node:child_process'
import { Console } from 'node:console'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { reportFailure } from '../../src/platform/exit.ts'
import { entrances } from './entrances.ts'

/** The command as users run it. `npm run compile` makes it. */
export const CLI = fileURLToPath(new URL('../../bundle/cli.js', import.meta.url))
/** Time limit of a start. A hanging server is killed, so that its test fails. */
const START_MS_MAX = 120_000
const KILLER = fileURLToPath(new URL('./kill-before.js', import.meta.url))
const BUILDER = fileURLToPath(new URL('../../build-index/main.js', import.meta.url))
const FAKE_SERVER = fileURLToPath(new URL('./fake-server.js', import.meta.url))
/** The console of this process, which a command replaces. */
const CONSOLE = console
/** Address of a PostgreSQL. With it, each data folder is a fleet with its own schema. */
const DATABASE = process.env.POSTRIE_TEST_FLEET

export interface Finished {
  code: number | null
  stdout: string
  stderr: string
}

/** Runs `postrie <args>` on the data folder `dir`, in the working directory `cwd`, and waits for its end. */
export async function postrie(
  dir: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv = {},
  cwd?: string,
): Promise<Finished> {
  return finished(start(CLI, args, { DATA_DIR: dir, ...env }, cwd))
}

/** Runs a command of the builder like `postrie`, without the process of `postrie` that would start it. */
export async function builder(
  dir: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv = {},
  cwd?: string,
): Promise<Finished> {
  return finished(start(BUILDER, args, { DATA_DIR: dir, ...env }, cwd))
}

/** Waits for the end of a process. Call it in the turn of the start. */
export async function finished(child: ChildProcess): Promise<Finished> {
  const output = collect(child)
  const [code] = (await once(child, 'close')) as [number | null]
  return { code, ...output }
}

/** Returns the environment of a command that is killed before the n-th of these file operations below `folder`. */
export function killBefore(step: number, operations: readonly string[], folder: string): NodeJS.ProcessEnv {
  return {
    NODE_OPTIONS: `--import=${KILLER}`,
    KILL_AT: `${step}`,
    KILL_OPERATIONS: operations.join(),
    KILL_BELOW: folder,
  }
}

/** Writes the command `postrie` into `folder`. Returns a PATH that begins with it. */
export function commandIn(folder: string): string {
  const text = `#!/bin/sh\nexec '${process.execPath}' '${CLI}' "$@"\n`
  writeFileSync(join(folder, 'postrie'), text, { mode: 0o755 })
  return `${folder}:${process.env.PATH}`
}

/**
 * Runs `postrie <args>` in this process, which takes a tenth of the processor time. Use `postrie` for what belongs to a process:
 * its streams, its signals, its end, and commands at the same time.
 */
export async function command(
  dir: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv = {},
): Promise<Finished> {
  const { runProgram } = await import('../../src/programs/cli/program.ts')
  if (console !== CONSOLE) throw new Error('commands in the process of a test run one after the other')
  const { exitCode, env: ownEnv } = process
  const own = Object.getOwnPropertyDescriptors(process)
  const output = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const) {
    const stream = new Writable({
      write(chunk, _encoding, done) {
        output[name] += chunk
        done()
      },
    })
    Object.defineProperty(process, name, { ...own[name], get: () => stream })
  }
  globalThis.console = new Console(process.stdout, process.stderr)
  process.env = { PATH: ownEnv.PATH, ...accountsEnv(dir), DATA_DIR: dir, ...env }
  process.exitCode = undefined
  try {
    const code = await runProgram(['node', 'postrie', ...args]).catch(reportFailure)
    return { code, ...output }
  } finally {
    Object.defineProperties(process, { stdout: own.stdout, stderr: own.stderr })
    Object.assign(process, { exitCode, env: ownEnv })
    globalThis.console = CONSOLE
  }
}

/** Runs a command with `--json` in this process and returns the parsed output. @throws when the exit code is not 0 */
// biome-ignore lint/suspicious/noExplicitAny: tests read the fields they expect, and fail when one is missing
export async function postrieJson(dir: string, args: readonly string[], env = {}): Promise<any> {
  const { code, stdout, stderr } = await command(dir, [...args, '--json'], env)
  if (code !== 0) throw new Error(`postrie ${args.join(' ')} ended with ${code}: ${stderr}`)
  return JSON.parse(stdout)
}

export type TestServer = Awaited<ReturnType<typeof readyServer>>

/** Starts `postrie serve` on free ports. Resolves when it is ready. */
export function startServer(dir: string, env: NodeJS.ProcessEnv = {}): Promise<TestServer> {
  return readyServer(start(CLI, ['serve'], serverEnv(dir, env)))
}

/** Starts a server that only charges and needs no index. */
export function startFakeServer(dir: string, env: NodeJS.ProcessEnv = {}): Promise<TestServer> {
  return readyServer(start(FAKE_SERVER, [], serverEnv(dir, env)))
}

/** Starts `postrie serve` with options, or under another program, and does not wait. */
export function spawnServer(
  dir: string,
  env: NodeJS.ProcessEnv = {},
  { wrapper = [], options = [] }: { wrapper?: readonly string[]; options?: readonly string[] } = {},
): ChildProcess {
  const [command = process.execPath, ...args] = [...wrapper, process.execPath, CLI, 'serve', ...options]
  return spawn(command, args, { env: { PATH: process.env.PATH, ...serverEnv(dir, env) }, stdio: 'pipe' })
}

function serverEnv(dir: string, env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  // Each thread takes a third of a second of processor time. `test/service/http/threads` has several.
  return { DATA_DIR: dir, PORT: '0', CONTROL_PORT: '0', HTTP_THREADS: '1', ...env }
}

/** Resolves when the output of a started server says that it is ready. @throws Error when it ends instead */
export async function readyServer(child: ChildProcess) {
  const output = collect(child)
  const exited = once(child, 'close') as Promise<[number | null]>
  const late = setTimeout(() => child.kill('SIGKILL'), START_MS_MAX)
  try {
    while (!/^ {2}data .*\n/m.test(output.stdout)) {
      const ended = await Promise.race([once(child.stdout as NodeJS.ReadableStream, 'data'), exited])
      if (child.exitCode !== null || child.signalCode !== null)
        throw new Error(`the server ended with ${ended[0] ?? child.signalCode}: ${output.stderr}`)
    }
  } finally {
    clearTimeout(late)
  }
  const found = (pattern: RegExp) => pattern.exec(output.stdout)?.[1] ?? ''
  const dashboard = found(/dashboard +(https?:\/\/[^/\s]+)/)
  const dir = found(/data +(.*)/)
  entrances.set(dashboard, async email => (await postrieJson(dir, ['token', '--email', email])).address)
  return {
    child,
    api: found(/API +(\S+)/),
    dashboard,
    /** Printed address of the dashboard, with a token. */
    entrance: found(/dashboard +(\S+)/),
    /** The demo key, on a first start. */
    key: found(/(pk_live_\w+)/),
    output,
    ended: exited.then(([code]) => code),
    /** Sends a signal and resolves with the exit code. */
    async stop(signal: NodeJS.Signals = 'SIGTERM') {
      child.kill(signal)
      return (await exited)[0]
    },
  }
}

/** Returns ACCOUNTS for processes on the data folder `dir`; nothing without a fleet. */
export function accountsEnv(dir: string | undefined): NodeJS.ProcessEnv {
  if (DATABASE === undefined || dir === undefined) return {}
  const address = new URL(DATABASE)
  address.searchParams.set('schema', `t_${createHash('sha256').update(dir).digest('hex').slice(0, 16)}`)
  return { ACCOUNTS: address.href }
}

function start(file: string, args: readonly string[], env: NodeJS.ProcessEnv, cwd?: string): ChildProcess {
  const options = {
    env: { PATH: process.env.PATH, ...accountsEnv(env.DATA_DIR), ...env },
    cwd,
    stdio: 'pipe',
  } as const
  return spawn(process.execPath, [file, ...args], options)
}

function collect(child: ChildProcess): { stdout: string; stderr: string } {
  const output = { stdout: '', stderr: '' }
  child.stdout?.on('data', chunk => (output.stdout += chunk))
  child.stderr?.on('data', chunk => (output.stderr += chunk))
  return output
}
