/** Connections to PostgreSQL: a few that calls share, and one that hears notices. No wait is without a bound. */
import { Socket } from 'node:net'
import pg from 'pg'
import { storeError, UnavailableError } from './database-errors.ts'
import { DATABASE_CONNECT_MS_MAX, DATABASE_CONNECTIONS, DATABASE_QUERY_MS_MAX } from './fleet-bounds.ts'

export interface ConnectionBounds {
  connectMs?: number
  queryMs?: number
  schema?: string
}

export interface ConnectionOptions extends Required<ConnectionBounds> {
  url: string
}

export type Run = (text: string, values?: readonly unknown[]) => Promise<Record<string, unknown>[]>

/** Plain, so that it can stand in SQL and as a channel's name. */
const SCHEMA = /^[a-z_][a-z0-9_]{0,62}$/
/** Parameters of an address. Any other one is a typing error, which could cost the encryption. */
const PARAMETERS = ['schema', 'host', 'port', 'sslmode', 'sslrootcert', 'sslcert', 'sslkey']
const SSL_MODES = ['disable', 'prefer', 'require', 'verify-ca', 'verify-full', 'no-verify']

/** Attempts of a call that the server has undone because of others. */
const ATTEMPTS_MAX = 10
const REPEATABLE = /^(40001|40P01)$/
/** Between two tries of the connection that listens, and before another one is opened. */
const HEARTBEAT_MS = 5000
const LISTEN_AGAIN_MS = 500

/** Reads an address, whose `?schema=` PostgreSQL itself does not know. @throws RangeError for a parameter that is not known, or a bad value */
export function connectionOptions(address: string, bounds: ConnectionBounds = {}): ConnectionOptions {
  const url = new URL(address)
  const unknown = [...url.searchParams.keys()].find(name => !PARAMETERS.includes(name))
  if (unknown !== undefined)
    throw new RangeError(
      `The address in ACCOUNTS has the parameter ${unknown}. Known are ${PARAMETERS.join(', ')}.`,
    )
  const mode = url.searchParams.get('sslmode')
  if (mode !== null && !SSL_MODES.includes(mode))
    throw new RangeError(`The address in ACCOUNTS has sslmode=${mode}. Known are ${SSL_MODES.join(', ')}.`)
  const schema = bounds.schema ?? url.searchParams.get('schema') ?? 'postrie'
  url.searchParams.delete('schema')
  if (!SCHEMA.test(schema))
    throw new RangeError(
      `A schema is named by up to 63 lower-case letters, digits and underscores, not ${JSON.stringify(schema)}.`,
    )
  const { connectMs = DATABASE_CONNECT_MS_MAX, queryMs = DATABASE_QUERY_MS_MAX } = bounds
  return { url: url.href, schema, connectMs, queryMs }
}

export function shownAddress(address: string): string {
  const { host, pathname, searchParams } = new URL(address)
  const schema = searchParams.get('schema')
  return `postgres://${host}${pathname}${schema === null ? '' : `?schema=${schema}`}`
}

export class Database {
  readonly options: ConnectionOptions
  readonly #pool: pg.Pool
  #listener: Socket | null = null
  #listening: NodeJS.Timeout | undefined
  /** True when the listening connection has its lock; null before it was connected first. */
  holdsLock: boolean | null = null
  #isClosed = false

