/** The one transaction of a move between a ledger and a fleet, on a connection of its own. `sql/0008-migration.sql` has its functions. */
import type { Book } from '../ledger/book/book.ts'
import { QUERY_PRICE_MICROS } from '../limits.ts'
import type { TimedEvent } from './book-events.ts'
import { DatabaseConnection } from './database-connection.ts'
import { storeError } from './database-errors.ts'
import { migrate, type SchemaRights } from './database-migrations.ts'
import { effectiveEvents } from './event-effects.ts'
import { fleetAddress } from './fleet-address.ts'
import { MOVE_MS_MAX, MOVE_SILENT_MS, MOVED_EVENTS_PER_CALL, MOVED_KEYS_PER_CALL } from './limits.ts'
import { imageIn } from './postgres-image.ts'
import { connectionOptions } from './postgres-store.ts'
import { Replica } from './replica.ts'
import type { Committed, FleetImage, KeyHour } from './store.ts'

/** What a fleet is before a move. */
export interface MovableFleet {
  fleet: string
  sequence: number
  accounts: number
  /** The move that has filled it, and the one that has taken its accounts away, when and to which folder. */
  filledBy: string | null
  movedBy: string | null
  movedMs: number | null
  movedTo: string | null
  /** Nodes that were heard of lately, or hold something. */
  nodes: { node: string; address: string; silentMs: number; heldMicros: number }[]
}

export interface AccountRow {
  creditedMicros: number
  spentMicros: number
  leasedMicros: number
  /** Of minute, hour and day, or null, as JSON. */
  limits: string
}

export interface KeyRow {
  account: number
  capMicros: number | null
  month: number
  monthMicros: number
  leasedMicros: number
}

/** What a fleet says of itself: its book, and its accounts and keys as commands and leases see them. */
export interface ReadBack {
  book: Book
  /** By slot. */
  accounts: Map<number, AccountRow>
  keys: Map<number, KeyRow>
  usage: Map<number, number[]>
  /** Who gave the money of an entry, by its reference. */
  sources: Map<string, string>
}

export class MoveConnection {
  readonly #connection: DatabaseConnection

  private constructor(connection: DatabaseConnection) {
    this.#connection = connection
  }

  /** Begins. @throws UnavailableError; RefusedError, also for a schema of another version, where `rights` do not allow more */
  static async open(url: string, rights: SchemaRights): Promise<MoveConnection> {
    const { address, schema } = fleetAddress(url)
    const options = { ...connectionOptions(address, { schema }), queryMs: MOVE_MS_MAX }
    await migrate(options, rights)
    let connection: DatabaseConnection | undefined
    try {
      connection = await DatabaseConnection.open(options)
      await connection.script(
        `begin; set local idle_in_transaction_session_timeout = ${MOVE_MS_MAX}`,
        MOVE_MS_MAX,
      )
      return new MoveConnection(connection)
    } catch (error) {
      connection?.destroy()
      throw storeError(error)
    }
  }

  /** Locks the fleet, and fences its nodes, until the end of the transaction. */
  async begin(): Promise<MovableFleet> {
    const [row] = await this.#run('select begin_move($1) as fleet', [MOVE_SILENT_MS])
    return row?.fleet as MovableFleet
  }

  async writeEvents(events: Iterable<TimedEvent>): Promise<void> {
    let part: unknown[] = []
    const send = async () => {
      if (part.length > 0) await this.#run('select move_events($1)', [JSON.stringify(part)])
      part = []
    }
    for (const { timeMs, event } of events) {
      part.push([timeMs, event, effectiveEvents([event]).length > 0])
      if (part.length === MOVED_EVENTS_PER_CALL) await send()
    }
    await send()
  }

  /** Books keys of `book`, whose hours come in parts. */
  async writeUsage(book: Book, parts: Iterable<KeyHour[]>): Promise<void> {
    for (const hours of parts) {
      const keys = [...new Set(hours.map(({ key }) => key))]
      for (let start = 0; start < keys.length; start += MOVED_KEYS_PER_CALL) {
        const chosen = new Set(keys.slice(start, start + MOVED_KEYS_PER_CALL))
        const counts = [...chosen].map(slot => {
          const { queries, month, monthSpentMicros: micros } = book.key(slot)
          return { key: slot, queries, month, micros }
        })
        const texts = [counts, hours.filter(({ key }) => chosen.has(key))].map(list => JSON.stringify(list))
        await this.#run('select move_usage($1, $2, $3)', [QUERY_PRICE_MICROS, ...texts])
      }
    }
  }

  /** Everything, also what this transaction has written. */
  async readBack(): Promise<ReadBack> {
    const replica = new Replica()
    const sources = new Map<string, string>()
    const image = await this.#image()
    await replica.load({ ...image, committed: noting(image.committed, sources) })
    await image.close()
    const accounts = await this.#run(
      `select slot, credited, spent, leased,
        case when is_limited then json_build_array(per_minute, per_hour, per_day)::text else 'null' end as limits from account where not is_key`,
    )
    const keys = await this.#run('select slot, account, cap, month, month_spent, month_leased from api_key')
    const usage = await this.#run('select key, array_to_json(queries) as queries from key_usage')
    return {
      book: replica.book,
      sources,
      accounts: new Map(
        accounts.map(({ slot, credited, spent, leased, limits }) => [
          Number(slot),
          {
            creditedMicros: Number(credited),
            spentMicros: Number(spent),
            leasedMicros: Number(leased),
            limits: String(limits).replaceAll(' ', ''),
          },
        ]),
      ),
      keys: new Map(
        keys.map(({ slot, account, cap, month, month_spent: spent, month_leased: leased }) => [
          Number(slot),
          {
            account: Number(account),
            capMicros: cap === null ? null : Number(cap),
            month: Number(month),
            monthMicros: Number(spent),
            leasedMicros: Number(leased),
          },
        ]),
      ),
      usage: new Map(usage.map(({ key, queries }) => [Number(key), queries as number[]])),
    }
  }

  async endMoveIn(move: string): Promise<void> {
    await this.#run('select end_move_in($1)', [move])
  }

  async endMoveOut(move: string, folder: string): Promise<void> {
    await this.#run('select end_move_out($1, $2)', [move, folder])
  }

  /** @throws UnavailableError when the answer is lost: it may have been committed all the same */
  async commit(): Promise<void> {
    await this.#run('commit')
  }

  /** Undoes everything, unless it was committed. */
  async close(): Promise<void> {
    await this.#connection.close()
  }

  async #image(): Promise<FleetImage> {
    try {
      return await imageIn(this.#connection, MOVE_MS_MAX)
    } catch (error) {
      throw storeError(error)
    }
  }

  async #run(text: string, values: readonly unknown[] = []): Promise<Record<string, unknown>[]> {
    try {
      return await this.#connection.query(text, values, MOVE_MS_MAX)
    } catch (error) {
      throw storeError(error)
    }
  }
}

/** Passes on what it reads, and keeps who gave money. */
async function* noting(
  committed: AsyncIterable<Committed>,
  sources: Map<string, string>,
): AsyncGenerator<Committed> {
  for await (const one of committed) {
    for (const event of one.events)
      if ((event.kind === 'credit' || event.kind === 'adjust') && event.by !== undefined)
        sources.set(event.reference, event.by)
    yield one
  }
}
