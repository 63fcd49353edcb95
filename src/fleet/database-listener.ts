/** Hears what other nodes notify. A lost connection is opened again; what was missed meanwhile is found by polling. */
import { Backoff } from './database-backoff.ts'
import { type ConnectionOptions, DatabaseConnection } from './database-connection.ts'

/** How often the connection is tried: one that was cut without a word looks like one on which nothing is said. */
const HEARTBEAT_MS = 5000

export class DatabaseListener {
  readonly #options: ConnectionOptions
  readonly #onPayload: (payload: string) => void
  readonly #onConnected: () => void
  readonly #backoff = new Backoff()
  #connection: DatabaseConnection | null = null
  #timer: NodeJS.Timeout | null = null
  #isClosed = false

  /** Calls `onPayload` for each notice of the schema, and `onConnected` when notices may have been missed before. */
  constructor(options: ConnectionOptions, onPayload: (payload: string) => void, onConnected: () => void) {
    this.#options = options
    this.#onPayload = onPayload
    this.#onConnected = onConnected
    void this.#connect()
  }

  get isConnected(): boolean {
    return this.#connection?.isOpen ?? false
  }

  async close(): Promise<void> {
    this.#isClosed = true
    if (this.#timer !== null) clearTimeout(this.#timer)
    await this.#connection?.close()
  }

  async #connect(): Promise<void> {
    try {
      const connection = await DatabaseConnection.open(this.#options)
      this.#connection = connection
      if (this.#isClosed) return await connection.close()
      connection.onNotification(this.#onPayload)
      await connection.query(`listen "${this.#options.schema}"`, [], this.#options.queryMs)
      connection.onceClosed(() => this.#again())
      if (!connection.isOpen) return this.#again()
      this.#backoff.succeeded()
      this.#onConnected()
      this.#beat(connection)
    } catch {
      this.#connection?.destroy()
      this.#again()
    }
  }

  #beat(connection: DatabaseConnection): void {
    this.#after(HEARTBEAT_MS, async () => {
      // A failure destroys the connection, and its end leads to another one.
      await connection.query('select', [], this.#options.queryMs).catch(() => connection.destroy())
      if (connection.isOpen) this.#beat(connection)
    })
  }

  #again(): void {
    this.#backoff.failed()
    this.#after(this.#backoff.waitMs, () => this.#connect())
  }

  #after(ms: number, run: () => Promise<void>): void {
    if (this.#timer !== null) clearTimeout(this.#timer)
    if (this.#isClosed) return
    this.#timer = setTimeout(() => void run(), ms).unref()
  }
}
