/** One exchange on the tables in memory: reports, returns, wants. Plain loops, for comparison with the SQL. */
import type { AccountShare, Admission, Exchange, KeyCounts, Return, Want } from '../../src/fleet/store.ts'
import { RefusedError } from '../../src/fleet/store.ts'
import { QUERY_PRICE_MICROS } from '../../src/limits.ts'
import {
  type AccountRow,
  capHeldMicros,
  freeMicros,
  heldMicros,
  type KeyRow,
  type MemoryTables,
  monthStartMs,
  type NodeRow,
  noQueries,
  rollMonth,
} from './memory-tables.ts'

const PRICE = QUERY_PRICE_MICROS
const MINUTE_MS = 60_000
const HOUR_MS = 3_600_000
const DAY_MS = 86_400_000

/** @throws RefusedError before anything is changed */
export function expectCovered(
  tables: MemoryTables,
  node: NodeRow,
  { reports, returns }: Pick<Exchange, 'reports' | 'returns'>,
): void {
  const taken = new Map<AccountRow, number>()
  const take = (account: AccountRow, micros: number) => {
    taken.set(account, (taken.get(account) ?? 0) + micros)
    const held = heldMicros(account.leases.get(node.id))
    if (micros < 0 || (taken.get(account) ?? 0) > held) {
      throw new RefusedError(
        `node ${node.id} reports or returns more than it holds of account ${account.slot}`,
      )
    }
  }
  for (const { key, queries } of reports) {
    const row = tables.keys.get(key)
    if (row === undefined) throw new RefusedError(`key ${key} is not known`)
    const micros = addedQueries(node, key, queries).reduce((sum, count) => sum + count, 0) * PRICE
    if (micros > 0) take(row.account, micros)
  }
  for (const { account, micros } of returns) {
    if (micros === 0) continue
    const row = tables.accounts.get(account)
    if (row === undefined)
      throw new RefusedError(`node ${node.id} returns some of account ${account}, which is not known`)
    take(row, micros)
  }
}

/** The parts of an exchange that concern accounts whose rows are free, and the accounts that are left out. */
export function withoutLocked({ keys, locked }: MemoryTables, exchange: Exchange) {
  const { admitted, returns, wants } = exchange
  const accountOf = (key: number | null) => keys.get(key ?? -1)?.account.slot ?? -1
  const touched = [
    ...[...exchange.reports, ...wants, ...returns.flatMap(({ caps }) => caps)].map(({ key }) =>
      accountOf(key),
    ),
    ...[...admitted, ...returns, ...wants].map(({ account }) => account),
  ]
  const isFree = ({ account }: { account: number }) => !locked.has(account)
  return {
    left: [...new Set(touched)].filter(account => locked.has(account)).toSorted((a, b) => a - b),
    reports: exchange.reports.filter(({ key }) => !locked.has(accountOf(key))),
    admitted: admitted.filter(isFree),
    returns: returns.filter(isFree),
    wants: wants.filter(isFree),
  }
}

/** How much each count exceeds what this node has reported before. */
function addedQueries(node: NodeRow, key: number, queries: readonly number[]): number[] {
  const known = node.usage.get(key) ?? noQueries()
  return known.map((count, usage) => Math.max(0, (queries[usage] ?? 0) - count))
}

/** Books cumulative counts; the caller has checked that the leases cover them. */
export function book(
  tables: MemoryTables,
  node: NodeRow,
  reports: readonly KeyCounts[],
  presentMs: number,
): void {
  const transaction = ++tables.transaction
  for (const { key: slot, queries } of reports) {
    const key = tables.keys.get(slot) as KeyRow
    rollMonth(key, presentMs)
    const added = addedQueries(node, slot, queries)
    const micros = added.reduce((sum, count) => sum + count, 0) * PRICE
    if (micros === 0) continue
    const known = node.usage.get(slot) ?? noQueries()
    node.usage.set(
      slot,
      known.map((count, usage) => count + added[usage]),
    )
    key.queries = key.queries.map((count, usage) => count + added[usage])
    key.changedBy = transaction
    key.hours.set(Math.floor(presentMs / HOUR_MS), key.queries)
    const drawn = Math.min(micros, capHeldMicros(key, node.id))
    key.monthSpent += micros
    key.monthLeased -= drawn
    const cap = key.leases.get(node.id)
    if (cap !== undefined && drawn > 0) cap.used += drawn
    const lease = key.account.leases.get(node.id)
    if (lease === undefined) throw new Error('reports are checked before')
    lease.used += micros
    key.account.spent += micros
    key.account.leased -= micros
  }
}