  constructor(options: ConnectionOptions, connections = DATABASE_CONNECTIONS) {
    this.options = options
    this.#pool = new pg.Pool({
      ...this.#clientConfig(),
      max: connections,
      idleTimeoutMillis: 0,
      allowExitOnIdle: true,
      onConnect: client => this.#prepare(client),
    })
    // Without a listener, a connection that is lost while nobody uses it would end the process.
    this.#pool.on('error', () => {})
  }

  /** Runs one statement, a transaction of its own. @throws UnavailableError within the bounds; FencedError, StaleError, RefusedError */
  async query(text: string, values: readonly unknown[] = []): Promise<Record<string, unknown>[]> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#onConnection(client => rowsOf(client, text, values, this.options.queryMs))
      } catch (error) {
        if (attempt === ATTEMPTS_MAX || !REPEATABLE.test(`${(error as { code?: unknown }).code}`))
          throw storeError(error)
      }
      await new Promise(resolve => setTimeout(resolve, attempt))
    }
  }

  async row(text: string, values: readonly unknown[] = []): Promise<Record<string, unknown>> {
    const [row] = await this.query(text, values)
    if (row === undefined) throw new Error(`PostgreSQL has no row for ${text}`)
    return row
  }

  /** Runs `work` in one transaction, undone when it throws; if only the last answer is lost, it may be committed. @param ms bound of each statement */
  transaction<T>(work: (run: Run) => Promise<T>, ms = this.options.queryMs, mode = ''): Promise<T> {
    return this.#onConnection(async client => {
      const run: Run = (text, values = []) =>
        rowsOf(client, text, values, ms).catch(error => {
          throw storeError(error)
        })
      await run(`begin ${mode}`)
      await run(`set local statement_timeout = ${ms}; set local idle_in_transaction_session_timeout = ${ms}`)
      const result = await work(run)
      await run('commit')
      return result
    })
  }

  /** Hears notices of the schema and holds the advisory lock of a name; both again whenever the connection was lost. */
  listen(lock: string, onPayload: (payload: string) => void, onConnected: () => void): void {
    if (this.#isClosed) return
    // A socket of its own can be destroyed at any moment, while `end` waits for a server that may be gone.
    const socket = new Socket()
    this.#listener = socket
    const client = new pg.Client({ ...this.#clientConfig(), stream: () => socket })
    client.on('error', () => socket.destroy())
    client.on('notification', ({ payload = '' }) => onPayload(payload))
    socket.once('close', () => this.#later(LISTEN_AGAIN_MS, () => this.listen(lock, onPayload, onConnected)))
    const beat = async (): Promise<void> => {
      const text = 'select pg_try_advisory_lock(hashtextextended($1, 0)) as held'
      this.holdsLock = (await client.query<{ held: boolean }>(text, [lock])).rows[0].held
      // A connection that was cut without a word looks like one on which nothing is said.
      this.#later(this.holdsLock ? HEARTBEAT_MS : LISTEN_AGAIN_MS, () => beat().catch(() => socket.destroy()))
    }
    const begin = async (): Promise<void> => {
      await client.connect()
      await this.#prepare(client)
      // The server ends the session of a machine that is gone within some seconds, and with it the lock.
      await client.query(
        'set tcp_keepalives_idle = 5; set tcp_keepalives_interval = 2; set tcp_keepalives_count = 3',
      )
      await client.query(`listen "${this.options.schema}"`)
      await beat()
      onConnected()
    }
    begin().catch(() => socket.destroy())
  }

  async close(): Promise<void> {
    this.#isClosed = true
    clearTimeout(this.#listening)
    this.#listener?.destroy()
    if (!this.#pool.ending) await this.#pool.end()
  }

  #clientConfig(): pg.ClientConfig {
    const { url, connectMs, queryMs } = this.options
    return {
      connectionString: url,
      connectionTimeoutMillis: connectMs,
      query_timeout: queryMs,
      application_name: 'postrie',
      keepAlive: true,
      keepAliveInitialDelayMillis: 5000,
    }
  }

  async #prepare(client: pg.ClientBase): Promise<void> {
    const { schema, queryMs } = this.options
    await client.query(
      `select set_config('search_path', $1, false), set_config('statement_timeout', $2, false), set_config('jit', 'off', false),
        -- An answer must survive a crash of the server, and who has waited for a lock must see what its holder has changed.
        set_config('synchronous_commit', 'on', false), set_config('default_transaction_isolation', 'read committed', false)`,
      [schema, `${queryMs}`],
    )
  }

  async #onConnection<T>(work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
    const client = await this.#pool.connect().catch(error => {
      throw new UnavailableError(`PostgreSQL cannot be reached: ${error.message || error.code}`, {
        cause: error,
      })
    })
    let isSound = false
    // A connection that is lost says so here and to the call that waits for its answer.
    const ignore = (): void => {}
    client.on('error', ignore)
    try {
      const result = await work(client)
      isSound = true
      return result
    } finally {
      client.off('error', ignore)
      client.release(!isSound)
    }
  }

  #later(ms: number, run: () => unknown): void {
    clearTimeout(this.#listening)
    if (!this.#isClosed) this.#listening = setTimeout(run, ms).unref()
  }
}

async function rowsOf(
  client: pg.ClientBase,
  text: string,
  values: readonly unknown[],
  ms: number,
): Promise<Record<string, unknown>[]> {
  const config = { text, values: [...values], query_timeout: ms }
  return (await client.query<Record<string, unknown>>(config)).rows
}
