/** The service and its commands as the child processes that they are in production. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

const CLI = fileURLToPath(new URL('../../src/cli.js', import.meta.url))

export interface RealServer {
  pid: number
  /** Base addresses of the API and the dashboard. */
  api: string
  dashboard: string
  /** Key of the demo account, on a first start. */
  demoKey: string
  output(): string
  /** Ends the process with `signal` and resolves with its exit code. */
  stop(signal?: NodeJS.Signals): Promise<number | null>
}

/** `postrie serve` on `folder` and free ports; resolves once it says that it is ready. */
export async function startServer(folder: string, env: NodeJS.ProcessEnv = {}): Promise<RealServer> {
  const child = run(['serve'], { DATA_DIR: folder, PORT: '0', CONTROL_PORT: '0', ...env })
  const ended = once(child, 'close').then(([code]) => code as number | null)
  let stdout = ''
  let stderr = ''
  child.stderr?.on('data', chunk => {
    stderr += chunk
  })
  const ready = new Promise<void>(resolve => {
    child.stdout?.on('data', chunk => {
      stdout += chunk
      if (/^ +data .*\n/m.test(stdout)) resolve()
    })
  })
  const failed = ended.then(code => {
    throw new Error(`the server ended with ${code} before it was ready: ${stderr}`)
  })
  failed.catch(() => {})
  await Promise.race([ready, failed])
  const find = (pattern: RegExp) => pattern.exec(stdout)?.[1] ?? ''
  return {
    pid: child.pid as number,
    api: find(/API +(\S+)/),
    dashboard: find(/dashboard +(\S+)/),
    demoKey: find(/(pk_live_\w+)/),
    output: () => stdout + stderr,
    stop(signal = 'SIGTERM') {
      child.kill(signal)
      return ended
    },
  }
}

/** The answer of `postrie <args> --json`. @throws when it fails */
// biome-ignore lint/suspicious/noExplicitAny: whatever the command says; the caller knows what it asked for
export async function postrieJson(folder: string, args: readonly string[]): Promise<any> {
  const child = run([...args, '--json'], { DATA_DIR: folder })
  let stdout = ''
  let stderr = ''
  child.stdout?.on('data', chunk => {
    stdout += chunk
  })
  child.stderr?.on('data', chunk => {
    stderr += chunk
  })
  const [code] = await once(child, 'close')
  if (code !== 0) throw new Error(`postrie ${args.join(' ')} ended with ${code}: ${stderr}`)
  return JSON.parse(stdout)
}

/** The test runner's own settings stay behind: the server must run as a user would run it. */
function run(args: readonly string[], env: NodeJS.ProcessEnv): ChildProcess {
  return spawn(process.execPath, [CLI, ...args], { env: { PATH: process.env.PATH, ...env }, stdio: 'pipe' })
}
