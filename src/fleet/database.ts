/** A few connections to PostgreSQL, opened when they are needed and again when they are lost. No call waits without a bound. */

import { Backoff } from './database-backoff.ts'
import { type ConnectionOptions, DatabaseConnection } from './database-connection.ts'
import { isRepeatable, storeError } from './database-errors.ts'
import { DATABASE_CALLS_WAITING_MAX } from './limits.ts'
import { UnavailableError } from './store.ts'

/** Attempts of a transaction that the server has undone because of others. */
const ATTEMPTS_MAX = 10

interface Waiting {
  take: (connection: DatabaseConnection | null) => void
  giveUp: NodeJS.Timeout
}

export class Database {
  readonly options: ConnectionOptions
  readonly #idle: DatabaseConnection[] = []
  readonly #waiting: Waiting[] = []
  readonly #backoff = new Backoff()
  #lastFailure = ''
  /** Connections that are in use or being opened, and places that nobody has taken yet. */
  readonly #busy = new Set<DatabaseConnection>()
  #freePlaces: number
  #isClosed = false

  constructor(options: ConnectionOptions, connections: number) {
    this.options = options
    this.#freePlaces = connections
  }

  /**
   * Runs one statement, which is a transaction of its own, and returns its rows.
   * @throws UnavailableError within `connectMs` and `queryMs`; FencedError, StaleError, RefusedError
   */
  async query(text: string, values: readonly unknown[] = []): Promise<Record<string, unknown>[]> {
    for (let attempt = 1; ; attempt++) {
      const connection = await this.#take()
      try {
        return await connection.query(text, values, this.options.queryMs)
      } catch (error) {
        if (attempt === ATTEMPTS_MAX || !isRepeatable(error)) throw storeError(error)
      } finally {
        this.#putBack(connection)
      }
      await new Promise(resolve => setTimeout(resolve, attempt))
    }
  }

  /** The only row of a statement that always has one. */
  async row(text: string, values: readonly unknown[] = []): Promise<Record<string, unknown>> {
    const [row] = await this.query(text, values)
    if (row === undefined) throw new Error(`PostgreSQL has no row for ${text}`)
    return row
  }

  /** Ends all connections. Calls in progress are refused. */
  async close(): Promise<void> {
    this.#isClosed = true
    for (const { take, giveUp } of this.#waiting.splice(0)) {
      clearTimeout(giveUp)
      take(null)
    }
    for (const connection of this.#busy) connection.destroy()
    await Promise.all(this.#idle.splice(0).map(connection => connection.close()))
  }

  async #take(): Promise<DatabaseConnection> {
    if (this.#isClosed) throw new UnavailableError('The connections to PostgreSQL have been closed.')
    for (let idle = this.#idle.pop(); idle !== undefined; idle = this.#idle.pop()) {
      if (idle.isOpen) {
        this.#busy.add(idle)
        return idle
      }
      this.#freePlaces++
    }
    if (this.#freePlaces > 0) return this.#open()
    const handed = await this.#wait()
    return handed ?? this.#take()
  }

  /** Opens a connection in a free place. While the server is away, attempts keep their distance and calls fail at once. */
  async #open(): Promise<DatabaseConnection> {
    if (this.#backoff.waitMs > 0) {
      throw new UnavailableError(`PostgreSQL cannot be reached: ${this.#lastFailure}`)
    }
    this.#freePlaces--
    try {
      const connection = await DatabaseConnection.open(this.options)
      this.#backoff.succeeded()
      this.#busy.add(connection)
      return connection
    } catch (error) {
      this.#backoff.failed()
      this.#freePlaces++
      const failure = storeError(error)
      this.#lastFailure = failure.message
      // Those that wait would find the same.
      while (this.#waiting.length > 0) this.#wakeOne(null)
      // A wrong password or a missing database is refused, but another server may answer the next attempt.
      throw new UnavailableError(`PostgreSQL cannot be reached: ${failure.message}`, { cause: error })
    }
  }

  /** Resolves with a connection, or with null when a place is free. @throws UnavailableError after `queryMs` */
  #wait(): Promise<DatabaseConnection | null> {
    if (this.#waiting.length >= DATABASE_CALLS_WAITING_MAX) {
      throw new UnavailableError(`${DATABASE_CALLS_WAITING_MAX} calls wait for PostgreSQL already.`)
    }
    return new Promise((resolve, reject) => {
      const giveUp = setTimeout(() => {
        this.#waiting.splice(this.#waiting.indexOf(waiting), 1)
        reject(new UnavailableError(`No connection to PostgreSQL was free for ${this.options.queryMs} ms.`))
      }, this.options.queryMs)
      const waiting: Waiting = { take: resolve, giveUp }
      this.#waiting.push(waiting)
    })
  }

  #putBack(connection: DatabaseConnection): void {
    this.#busy.delete(connection)
    if (this.#isClosed) connection.destroy()
    if (!connection.isOpen) {
      this.#freePlaces++
      this.#wakeOne(null)
    } else if (this.#waiting.length > 0) {
      this.#busy.add(connection)
      this.#wakeOne(connection)
    } else {
      this.#idle.push(connection)
    }
  }

  #wakeOne(connection: DatabaseConnection | null): void {
    const waiting = this.#waiting.shift()
    if (waiting === undefined) return
    clearTimeout(waiting.giveUp)
    waiting.take(connection)
  }
}
