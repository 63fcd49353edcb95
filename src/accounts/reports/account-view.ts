/** From live records to the plain views that leave this folder. */
import { slotCell } from '../../ledger/meter/meter-layout.ts'
import type { Timeline } from '../../ledger/timeline.ts'
import { monthSpent } from '../charging/key-cap.ts'
import type { LiveAccount, LiveKey } from '../charging/live.ts'
import { meterQueries, spentMicros } from '../charging/meter-reading.ts'
import { USAGE_CLASSES } from '../types.ts'
import type { AccountView, KeyView, QueriesByClass } from '../views.ts'

/** Cost: a few hundred nanoseconds per key. */
export function accountView(account: LiveAccount, cells: Float64Array): AccountView {
  const { record } = account
  let spent = 0
  for (const key of record.keys) spent += spentMicros(key, slotCell(key.slot), cells)
  return {
    id: account.id,
    email: record.email,
    createdMs: record.createdMs,
    balanceMicros: account.availableMicros,
    availableMicros: account.availableMicros,
    debtMicros: record.debtMicros,
    limits: record.limits,
    lowBalanceMicros: record.lowBalanceMicros,
    activeKeys: record.activeKeys,
    spentMicros: spent,
  }
}

export function keyView(key: LiveKey, cells: Float64Array, timeline: Timeline): KeyView {
  const { record } = key
  return {
    id: key.id,
    account: key.account.id,
    label: record.label,
    start: record.start,
    createdMs: record.createdMs,
    revokedMs: record.revokedMs || null,
    lastUsedMs: record.lastUsedMs || null,
    queries: namedQueries(meterQueries(key, cells)),
    spentMicros: spentMicros(record, key.cell, cells),
    monthSpentMicros: monthSpent(key, cells, timeline.nowMs()),
    capMicros: record.capMicros,
  }
}

/** Queries by the name of their class. `queries` is in the order of USAGE_CLASSES. */
export function namedQueries(queries: ArrayLike<number>): QueriesByClass {
  const named = { lookup: 0, metacode: 0, validate: 0, city: 0, bulk: 0 }
  for (const [usage, name] of USAGE_CLASSES.entries()) named[name] = queries[usage]
  return named
}
