/** A PostgreSQL server of the test. Test files that import this are skipped without PostgreSQL. */

import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, realpathSync } from 'node:fs'
import { appendFile, chown, mkdtemp, rename, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import pg from 'pg'
import { freePort } from '../../bench/service.ts'
import { pathOf, skipFileWithout } from './programs.ts'

const run = promisify(execFile)
const START_MS_MAX = 60_000

skipFileWithout('postgres')

export interface TestPostgresOptions {
  /** True if commits survive a loss of power. Otherwise they survive only a killed server, and need no sync. */
  isDurable?: boolean
  settings?: Readonly<Record<string, string>>
}

interface Cluster {
  bin: string
  folder: string
  user: { uid: number; gid: number } | Record<string, never>
}

export class TestPostgres {
  readonly port: number
  readonly #cluster: Cluster
  #server: ChildProcess | null = null

  private constructor(port: number, cluster: Cluster) {
    this.port = port
    this.#cluster = cluster
  }

  /** Creates a cluster and starts its server. */
  static async start({ isDurable = false, settings = {} }: TestPostgresOptions = {}): Promise<TestPostgres> {
    const folder = await mkdtemp(join(tmpdir(), 'postrie-postgres-'))
    const user = await serverUser()
    // A link may stand in a folder without the other programs.
    const bin = dirname(realpathSync(pathOf('postgres')))
    if ('uid' in user) await chown(folder, user.uid, user.gid)
    const data = join(folder, 'data')
    await makeCluster(bin, data, user)
    const lines = {
      listen_addresses: "'127.0.0.1'",
      unix_socket_directories: "''",
      max_connections: '200',
      shared_buffers: "'64MB'",
      fsync: isDurable ? 'on' : 'off',
      full_page_writes: isDurable ? 'on' : 'off',
      synchronous_commit: isDurable ? 'on' : 'off',
      ...settings,
    }
    const conf = Object.entries(lines).map(([name, value]) => `${name} = ${value}\n`)
    await appendFile(join(data, 'postgresql.conf'), conf.join(''))
    const postgres = new TestPostgres(await freePort(), { bin, folder, user })
    await postgres.#serve()
    return postgres
  }

  get url(): string {
    return `postgres://postgres@127.0.0.1:${this.port}/postgres`
  }

  /** Returns the address of this server through a proxy on another port. */
  urlBy(port: number): string {
    return `postgres://postgres@127.0.0.1:${port}/postgres`
  }

  /** Runs statements as the owner, on a connection of their own. */
  async query(text: string, values: unknown[] = []): Promise<Record<string, unknown>[]> {
    const client = new pg.Client({ connectionString: this.url })
    await client.connect()
    try {
      return (await client.query<Record<string, unknown>>(text, values)).rows
    } finally {
      await client.end()
    }
  }

  /** Starts a standby that follows this server until `pg_promote`. */
  async standby(): Promise<TestPostgres> {
    const folder = await mkdtemp(join(tmpdir(), 'postrie-postgres-'))
    if ('uid' in this.#cluster.user) await chown(folder, this.#cluster.user.uid, this.#cluster.user.gid)
    const from = `host=127.0.0.1 port=${this.port} user=postgres`
    const args = ['-D', join(folder, 'data'), '-R', '-X', 'stream', '-c', 'fast', '-d', from]
    await run(join(this.#cluster.bin, 'pg_basebackup'), args, { ...this.#cluster.user, cwd: folder, env: {} })
    const standby = new TestPostgres(await freePort(), { ...this.#cluster, folder })
    await standby.#serve()
    return standby
  }

  /** Ends the server. `fast` ends its sessions, `immediate` is a crash. The data stays. */
  async halt(how: 'fast' | 'immediate' = 'fast'): Promise<void> {
    const server = this.#server
    if (server === null || server.exitCode !== null || server.signalCode !== null) return
    const exited = once(server, 'exit')
    server.kill(how === 'fast' ? 'SIGINT' : 'SIGQUIT')
    await exited
    this.#server = null
  }

  /** Starts the server after `halt`, which recovers all commits. */
  async resume(): Promise<void> {
    await this.#serve()
  }

  async dump(schema: string, file: string): Promise<void> {
    const args = ['-n', schema, '--clean', '--if-exists', '-f', file, this.url]
    await run(join(this.#cluster.bin, 'pg_dump'), args, { env: {} })
  }

  /** Replaces a schema by a dump in one transaction. A deadlock never ends that transaction. */
  async restore(file: string): Promise<void> {
    const args = ['-q', '-X', '-1', '-v', 'ON_ERROR_STOP=1', '-f', file, this.url]
    // The other transactions look for a deadlock after a second. The one that finds it is ended.
    await run(join(this.#cluster.bin, 'psql'), args, { env: { PGOPTIONS: '-c deadlock_timeout=1h' } })
  }

  async restart(how: 'fast' | 'immediate' = 'immediate'): Promise<void> {
    await this.halt(how)
    await this.resume()
  }

  async stop(): Promise<void> {
    await this.halt('immediate')
    await rm(this.#cluster.folder, { recursive: true, force: true })
  }

  async #serve(): Promise<void> {
    const args = ['-D', join(this.#cluster.folder, 'data'), '-p', `${this.port}`]
    const server = spawn(join(this.#cluster.bin, 'postgres'), args, {
      ...this.#cluster.user,
      cwd: this.#cluster.folder,
      env: {},
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    this.#server = server
    let log = ''
    server.stderr?.on('data', chunk => (log += chunk))
    // The server must not outlive a test that dies.
    const end = () => server.kill('SIGQUIT')
    process.once('exit', end)
    server.once('exit', () => process.off('exit', end))
    const endMs = performance.now() + START_MS_MAX
    while (!(await this.#answers())) {
      if (server.exitCode !== null || performance.now() > endMs) {
        server.kill('SIGQUIT')
        throw new Error(`PostgreSQL does not start: ${log}`)
      }
      await new Promise(resolve => setTimeout(resolve, 20))
    }
  }

  async #answers(): Promise<boolean> {
    const client = new pg.Client({ connectionString: this.url, connectionTimeoutMillis: 1000 })
    client.on('error', () => {})
    try {
      await client.connect()
      await client.end()
      return true
    } catch {
      return false
    }
  }
}

/** Makes a cluster in `data`. Those of one test run are copies of the first: `initdb` takes a second. */
async function makeCluster(bin: string, data: string, user: object): Promise<void> {
  const first = join(process.env.POSTRIE_TEST_RUN ?? dirname(data), 'cluster')
  if (!existsSync(first)) {
    const fresh = `${data}-fresh`
    const args = ['-D', fresh, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync']
    await run(join(bin, 'initdb'), args, { ...user, cwd: dirname(data), env: {} })
    // Another test file may have been faster.
    await rename(fresh, first).catch(() => {})
  }
  await run('cp', ['-a', first, data])
}

const shared: { server: Promise<TestPostgres> | null } = { server: null }

/** Returns the server that all tests of this process share. `stopSharedPostgres` ends it. */
export function sharedPostgres(): Promise<TestPostgres> {
  shared.server ??= TestPostgres.start()
  return shared.server
}

export async function stopSharedPostgres(): Promise<void> {
  const server = await shared.server
  shared.server = null
  await server?.stop()
}

export function freshSchema(): string {
  return `test_${randomBytes(6).toString('hex')}`
}

/** Returns the user of Debian's package, or nobody: PostgreSQL refuses to run as root. */
async function serverUser(): Promise<{ uid: number; gid: number } | Record<string, never>> {
  if (process.getuid?.() !== 0) return {}
  for (const name of ['postgres', 'nobody']) {
    try {
      const [uid, gid] = await Promise.all(['-u', '-g'].map(flag => run('id', [flag, name])))
      return { uid: Number(uid.stdout), gid: Number(gid.stdout) }
    } catch {}
  }
  throw new Error('PostgreSQL does not run as root, and there is neither a user postgres nor nobody')
}
