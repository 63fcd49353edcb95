/** Whether two books say the same of every account and every key. */
import type { Book } from '../ledger/book/book.ts'
import { type AccountRecord, balanceMicros, type KeyRecord } from '../ledger/book/record.ts'
import { monthSpentMicros } from '../ledger/book/usage-row.ts'

/** Differences that are worth reading. */
const DIFFERENCES_MAX = 10

/**
 * Sentences on what differs, at most DIFFERENCES_MAX; none when a customer could not tell one book from the other. Sequence
 * numbers are not compared, nor are the moments of usage.
 */
export function bookDifferences(from: Book, to: Book, nowMs: number): string[] {
  const differences: string[] = []
  if (from.slots.length !== to.slots.length)
    differences.push(`${from.slots.length} accounts and keys became ${to.slots.length}`)
  for (const [slot, record] of from.slots.entries()) {
    if (differences.length >= DIFFERENCES_MAX) break
    const moved = to.slots[slot]
    if (moved === undefined) break
    const [before, after] = [viewOf(record, nowMs), viewOf(moved, nowMs)]
    if (before !== after) differences.push(`${record.type} ${record.id}: ${before} became ${after}`)
  }
  return differences
}

function viewOf(record: AccountRecord | KeyRecord, nowMs: number): string {
  return JSON.stringify(record.type === 'account' ? accountView(record) : keyView(record, nowMs))
}

function accountView(account: AccountRecord): unknown {
  const { id, email, createdMs, identities, limits, lowBalanceMicros, standing, team } = account
  return {
    ...{ id, email, createdMs, identities, lowBalanceMicros },
    limits: limits === null ? null : [limits.perMinute, limits.perHour, limits.perDay],
    balanceMicros: balanceMicros(account),
    debtMicros: account.debtMicros,
    spentMicros: account.spentMicros,
    standing: standing === null ? null : [standing.state, standing.sinceMs, standing.reason, standing.by],
    entries: account.entries.map(entry => [
      ...[entry.timeMs, entry.kind, entry.balanceMicros, entry.debtMicros, entry.reference, entry.note],
    ]),
    members: [...(team?.members ?? [])],
    invitations: [...(team?.invitations.values() ?? [])].map(({ id, email, role, endMs, by }) => [
      ...[id, email, role, endMs, by],
    ]),
    keys: account.keys.map(key => key.slot),
    activeKeys: account.activeKeys,
  }
}

function keyView(key: KeyRecord, nowMs: number): unknown {
  const { id, label, start, hash, createdMs, revokedMs, capMicros, rules, rolled, spentMicros } = key
  return {
    ...{ id, label, start, hash, createdMs, revokedMs, capMicros, spentMicros },
    account: key.account.slot,
    queries: key.queries,
    monthSpentMicros: monthSpentMicros(key, nowMs),
    rolled: rolled === null ? null : [rolled.start, rolled.hash, rolled.untilMs],
    rules:
      rules === null
        ? null
        : [
            rules.expiresMs,
            rules.limits && [rules.limits.perMinute, rules.limits.perHour, rules.limits.perDay],
            ...[rules.endpoints, rules.addresses],
          ],
  }
}
