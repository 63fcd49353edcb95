/** The exchanges of one node with PostgreSQL. A row that another transaction holds stops its own account only. */
import { QUERY_PRICE_MICROS } from '../limits.ts'
import type { Database } from './database.ts'
import { NODE_LIVE_MS } from './limits.ts'
import { exchangeAnswer, exchangeParts } from './postgres-shapes.ts'
import { type Exchange, type ExchangeAnswer, LockedError, type NodeIdentity } from './store.ts'

const EXCHANGE = 'select exchange($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) as answer'

export class PostgresExchange {
  readonly #database: Database
  readonly #lockMs: number
  /** Whether the last one has left accounts out. */
  #isLeaving = false

  /** @param lockMs how long to wait for a row, before its account is left out */
  constructor(database: Database, lockMs: number) {
    this.#database = database
    this.#lockMs = lockMs
  }

  /** As `FleetStore.exchange`. */
  async run({ node, epoch }: NodeIdentity, exchange: Exchange): Promise<ExchangeAnswer> {
    if (!Number.isSafeInteger(exchange.number) || exchange.number < 1) {
      throw new RangeError(`exchanges are numbered from 1, not ${exchange.number}`)
    }
    const { number } = exchange
    const values = [node, epoch, number, QUERY_PRICE_MICROS, NODE_LIVE_MS, ...exchangeParts(exchange)]
    // A row that was held the last time is probably still held.
    const answer = this.#isLeaving ? await this.#ask(values, 0) : await this.#askAll(values)
    this.#isLeaving = answer.left.length > 0
    return answer
  }

  async #askAll(values: readonly unknown[]): Promise<ExchangeAnswer> {
    try {
      return await this.#ask(values, this.#lockMs)
    } catch (error) {
      if (error instanceof LockedError) return this.#ask(values, 0)
      throw error
    }
  }

  /** @param lockMs 0: accounts whose rows are held are left out at once */
  async #ask(values: readonly unknown[], lockMs: number): Promise<ExchangeAnswer> {
    return exchangeAnswer((await this.#database.row(EXCHANGE, [...values, lockMs])).answer)
  }
}
