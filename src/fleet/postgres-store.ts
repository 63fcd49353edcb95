/** The store of a fleet on PostgreSQL. The rules are functions in `sql/`; each call is one statement and one transaction. */

import { DAY_MS } from '../ledger/book/history.ts'
import type { LedgerEvent } from '../ledger/event.ts'
import { QUERY_PRICE_MICROS } from '../limits.ts'
import { Database } from './database.ts'
import type { ConnectionOptions } from './database-connection.ts'
import { DatabaseListener } from './database-listener.ts'
import { migrate, type SchemaRights } from './database-migrations.ts'
import { effectiveEvents } from './event-effects.ts'
import {
  DATABASE_CONNECT_MS_MAX,
  DATABASE_CONNECTIONS,
  DATABASE_QUERY_MS_MAX,
  FLEET_AUDIT_DAYS,
  FLEET_LOCK_MS,
  NODE_LIVE_MS,
  SETTLE_PART_MAX,
  WRITE_OFF_MS,
} from './limits.ts'
import { readChanges } from './postgres-changes.ts'
import { PostgresExchange } from './postgres-exchange.ts'
import { readImage } from './postgres-image.ts'
import { countsJson, noticesOf } from './postgres-shapes.ts'
import { readStatus } from './postgres-status.ts'
import { tidyHours } from './postgres-tidy.ts'
import type { Row, RowChange } from './row-store.ts'
import {
  type Committed,
  type Exchange,
  type ExchangeAnswer,
  type FleetChanges,
  type FleetImage,
  type FleetNotice,
  type FleetStatus,
  type FleetStore,
  type KeyCounts,
  type Lacking,
  type NodeFacts,
  type NodeIdentity,
  RefusedError,
  type WrittenOff,
} from './store.ts'

export interface PostgresOptions {
  /** Default: `upgrade`. */
  rights?: SchemaRights
  /** The schema that holds everything; created when there is none. */
  schema?: string
  connections?: number
  connectMs?: number
  queryMs?: number
  /** Silence after which leases may be given up. Only tests have reason to set it. */
  writeOffMs?: number
  /** How long an exchange waits for a row that another transaction holds. As above. */
  lockMs?: number
}

/** Plain, so that it can stand in SQL and as a channel's name. */
const SCHEMA = /^[a-z_][a-z0-9_]{0,62}$/

/**
 * Connects to `url` (`postgres://user:password@host/database`), and brings its schema up to this version as far as `rights` allow it.
 * @throws UnavailableError; RefusedError for a schema of another version or a bad name
 */
export async function openPostgresStore(url: string, options: PostgresOptions = {}): Promise<PostgresStore> {
  const connection = connectionOptions(url, options)
  await migrate(connection, options.rights ?? 'upgrade')
  const database = new Database(connection, options.connections ?? DATABASE_CONNECTIONS)
  return new PostgresStore(database, options)
}

/** How to connect to `url`. @throws RangeError for a bad name of the schema */
export function connectionOptions(url: string, options: PostgresOptions = {}): ConnectionOptions {
  const schema = options.schema ?? 'postrie'
  if (!SCHEMA.test(schema)) {
    throw new RangeError(
      `A schema is named by up to 63 lower-case letters, digits and underscores, not ${JSON.stringify(schema)}.`,
    )
  }
  return {
    url,
    schema,
    connectMs: options.connectMs ?? DATABASE_CONNECT_MS_MAX,
    queryMs: options.queryMs ?? DATABASE_QUERY_MS_MAX,
  }
}

export class PostgresStore implements FleetStore {
  readonly #database: Database
  readonly #writeOffMs: number
  readonly #exchange: PostgresExchange
  #listener: DatabaseListener | null = null

  constructor(database: Database, options: PostgresOptions) {
    this.#database = database
    this.#writeOffMs = options.writeOffMs ?? WRITE_OFF_MS
    this.#exchange = new PostgresExchange(database, options.lockMs ?? FLEET_LOCK_MS)
  }

