/** Calls of the fleet's database, each one transaction. The rules of counters and nodes are in `sql/`. */

import { setTimeout as sleep } from 'node:timers/promises'
import { DAY_MS, HOUR_MS } from '../../platform/time.ts'
import type { LedgerEvent } from '../ledger/event.ts'
import { QUERY_PRICE_MICROS } from '../money.ts'
import { type ConnectionOptions, Connections, connectionOptions, type Run } from './connections.ts'
import { CopiedFolderError, RejectedError, UnavailableError } from './database-errors.ts'
import { prepareSchema } from './fleet-schema.ts'
import type {
  Committed,
  DashboardRow,
  DashboardRowChange,
  Exchange,
  ExchangeAnswer,
  FleetChanges,
  FleetHealth,
  FleetImage,
  FleetStatus,
  FreeCredit,
  KeyCount,
  NodeFacts,
  NodeIdentity,
  UncoveredUsage,
} from './messages.ts'

/** Time that an exchange waits for a locked row. */
const FLEET_LOCK_MS = 2000
/** Time that a start waits for the lock of its node. A killed process may still have it. */
const NODE_LOCK_MS = 15_000
const FLEET_AUDIT_DAYS = 400
/** Silence after which a node is shown as silent, not as running. */
export const NODE_RUNNING_MS = 30_000
/** Silence after which a node's leases may be written off. */
export const WRITE_OFF_MS = 24 * HOUR_MS
const WRITE_OFFS_SHOWN_MAX = 1000
/** Keys or accounts in one call of a start's settlement or of a write-off. */
const SETTLE_PART_MAX = 2000
export const TRANSACTIONS_PER_READ_MAX = 1000
/** Days that the database keeps usage by the hour. */
export const FLEET_HOURLY_DAYS = 3
/** Days that the database keeps usage by the day. */
export const FLEET_DAILY_DAYS = 93

export interface PostgresOptions extends Partial<ConnectionOptions> {
  /** False changes nothing in a database without the tables, for a command that only reads. Default true. */
  mayCreate?: boolean
}

const ROWS_PER_FETCH = 2000
const PAYLOADS_PER_FETCH = 16
/** Time between checks of the node's lock. */
const NODE_LOCK_RETRY_MS = 20

/** Connects to `url`, and makes a missing schema. */
export async function openFleetDatabase(url: string, options: PostgresOptions = {}): Promise<FleetDatabase> {
  const connections = new Connections(connectionOptions(url, options))
  try {
    await prepareSchema(connections, options.mayCreate)
    return new FleetDatabase(connections)
  } catch (error) {
    await connections.close()
    throw error
  }
}

export class FleetDatabase {
  readonly connections: Connections
  /** Receiver of other nodes' notices; null until a node has opened. Polling finds changes later. */
  notices: { onCommitted(sequence: number): void; onRecall(accountSlot: number): void } | null = null

  constructor(connections: Connections) {
    this.connections = connections
  }

  async fleet(): Promise<string> {
    return String((await this.connections.row('select id from fleet')).id)
  }

  /** Takes the lock of a node until `close`, so that no copy of its folder starts. Then hears notices. */
  async lockNode(node: string): Promise<void> {
    const onPayload = (payload: string): void => {
      const [kind, numbers = ''] = payload.split(' ')
      for (const number of numbers.split(',').map(Number))
        if (kind === 'recall') this.notices?.onRecall(number)
        else this.notices?.onCommitted(number)
    }
    void this.connections.listen(node, onPayload)
    const endMs = performance.now() + NODE_LOCK_MS
    while (!this.connections.hasLock) {
      if (performance.now() > endMs && this.connections.hasLock === null)
        throw new UnavailableError(`PostgreSQL has not answered for ${NODE_LOCK_MS / 1000} s`)
      // The session of a killed process or a dead machine ends within seconds.
      if (performance.now() > endMs) throw new CopiedFolderError(`node ${node} runs elsewhere`)
      await sleep(NODE_LOCK_RETRY_MS)
    }
  }

  /**
   * Begins the next epoch, and fences the earlier ones, which keep their leases until `settle`.
   * @param start undefined for a recovery, which only reports
   */
  begin(node: string, start?: { next: string; last: string | null; number: number }): Promise<number> {
    return this.#call('begin_node', node, start?.next, start?.last, start?.number)
  }

