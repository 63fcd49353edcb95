/** One page of what other nodes have done, and where the next one begins. */

import type { Database } from './database.ts'
import { CHANGES_EVENTS_MAX, CHANGES_KEYS_MAX } from './limits.ts'
import { committedOf, countsOf } from './postgres-shapes.ts'
import { type FleetChanges, RefusedError } from './store.ts'

/**
 * Usage is read in cycles, in the order of the transactions that changed it. A cycle begins at `floor` and ends with the newest
 * change; pages in between continue after `past`. The next cycle begins at what was the oldest running transaction when this
 * one began: whatever became visible out of order lies after it.
 */
interface Position {
  floor: string
  nextFloor: string | null
  past: { transaction: string; key: number } | null
}

const POSITION = /^(\d+)(?:\/(\d+)\/(\d+)\/(\d+))?$/

/** The position of a reader who has seen everything that `floor` and later transactions have not changed. */
export function positionFrom(floor: string): string {
  return floor
}

/** Both bounds are of a page, and smaller in tests. @throws RefusedError when the database has gone back behind `afterSequence` */
export async function readChanges(
  database: Database,
  afterSequence: number,
  position: string,
  eventsMax = CHANGES_EVENTS_MAX,
  keysMax = CHANGES_KEYS_MAX,
): Promise<FleetChanges> {
  const { floor, nextFloor, past } = parse(position)
  const row = await database.row('select * from read_changes($1, $2::xid8, $3::xid8, $4, $5, $6)', [
    afterSequence,
    floor,
    past?.transaction ?? null,
    past?.key ?? null,
    eventsMax,
    keysMax,
  ])
  if (Number(row.head) < afterSequence) {
    throw new RefusedError(
      `The database has ${row.head} transactions, and this node has applied ${afterSequence}: the database is an older copy, ` +
        'or another one. Restore what is missing, or start all nodes of the fleet again.',
    )
  }
  const committed = (row.events as unknown[]).map(committedOf)
  const usage = (row.usage as unknown[]).map(countsOf)
  // No usage was read: the keys that it is of may be in the events that follow.
  if (committed.length === eventsMax) return { committed, usage, isComplete: false, position }
  const afterThis = nextFloor ?? String(row.next_floor)
  if (usage.length < keysMax) return { committed, usage, isComplete: true, position: positionFrom(afterThis) }
  const next = `${floor}/${afterThis}/${row.next_xid}/${row.next_key}`
  return { committed, usage, isComplete: false, position: next }
}

function parse(position: string): Position {
  const match = POSITION.exec(position)
  if (match === null)
    throw new Error(`${JSON.stringify(position)} is not a position that \`changes\` or \`image\` returned`)
  const [, floor, nextFloor, transaction, key] = match
  if (nextFloor === undefined) return { floor, nextFloor: null, past: null }
  return { floor, nextFloor, past: { transaction, key: Number(key) } }
}
