/** The real server as a child process, to be loaded, killed, stopped or starved by tests. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { DEFAULT_INDEX } from '../support/default-index.ts'

const CLI = fileURLToPath(new URL('../../src/cli.js', import.meta.url))

export class ServerProcess {
  readonly dataDir: string
  readonly child: ChildProcess
  /** Everything that it has written to its log. */
  log = ''
  /** Port of the API, once `ready` has resolved. */
  port = 0
  readonly #ended: Promise<[code: number | null, signal: NodeJS.Signals | null]>

  /** `wrapper` is a command that runs the server, such as strace with its options. */
  constructor(
    dataDir: string,
    wrapper: string[] = [],
    env: Record<string, string> = {},
    options: string[] = [],
  ) {
    this.dataDir = dataDir
    const [command = process.execPath, ...args] = [...wrapper, process.execPath, CLI, 'serve', ...options]
    this.child = spawn(command, args, {
      env: {
        ...process.env,
        HOST: '127.0.0.1',
        PORT: '0',
        CONTROL_PORT: '0',
        BULK_WORKERS: '0',
        // As on a machine with many processors: ten times as many syncs as on one with two, to be killed in or to fail.
        FLUSH_MS: '5',
        DATA_DIR: dataDir,
        INDEX_FILE: DEFAULT_INDEX,
        ...env,
      },
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    this.child.stderr?.setEncoding('utf8').on('data', text => {
      this.log += text
    })
    this.#ended = once(this.child, 'exit') as Promise<[number | null, NodeJS.Signals | null]>
  }

  get socketFile(): string {
    return join(this.dataDir, 'control.sock')
  }

  /** Resolves when the server answers. @throws Error with the log when it ends instead */
  async ready(): Promise<this> {
    const stderr = this.child.stderr
    while (this.port === 0) {
      const found = /"port":(\d+)/.exec(this.log)
      if (found !== null) this.port = Number(found[1])
      else if (
        stderr === null ||
        (await Promise.race([once(stderr, 'data'), this.#ended]))[1] !== undefined
      ) {
        throw new Error(`the server ended before it was ready: ${this.log}`)
      }
    }
    return this
  }

  /** Resolves with true when `text` is in the log, with false when it is not there after `ms` or the server has ended. */
  async logs(text: string, ms: number): Promise<boolean> {
    const { stderr } = this.child
    const endMs = Date.now() + ms
    while (!this.log.includes(text)) {
      const leftMs = endMs - Date.now()
      if (stderr === null || leftMs <= 0) return false
      const timeout = AbortSignal.timeout(leftMs)
      const written = once(stderr, 'data', { signal: timeout }).then(
        () => true,
        () => false,
      )
      const hasEnded = this.#ended.then(() => false)
      if (!(await Promise.race([written, hasEnded])) && !this.log.includes(text)) return false
    }
    return true
  }

  /** Sends a signal and resolves with how the process ended. */
  async end(signal: NodeJS.Signals): Promise<{ code: number | null; signal: NodeJS.Signals | null }> {
    this.child.kill(signal)
    return this.exit()
  }

  async exit(): Promise<{ code: number | null; signal: NodeJS.Signals | null }> {
    const [code, signal] = await this.#ended
    return { code, signal }
  }
}

/** The real data folder's socket path must stay below 108 bytes, so tests use short names in the system's own folder. */
export const DATA_PREFIX = 'postrie-'