  counts(node: string): Promise<KeyCount[]> {
    return this.connections.query('select key, usage, queries from node_usage where node = $1', [node])
  }

  /** Reports the usage of earlier epochs, and ends their leases. Resolves with usage beyond the leases. */
  async settle({ node, epoch }: NodeIdentity, counts: readonly KeyCount[]): Promise<UncoveredUsage> {
    const sum: UncoveredUsage = { coveredMicros: 0, forgivenMicros: 0 }
    for (let start = 0; start < counts.length; start += SETTLE_PART_MAX) {
      const part = JSON.stringify(counts.slice(start, start + SETTLE_PART_MAX))
      const more: UncoveredUsage = await this.#call('settle_counts', node, epoch, QUERY_PRICE_MICROS, part)
      sum.coveredMicros += more.coveredMicros
      sum.forgivenMicros += more.forgivenMicros
    }
    while (!(await this.#call('settle_leases', node, epoch, SETTLE_PART_MAX)));
    return sum
  }

  /** Notes that a recovered node does not serve. It may begin again. */
  async retire({ node, epoch }: NodeIdentity): Promise<void> {
    await this.connections.query('update node set is_gone = true where id = $1 and epoch = $2', [node, epoch])
  }

  /** Reports the node's facts. Resolves with the database's clock. @throws FencedError */
  describe({ node, epoch }: NodeIdentity, facts: NodeFacts, appliedSequence: number): Promise<number> {
    return this.#call('describe_node', node, epoch, JSON.stringify(facts), appliedSequence)
  }

  exchange({ node, epoch }: NodeIdentity, exchange: Exchange): Promise<ExchangeAnswer> {
    const { number, reports, taken, wants } = exchange
    const parts = [reports, taken, wants].map(part => JSON.stringify(part))
    const values = [node, epoch, number, QUERY_PRICE_MICROS, NODE_RUNNING_MS, ...parts, FLEET_LOCK_MS]
    return this.#call('exchange', ...values)
  }

  /** Commits events if `after` is the newest. @throws StaleError; UnavailableError: maybe committed */
  async commit(
    { node, epoch }: NodeIdentity,
    after: number,
    events: readonly LedgerEvent[],
  ): Promise<Committed> {
    const values = [node, epoch, after, JSON.stringify(events)]
    return { ...(await this.#call<Omit<Committed, 'events'>>('commit_events', ...values)), events }
  }

  /** Recalls an account's leases, and refuses new ones for `ms`. Resolves with the credit not leased. */
  recall({ node, epoch }: NodeIdentity, accountSlot: number, ms: number): Promise<FreeCredit> {
    return this.#call('recall_account', node, epoch, accountSlot, ms)
  }

  /** Lets `load` read everything in one state. @throws UnavailableError; the error of `load` */
  image<T>(load: (image: FleetImage) => Promise<T>): Promise<T> {
    const mode = 'isolation level repeatable read, read only'
    return this.connections.transaction(async run => load(await readImage(run)), undefined, mode)
  }

  /** Reads changes. @throws RejectedError if there are fewer: the database is an older copy */
  async changes(afterSequence: number, position: string): Promise<FleetChanges> {
    const values = [afterSequence, position, TRANSACTIONS_PER_READ_MAX]
    const changes = await this.#call<FleetChanges>('read_changes', ...values)
    if (changes.sequence >= afterSequence) return changes
    throw new RejectedError(
      `The database has ${changes.sequence} transactions, and this node has applied ${afterSequence}: the database is an older copy, ` +
        'or another one. Restore the newest backup, or restart all nodes of the fleet.',
    )
  }

  /** Writes off the leases of a silent node. @throws RejectedError if it is not silent for `silentMs` */
  async writeOff(node: string, silentMs = WRITE_OFF_MS): Promise<{ accounts: number; micros: number }> {
    while (!(await this.#call('write_off_node', node, silentMs, SETTLE_PART_MAX)));
    return this.connections.row(
      `select count(*) as accounts, total(micros) as micros from write_off
        where node = $1 and epoch = (select epoch - 1 from node where id = $1)`,
      [node],
    )
  }

  /** Writes off the leases of all silent nodes. Resolves with their ids. */
  async writeOffSilent(): Promise<string[]> {
    const writtenOff: string[] = []
    for (const id of await this.#call<string[]>('nodes_to_write_off', WRITE_OFF_MS)) {
      try {
        await this.writeOff(id)
        writtenOff.push(id)
      } catch (error) {
        // The node answered at the last moment.
        if (!(error instanceof RejectedError)) throw error
      }
    }
    return writtenOff
  }

  /** Gives the dashboard to a starting node. Resolves with the node that has it instead, or null. */
  claimDashboard(node: string): Promise<{ node: string; address: string } | null> {
    return this.#call('claim_dashboard', node)
  }

  /** Gives the dashboard to a node from its next start on. @throws RejectedError while it runs elsewhere */
  async moveDashboard(node: string): Promise<void> {
    const { nodes, dashboard } = await this.status()
    const present = nodes.find(known => known.node === dashboard)
    if (!nodes.some(known => known.node === node)) throw new RejectedError(`node ${node} is not known`)
    if (present !== undefined && present.node !== node && !present.isSilent)
      throw new RejectedError(
        `node ${dashboard} has the dashboard and was heard of ${Math.round(present.silentMs / 1000)} s ago: stop it, and wait until ` +
          `it has been silent for ${NODE_RUNNING_MS / 1000} s`,
      )
    await this.connections.query('update fleet set dashboard_node = $1', [node])
  }

  async readRows(name: string): Promise<DashboardRow[]> {
    const select = 'select key, value from dashboard_row where name = $1'
    const rows = await this.connections.query<{ key: string; value: string }>(select, [name])
    return rows.map(({ key, value }) => [key, value])
  }

  /** Sets rows; null deletes one. @throws FencedError if the node does not have the dashboard */
  async writeRows(
    { node, epoch }: NodeIdentity,
    name: string,
    changes: readonly DashboardRowChange[],
  ): Promise<void> {
    await this.#call('write_dashboard_rows', node, epoch, name, JSON.stringify(changes))
  }

  /** Ends old histories, and drops old lines of the audit log. Any node may call it. */
  async tidy(): Promise<void> {
    await this.connections.query(
      `delete from key_history where hours = 1 and start < now_ms() / $1::bigint - $2::bigint
        or hours = 24 and start < now_ms() / $3::bigint - $4::bigint`,
      [HOUR_MS, (FLEET_HOURLY_DAYS + 1) * 24, DAY_MS, FLEET_DAILY_DAYS],
    )
    const days = FLEET_AUDIT_DAYS * DAY_MS
    await this.connections.query('delete from audit where time_ms < now_ms() - $1::bigint', [days])
  }

  status(): Promise<FleetStatus> {
    return this.#call('read_status', NODE_RUNNING_MS, WRITE_OFFS_SHOWN_MAX)
  }

  health(): Promise<FleetHealth> {
    return this.#call('read_health', NODE_RUNNING_MS)
  }

  close(): Promise<void> {
    return this.connections.close()
  }

  /** Calls a function of `sql/`. Its result is a T: a single value, or the row of its `out` parameters. */
  async #call<T>(name: string, ...values: unknown[]): Promise<T> {
    const places = values.map((_, at) => `$${at + 1}`).join(', ')
    const row = await this.connections.row<Record<string, unknown>>(
      `select * from ${name}(${places})`,
      values,
    )
    // PostgreSQL names the column of a single value after the function.
    return (name in row ? row[name] : row) as T
  }
}

export async function readImage(run: Run): Promise<FleetImage> {
  const [head] = await run(
    'select snapshot_sequence, pg_snapshot_xmin(pg_current_snapshot())::text as position from fleet',
  )
  return {
    snapshotSequence: head.snapshot_sequence as number,
    position: String(head.position),
    snapshot: fetchRows(run, 'payloads', 'payload as row from snapshot order by place', PAYLOADS_PER_FETCH),
    committed: fetchRows(
      run,
      'events',
      `json_build_object('sequence', sequence, 'timeMs', time_ms, 'events', events) as row from event order by sequence`,
    ),
    history: fetchRows(run, 'hours', `row_to_json(h) as row from read_history(${FLEET_HOURLY_DAYS}) h`),
  }
}

async function* fetchRows<T>(run: Run, name: string, rows: string, max = ROWS_PER_FETCH): AsyncIterable<T> {
  await run(`declare all_${name} no scroll cursor for select ${rows}`)
  for (;;) {
    const fetched = await run(`fetch ${max} from all_${name}`)
    for (const { row } of fetched) yield row as T
    if (fetched.length < max) return
  }
}
