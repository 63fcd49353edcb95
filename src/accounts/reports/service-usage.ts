/** What all accounts together have used, by day. Adds up the histories of every key, so it is done some keys at a time. */
import type { AccountRecord } from '../../ledger/book/record.ts'
import type { Registry } from '../registry.ts'
import type { ServiceUsage } from '../views.ts'

const DAY_MS = 86_400_000
const DAYS = 90
/** Accounts and days that count for the largest customers. */
const LARGEST = 10
const LARGEST_DAYS = 30
/** Keys between two turns of the event loop: a millisecond. */
const KEYS_PER_TURN = 200

/** Costs some 5 µs for each key that was used every day, in turns of a millisecond. */
export async function serviceUsage(registry: Registry, nowMs: number): Promise<ServiceUsage> {
  const today = Math.floor(nowMs / DAY_MS)
  const firstMs = (today - DAYS + 1) * DAY_MS
  const recentMs = (today - LARGEST_DAYS + 1) * DAY_MS
  const days = Array.from({ length: DAYS }, (_, day) => ({
    startMs: firstMs + day * DAY_MS,
    queries: 0,
    micros: 0,
  }))
  const spent: { account: AccountRecord; micros: number }[] = []
  let keys = 0
  for (const account of registry.accounts()) {
    let recentMicros = 0
    for (const key of account.keys) {
      key.days.each((startMs, queries, micros) => {
        const day = days[(startMs - firstMs) / DAY_MS]
        if (day === undefined) return
        for (const count of queries) day.queries += count
        day.micros += micros
        if (startMs >= recentMs) recentMicros += micros
      })
      if (++keys % KEYS_PER_TURN === 0) await new Promise(resolve => setImmediate(resolve))
    }
    if (recentMicros > 0) spent.push({ account, micros: recentMicros })
  }
  const largest = spent
    .sort((a, b) => b.micros - a.micros)
    .slice(0, LARGEST)
    .map(({ account: { id, email }, micros }) => ({ id, email, micros }))
  return { timeMs: nowMs, days, largest }
}