export function admit(tables: MemoryTables, node: NodeRow, admitted: Exchange['admitted']): void {
  for (const { account, queries } of admitted) {
    const hold = tables.accounts.get(account)?.holds.get(node.id)
    if (hold !== undefined) hold.held = Math.max(0, hold.held - queries)
  }
}

export function takeBack(
  tables: MemoryTables,
  node: NodeRow,
  { account, micros, admissions, caps }: Return,
): void {
  const row = tables.accounts.get(account)
  const lease = row?.leases.get(node.id)
  if (row !== undefined && lease !== undefined) {
    lease.granted -= micros
    row.leased -= micros
  }
  for (const { key: slot, micros } of caps) {
    const key = tables.keys.get(slot)
    const cap = key?.leases.get(node.id)
    if (key === undefined || cap === undefined) continue
    const taken = Math.min(micros, capHeldMicros(key, node.id))
    cap.granted -= taken
    key.monthLeased -= taken
  }
  const hold = row?.holds.get(node.id)
  if (row === undefined || row.windows === null || hold === undefined) return
  const taken = Math.min(admissions, hold.held)
  hold.held -= taken
  const { windows } = row
  if (windows.minute === hold.minute) windows.counts[0] -= taken
  if (windows.hour === Math.floor(hold.minute / 60)) windows.counts[1] -= taken
  if (windows.day === Math.floor(hold.minute / 1440)) windows.counts[2] -= taken
}

/** Decides one want, and asks other nodes to return what would help. */
export function grant(
  tables: MemoryTables,
  node: NodeRow,
  want: Want,
  liveNodes: number,
  presentMs: number,
): AccountShare | null {
  const account = tables.accounts.get(want.account)
  if (account === undefined) return null
  const key = want.key === null ? undefined : tables.keys.get(want.key)
  const needed = Math.ceil(want.neededMicros / PRICE) * PRICE
  const ahead = Math.floor(want.aheadMicros / PRICE) * PRICE
  const free = account.recallUntilMs > presentMs ? 0 : freeMicros(account)
  const held = heldMicros(account.leases.get(node.id))
  const isHeldElsewhere = account.leased > held
  const part = (left: number) =>
    needed + Math.min(ahead, Math.floor((left - needed) / 2 / liveNodes / PRICE) * PRICE)
  const capLeft = key === undefined || key.cap === null ? null : Math.max(0, key.cap - key.monthSpent)
  const capFree =
    key === undefined || key.cap === null ? null : Math.max(0, key.cap - key.monthSpent - key.monthLeased)
  const capHeld = key === undefined ? 0 : capHeldMicros(key, node.id)
  const isRefused = needed > free || (capFree !== null && needed > capFree)
  const granted = isRefused ? 0 : part(free)
  const capGranted = isRefused || capFree === null ? 0 : part(capFree)

  if (granted === 0 && needed > free && isHeldElsewhere) recallHolders(tables, node, account.leases, account)
  if (
    granted === 0 &&
    key !== undefined &&
    capFree !== null &&
    needed > capFree &&
    key.monthLeased > capHeld
  ) {
    const present = new Map([...key.leases].filter(([, lease]) => lease.month === key.month))
    recallHolders(tables, node, present, account)
  }
  if (granted > 0) {
    account.leased += granted
    const lease = account.leases.get(node.id) ?? { granted: 0, used: 0 }
    account.leases.set(node.id, { ...lease, granted: lease.granted + granted })
  }
  if (key !== undefined && capGranted > 0) {
    key.monthLeased += capGranted
    const before = key.leases.get(node.id)
    const lease = before?.month === key.month ? before : { granted: 0, used: 0, month: key.month }
    key.leases.set(node.id, { ...lease, granted: lease.granted + capGranted })
  }
  return {
    account: account.slot,
    grantedMicros: granted,
    elsewhereMicros: account.credited - account.spent - held - granted,
    isHeldElsewhere,
    cap:
      key === undefined || capLeft === null
        ? null
        : {
            key: key.slot,
            grantedMicros: capGranted,
            elsewhereMicros: Math.max(0, capLeft - capHeld - capGranted),
            validMs: monthStartMs(key.month + 1) - presentMs,
          },
    admission: admission(tables, node, account, want, liveNodes, presentMs),
  }
}

