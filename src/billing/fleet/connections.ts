/** Connections to PostgreSQL: a pool for calls, and one that hears notices. Every wait has a bound. */
import { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { storeError, UnavailableError } from './database-errors.ts'

/** Connections of a node to its database, besides the listening one. */
const DATABASE_CONNECTIONS = 4
/** Time in which a connection must open or become free. */
const DATABASE_CONNECT_MS_MAX = 3000
const DATABASE_QUERY_MS_MAX = 5000

export type ConnectionOptions = {
  url: string
  schema: string
  connectMs: number
  queryMs: number
  connections: number
}

type Row = Record<string, unknown>

export type Run = (text: string, values?: readonly unknown[]) => Promise<Row[]>

/** Names of schemas that need no quotes in SQL or as a channel's name. */
const SCHEMA = /^[a-z_][a-z0-9_]{0,62}$/
/** Parameters of an address. Any other is a typing error that could cost the encryption. */
const PARAMETERS = ['schema', 'host', 'port', 'sslmode', 'sslrootcert', 'sslcert', 'sslkey']
const SSL_MODES = ['disable', 'prefer', 'require', 'verify-ca', 'verify-full', 'no-verify']

/** Time between two checks of the listening connection. */
const HEARTBEAT_MS = 5000
/** Time before a lost listening connection is replaced, and between two tries of its lock. */
const LISTEN_AGAIN_MS = 500

/** Reads an address. Its `?schema=` is ours, not PostgreSQL's. @throws RangeError */
export function connectionOptions(address: string, own: Partial<ConnectionOptions> = {}): ConnectionOptions {
  const url = new URL(address)
  const unknown = [...url.searchParams.keys()].find(name => !PARAMETERS.includes(name))
  if (unknown !== undefined)
    throw new RangeError(
      `The address in ACCOUNTS has the parameter ${unknown}. Known are ${PARAMETERS.join(', ')}.`,
    )
  const mode = url.searchParams.get('sslmode')
  if (mode !== null && !SSL_MODES.includes(mode))
    throw new RangeError(`The address in ACCOUNTS has sslmode=${mode}. Known are ${SSL_MODES.join(', ')}.`)
  const schema = own.schema ?? url.searchParams.get('schema') ?? 'postrie'
  url.searchParams.delete('schema')
  if (!SCHEMA.test(schema))
    throw new RangeError(
      `A schema is named by up to 63 lower-case letters, digits and underscores, not ${JSON.stringify(schema)}.`,
    )
  const bounds = { connectMs: DATABASE_CONNECT_MS_MAX, queryMs: DATABASE_QUERY_MS_MAX }
  return { ...bounds, connections: DATABASE_CONNECTIONS, ...own, url: url.href, schema }
}

export function shownAddress(address: string): string {
  const { host, pathname, searchParams } = new URL(address)
  const schema = searchParams.get('schema')
  return `postgres://${host}${pathname}${schema === null ? '' : `?schema=${schema}`}`
}

export class Connections {
  readonly options: ConnectionOptions
  readonly #pool: pg.Pool
  #listener: Socket | null = null
  /** True while the listening connection has its lock; null before the first connection. */
  hasLock: boolean | null = null
  #isClosed = false

  constructor(options: ConnectionOptions) {
    this.options = options
    this.#pool = new pg.Pool({
      ...this.#clientConfig(),
      max: options.connections,
      idleTimeoutMillis: 0,
      allowExitOnIdle: true,
      onConnect: client => this.#prepare(client),
    })
    // Without a listener, the loss of an idle connection would end the process.
    this.#pool.on('error', () => {})
  }

  /** Runs one statement as a transaction. @throws UnavailableError, FencedError, StaleError, RejectedError */
  async query<T = Row>(text: string, values: readonly unknown[] = []): Promise<T[]> {
    try {
      return await this.#onConnection(client => rowsOf<T>(client, text, values, this.options.queryMs))
    } catch (error) {
      throw storeError(error)
    }
  }

  async row<T = Row>(text: string, values: readonly unknown[] = []): Promise<T> {
    const [row] = await this.query<T>(text, values)
    if (row === undefined) throw new Error(`PostgreSQL has no row for ${text}`)
    return row
  }

  /** Runs `work` in one transaction. Without an answer, it may be committed. @param ms of each statement */
  transaction<T>(work: (run: Run) => Promise<T>, ms = this.options.queryMs, mode = ''): Promise<T> {
    return this.#onConnection(async client => {
      const run: Run = (text, values = []) =>
        rowsOf<Row>(client, text, values, ms).catch(error => {
          throw storeError(error)
        })
      await run(`begin ${mode}`)
      await run(`set local statement_timeout = ${ms}; set local idle_in_transaction_session_timeout = ${ms}`)
      const result = await work(run)
      await run('commit')
      return result
    })
  }

  /** Hears notices and holds an advisory lock, on one connection after another. Resolves after `close`. */
  async listen(lock: string, onPayload: (payload: string) => void): Promise<void> {
    while (!this.#isClosed) {
      // A socket can be destroyed at any moment. `end` would wait for a server that may be gone.
      const socket = new Socket()
      this.#listener = socket
      const client = new pg.Client({ ...this.#clientConfig(), stream: () => socket })
      client.on('notification', ({ payload = '' }) => onPayload(payload))
      await this.#hear(client, socket, lock).catch(() => socket.destroy())
      await sleep(LISTEN_AGAIN_MS, undefined, { ref: false })
    }
  }

  /** Rejects when the connection is lost. */
  async #hear(client: pg.Client, socket: Socket, lock: string): Promise<never> {
    const lost = new AbortController()
    client.on('error', () => lost.abort())
    socket.once('close', () => lost.abort())
    await client.connect()
    await this.#prepare(client)
    // With keepalives, the server ends the session and the lock of a dead machine within seconds.
    await client.query(
      'set tcp_keepalives_idle = 5; set tcp_keepalives_interval = 2; set tcp_keepalives_count = 3',
    )
    await client.query(`listen "${this.options.schema}"`)
    for (;;) {
      const text = 'select pg_try_advisory_lock(hashtextextended($1, 0)) as held'
      this.hasLock = (await client.query<{ held: boolean }>(text, [lock])).rows[0].held
      // Then asks again: a silently cut connection looks like one without notices.
      const ms = this.hasLock ? HEARTBEAT_MS : LISTEN_AGAIN_MS
      await sleep(ms, undefined, { ref: false, signal: lost.signal })
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true
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
      types: { getTypeParser: parserOf as typeof pg.types.getTypeParser },
      keepAlive: true,
      keepAliveInitialDelayMillis: 5000,
    }
  }

  async #prepare(client: pg.ClientBase): Promise<void> {
    const { schema, queryMs } = this.options
    await client.query(
      `select set_config('search_path', $1, false), set_config('statement_timeout', $2, false), set_config('jit', 'off', false),
        -- An answer must survive a crash. A call that waited for a lock must see the changes of its holder.
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
    // The waiting call gets the same error.
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
}

async function rowsOf<T>(
  client: pg.ClientBase,
  text: string,
  values: readonly unknown[],
  ms: number,
): Promise<T[]> {
  const { rows } = await client.query({ text, values: [...values], query_timeout: ms } as pg.QueryConfig)
  return rows
}

/** Returns a parser of values. Every bigint of a fleet is an exact number. */
function parserOf(type: number, format?: 'text' | 'binary'): unknown {
  return type === pg.types.builtins.INT8 ? Number : pg.types.getTypeParser(type, format as 'text')
}
