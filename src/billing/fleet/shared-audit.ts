/** Audit log of a fleet. Each node adds its lines. The node with the dashboard stores those of others. */

import { counter } from '../../platform/metric.ts'
import { inTurn, repeat } from '../../platform/promises.ts'
import { UnavailableError } from './database-errors.ts'
import type { FleetDatabase } from './fleet-database.ts'

/** Time between transfers of the audit log's lines. */
const FLEET_AUDIT_MS = 1000
const AUDIT_LINES_PER_CALL = 500
const AUDIT_LINES_WAITING_MAX = 20_000

/** Resolves with true when the lines are on the disk, or with false if they cannot be written. */
type TakeLines = (lines: readonly string[]) => Promise<boolean>

export type SharedAudit = ReturnType<typeof sharedAudit>

export function sharedAudit({ connections }: FleetDatabase, node: string, onFail: (error: unknown) => void) {
  const waiting: string[] = []
  /** Lines that a query is storing, until it has succeeded. */
  let sending: string[] = []
  /** Stores lines of other nodes. Null if this node does not have the dashboard. */
  let takeLines: TakeLines | null = null
  const exchanging = inTurn()
  let isClosed = false
  let dropped = 0

  const exchange = async (): Promise<void> => {
    while (sending.length + waiting.length > 0) {
      if (sending.length === 0) sending = waiting.splice(0, AUDIT_LINES_PER_CALL)
      await connections.query('select add_audit($1, $2)', [node, sending])
      sending = []
    }
    for (;;) {
      const take = takeLines
      if (take === null) return
      const rows = await connections.query<{ id: number; line: string }>(
        'select id, line from audit where node <> $1 and id > (select audited from node where id = $1) order by id limit $2',
        [node, AUDIT_LINES_PER_CALL],
      )
      if (rows.length === 0) return
      // A node that fails or dies before they are marked takes the lines again.
      if (!(await take(rows.map(({ line }) => line)))) return
      await connections.query('update node set audited = $2 where id = $1', [node, rows.at(-1)?.id])
    }
  }
  const run = (): Promise<void> =>
    exchanging(exchange).catch((error: unknown) => {
      if (!(error instanceof UnavailableError)) onFail(error)
    })
  void repeat(FLEET_AUDIT_MS, run, () => isClosed)

  return {
    /** Adds a line, which waits while the database is away. Of too many, drops and counts the oldest. */
    add(line: string): void {
      waiting.push(line)
      if (waiting.length <= AUDIT_LINES_WAITING_MAX) return
      waiting.shift()
      dropped++
    },
    metrics: () => [
      counter(
        'postrie_fleet_audit_dropped_total',
        'Audit lines that only the log of this node has.',
        dropped,
      ),
    ],
    /** Begins to store the lines of other nodes by `take`. */
    collect(take: TakeLines): void {
      takeLines = take
      void run()
    },
    async close(): Promise<void> {
      isClosed = true
      takeLines = null
      await run()
    },
  }
}