function recallHolders(
  tables: MemoryTables,
  node: NodeRow,
  holders: ReadonlyMap<string, { granted: number; used: number }>,
  account: AccountRow,
): void {
  for (const [id, lease] of holders) {
    if (id !== node.id && heldMicros(lease) > 0) tables.nodes.get(id)?.recalls.add(account.slot)
  }
}

/** Brings the windows to the present minute, hour and day. */
export function rollWindows(account: AccountRow, presentMs: number): void {
  if (account.limits === null) return
  const [minute, hour, day] = [MINUTE_MS, HOUR_MS, DAY_MS].map(ms => Math.floor(presentMs / ms))
  const windows = account.windows
  if (windows === null) {
    account.windows = { minute, hour, day, counts: [0, 0, 0] }
    return
  }
  if (windows.minute < minute) windows.counts[0] = 0
  if (windows.hour < hour) windows.counts[1] = 0
  if (windows.day < day) windows.counts[2] = 0
  windows.minute = Math.max(windows.minute, minute)
  windows.hour = Math.max(windows.hour, hour)
  windows.day = Math.max(windows.day, day)
}

function admission(
  tables: MemoryTables,
  node: NodeRow,
  account: AccountRow,
  { neededAdmissions, aheadAdmissions }: Want,
  liveNodes: number,
  presentMs: number,
): Admission | null {
  const { limits, windows } = account
  if (limits === null || windows === null || neededAdmissions + aheadAdmissions === 0) return null
  const bounds = [limits.perMinute, limits.perHour, limits.perDay]
  const left = bounds.flatMap((limit, window) => (limit === null ? [] : [limit - windows.counts[window]]))
  const admissible = left.length === 0 ? Number.POSITIVE_INFINITY : Math.min(...left)
  const others = [...account.holds].filter(
    ([id, hold]) => id !== node.id && hold.minute === windows.minute && hold.held > 0,
  )
  const heldByOthers = others.reduce((sum, [, hold]) => sum + hold.held, 0)
  const fits = neededAdmissions <= admissible
  const granted = !fits
    ? 0
    : admissible === Number.POSITIVE_INFINITY
      ? neededAdmissions + aheadAdmissions
      : neededAdmissions +
        Math.min(aheadAdmissions, Math.floor((admissible - neededAdmissions) / 2 / liveNodes))
  const isHeldElsewhere = !fits && neededAdmissions <= admissible + heldByOthers
  if (isHeldElsewhere) for (const [id] of others) tables.nodes.get(id)?.recalls.add(account.slot)
  const waits = [MINUTE_MS, HOUR_MS, DAY_MS].map((ms, window) => {
    const limit = bounds[window]
    return limit !== null && windows.counts[window] + neededAdmissions > limit ? ms - (presentMs % ms) : 0
  })
  if (granted > 0) {
    windows.counts = windows.counts.map(count => count + granted) as [number, number, number]
    const hold = account.holds.get(node.id)
    const before = hold?.minute === windows.minute ? hold.held : 0
    account.holds.set(node.id, { minute: windows.minute, held: before + granted })
  }
  const holds = [...account.holds.values()].filter(({ minute }) => minute === windows.minute)
  const heldNow = holds.reduce((sum, { held }) => sum + held, 0)
  return {
    granted,
    validMs: MINUTE_MS - (presentMs % MINUTE_MS),
    waitMs: isHeldElsewhere ? 0 : Math.max(...waits),
    isHeldElsewhere,
    counts: windows.counts.map(count => count - heldNow) as [number, number, number],
  }
}