  async claim(node: string, last: string | null, next: string, number: number): Promise<boolean> {
    const values = [node, last, next, number]
    return (await this.#database.row('select claim_node($1, $2, $3, $4) as done', values)).done === true
  }

  async begin(
    node: string,
    { address, version, indexBuild }: NodeFacts,
  ): Promise<{ epoch: number; fleet: string; sequence: number }> {
    const row = await this.#database.row('select * from begin_node($1, $2, $3, $4)', [
      node,
      address,
      version,
      indexBuild,
    ])
    return { epoch: Number(row.of_epoch), fleet: String(row.of_fleet), sequence: Number(row.of_sequence) }
  }

  async settle(
    { node, epoch }: NodeIdentity,
    counts: readonly KeyCounts[],
    onLacking?: (lacking: Lacking) => void,
  ): Promise<KeyCounts[]> {
    const greater: KeyCounts[] = []
    for (let start = 0; start < counts.length; start += SETTLE_PART_MAX) {
      const part = countsJson(counts.slice(start, start + SETTLE_PART_MAX))
      greater.push(...(await this.#settlePart([node, epoch, QUERY_PRICE_MICROS, part], onLacking)))
    }
    const keys = counts.map(({ key }) => key)
    const row = await this.#database.row('select settle_missing($1, $2, $3) as greater', [node, epoch, keys])
    greater.push(...(row.greater as KeyCounts[]))
    for (let isDone = false; !isDone; ) {
      const values = [node, epoch, SETTLE_PART_MAX]
      isDone = (await this.#database.row('select settle_leases($1, $2, $3) as done', values)).done === true
    }
    return greater.toSorted((a, b) => a.key - b.key)
  }

  async retire({ node, epoch }: NodeIdentity): Promise<void> {
    const values = [node, epoch, SETTLE_PART_MAX]
    for (let isDone = false; !isDone; )
      isDone = (await this.#database.row('select retire_node($1, $2, $3) as done', values)).done === true
  }

  async #settlePart(
    values: readonly unknown[],
    onLacking: ((lacking: Lacking) => void) | undefined,
  ): Promise<KeyCounts[]> {
    const settle = () => this.#database.row('select settle_counts($1, $2, $3, $4) as greater', values)
    try {
      return (await settle()).greater as KeyCounts[]
    } catch (error) {
      if (!(error instanceof RefusedError) || onLacking === undefined) throw error
      const row = await this.#database.row('select * from cover_counts($1, $2, $3, $4)', values)
      const lacking = { coveredMicros: Number(row.covered), forgivenMicros: Number(row.forgiven) }
      // Refused for another reason.
      if (lacking.coveredMicros + lacking.forgivenMicros === 0) throw error
      onLacking(lacking)
      return (await settle()).greater as KeyCounts[]
    }
  }

  async describe({ node, epoch }: NodeIdentity, facts: NodeFacts, appliedSequence: number): Promise<void> {
    const { address, version, indexBuild } = facts
    const values = [node, epoch, address, version, indexBuild, appliedSequence]
    await this.#database.query('select describe_node($1, $2, $3, $4, $5, $6)', values)
  }

  exchange(identity: NodeIdentity, exchange: Exchange): Promise<ExchangeAnswer> {
    return this.#exchange.run(identity, exchange)
  }

  async commit(identity: NodeIdentity, after: number, events: readonly LedgerEvent[]): Promise<Committed> {
    const texts = [events, effectiveEvents(events)].map(list => JSON.stringify(list))
    const values = [identity.node, identity.epoch, after, ...texts]
    const row = await this.#database.row('select * from commit_events($1, $2, $3, $4, $5)', values)
    return { sequence: Number(row.of_sequence), timeMs: Number(row.of_time_ms), events }
  }

  async recall(
    identity: NodeIdentity,
    account: number,
    ms: number,
  ): Promise<{ freeMicros: number; isHeld: boolean }> {
    const values = [identity.node, identity.epoch, account, ms]
    const row = await this.#database.row('select * from recall_account($1, $2, $3, $4)', values)
    return { freeMicros: Number(row.free_micros), isHeld: row.is_held === true }
  }

  image(): Promise<FleetImage> {
    return readImage(this.#database.options)
  }

  changes(afterSequence: number, position: string): Promise<FleetChanges> {
    return readChanges(this.#database, afterSequence, position)
  }

  async writeOff(node: string): Promise<WrittenOff> {
    const values = [node, this.#writeOffMs, SETTLE_PART_MAX]
    for (let isDone = false; !isDone; ) {
      isDone = (await this.#database.row('select write_off_node($1, $2, $3) as done', values)).done === true
    }
    const row = await this.#database.row(
      `select count(*) as accounts, coalesce(sum(micros), 0) as micros from write_off
        where node = $1 and epoch = (select epoch - 1 from node where id = $1)`,
      [node],
    )
    return { accounts: Number(row.accounts), micros: Number(row.micros) }
  }

  async writeOffSilent(): Promise<string[]> {
    const rows = await this.#database.query(
      `select id from node where not is_written_off and now_ms() - seen_ms >= $1
        and exists (select from lease where node = id and granted > used) order by id`,
      [this.#writeOffMs],
    )
    const written: string[] = []
    for (const { id } of rows) {
      try {
        await this.writeOff(String(id))
        written.push(String(id))
      } catch (error) {
        // It was heard of at the last moment.
        if (!(error instanceof RefusedError)) throw error
      }
    }
    return written
  }

  async claimDashboard({ node, epoch }: NodeIdentity): Promise<{ node: string; address: string }> {
    const row = await this.#database.row('select * from claim_dashboard($1, $2)', [node, epoch])
    return { node: String(row.holder), address: String(row.holder_address) }
  }

  async moveDashboard(node: string): Promise<void> {
    await this.#database.query('select move_dashboard($1, $2)', [node, NODE_LIVE_MS])
  }

  async addAudit(node: string, lines: readonly string[]): Promise<void> {
    await this.#database.query('select add_audit($1, $2)', [node, lines])
  }

  async readAudit(node: string, linesMax: number): Promise<{ lines: string[]; upto: number }> {
    const row = await this.#database.row('select * from read_audit($1, $2)', [node, linesMax])
    return { lines: row.lines as string[], upto: Number(row.upto) }
  }

  async auditSeen(node: string, upto: number): Promise<void> {
    await this.#database.query('select audit_seen($1, $2)', [node, upto])
  }

  async readRows(name: string, afterKey: string | null, rowsMax: number): Promise<Row[]> {
    const values = [name, afterKey, rowsMax]
    const row = await this.#database.row('select read_dashboard_rows($1, $2, $3) as rows', values)
    return row.rows as Row[]
  }

  async writeRows({ node, epoch }: NodeIdentity, name: string, changes: readonly RowChange[]): Promise<void> {
    const values = [node, epoch, name, JSON.stringify(changes)]
    await this.#database.query('select write_dashboard_rows($1, $2, $3, $4)', values)
  }

  async carryRows({ node, epoch }: NodeIdentity, name: string, rows: readonly Row[]): Promise<boolean> {
    const values = [node, epoch, name, JSON.stringify(rows)]
    const row = await this.#database.row('select carry_dashboard_rows($1, $2, $3, $4) as done', values)
    return row.done === true
  }

  async nowMs(): Promise<number> {
    return Number((await this.#database.row('select now_ms() as now')).now)
  }

  async tidy(): Promise<void> {
    await tidyHours(this.#database)
    const days = FLEET_AUDIT_DAYS * DAY_MS
    await this.#database.query('delete from audit where time_ms < now_ms() - $1::bigint', [days])
  }

  status(): Promise<FleetStatus> {
    return readStatus(this.#database)
  }

  listen(onNotice: (notice: FleetNotice) => void): void {
    if (this.#listener !== null) throw new Error('a store is listened to once')
    const onPayload = (payload: string) => {
      for (const notice of noticesOf(payload)) onNotice(notice)
    }
    this.#listener = new DatabaseListener(this.#database.options, onPayload, () => {
      // What was committed while nobody listened.
      this.#database.row('select sequence from fleet').then(
        ({ sequence }) => onNotice({ kind: 'committed', sequence: Number(sequence) }),
        () => {},
      )
    })
  }

  async close(): Promise<void> {
    await Promise.all([this.#listener?.close(), this.#database.close()])
  }
}
