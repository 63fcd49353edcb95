/** One connection to PostgreSQL, every wait of which is bounded. */
import { Socket } from 'node:net'
import pg from 'pg'
import { leavesConnection } from './database-errors.ts'

export interface ConnectionOptions {
  url: string
  /** The schema that all names refer to. */
  schema: string
  connectMs: number
  queryMs: number
}

/** How long a connection may take to say goodbye. */
const END_MS_MAX = 500
/** A transaction that waits for this process longer than this is ended by the server. */
const IDLE_IN_TRANSACTION_MS = 60_000

export class DatabaseConnection {
  readonly #client: pg.Client
  readonly #socket: Socket
  #isOpen = true

  private constructor(client: pg.Client, socket: Socket) {
    this.#client = client
    this.#socket = socket
    // Without a listener, a connection that is lost while nobody uses it would end the process.
    client.on('error', () => this.destroy())
    client.on('end', () => this.destroy())
  }

  /** Connects and sets the session up. @throws an error of `pg` or of the socket, within twice `connectMs` */
  static async open(options: ConnectionOptions): Promise<DatabaseConnection> {
    const socket = new Socket()
    const client = new pg.Client({
      connectionString: options.url,
      connectionTimeoutMillis: options.connectMs,
      query_timeout: options.connectMs,
      application_name: 'postrie',
      keepAlive: true,
      keepAliveInitialDelayMillis: 5000,
      // Its own socket can be destroyed at any moment; `end` waits for a server that may be gone.
      stream: () => socket,
    })
    const connection = new DatabaseConnection(client, socket)
    try {
      await client.connect()
      await client.query(
        `select set_config('search_path', $1, false), set_config('statement_timeout', $2, false),
          set_config('idle_in_transaction_session_timeout', $3, false), set_config('jit', 'off', false),
          -- Whatever the defaults of the server, database and role are: what it has answered must survive its crash, and
          -- whoever has waited for a lock must see what the holder has changed.
          set_config('synchronous_commit', 'on', false),
          set_config('default_transaction_isolation', 'read committed', false)`,
        [options.schema, `${options.queryMs}`, `${IDLE_IN_TRANSACTION_MS}`],
      )
      return connection
    } catch (error) {
      connection.destroy()
      throw error
    }
  }

  get isOpen(): boolean {
    return this.#isOpen
  }

  /** Runs one statement. @throws an error of `pg` or of the socket, within `ms`; afterwards the connection may be closed */
  async query(text: string, values: readonly unknown[], ms: number): Promise<Record<string, unknown>[]> {
    try {
      const config = { text, values: [...values], query_timeout: ms }
      return (await this.#client.query<Record<string, unknown>>(config)).rows
    } catch (error) {
      // After a timeout, the answer that is still to come must not be taken for that of another statement.
      if (!leavesConnection(error)) this.destroy()
      throw error
    }
  }

  /** Runs several statements in one string, without values. As `query`. */
  async script(text: string, ms: number): Promise<void> {
    await this.query(text, [], ms)
  }

  onNotification(run: (payload: string) => void): void {
    this.#client.on('notification', ({ payload }) => run(payload ?? ''))
  }

  onceClosed(run: () => void): void {
    this.#socket.once('close', run)
  }

  destroy(): void {
    this.#isOpen = false
    this.#socket.destroy()
  }

  /** Says goodbye to the server, and waits a little for it. */
  async close(): Promise<void> {
    if (!this.#isOpen) return
    this.#isOpen = false
    const late = setTimeout(() => this.#socket.destroy(), END_MS_MAX)
    await this.#client.end().catch(() => {})
    clearTimeout(late)
    this.#socket.destroy()
  }
}
