import { Worker } from 'node:worker_threads'
import type { Test } from 'tap'
import { QUERY_PRICE_MICROS } from '../../src/billing/money.ts'
import { GAUGE } from '../../src/service/http/counts.ts'
import { rawPost } from '../support/raw-socket.ts'
import { startThreads } from '../support/threads.ts'
import { until } from '../support/until.ts'

/** Number of repetitions of the short run. The long run has `HOSTILE_ROUNDS=80`. */
export const ROUNDS = Number(process.env.HOSTILE_ROUNDS ?? 1)
/** Number of paid queries: more than any attack needs. */
const QUERIES = 40_000_000

export type Target = Awaited<ReturnType<typeof startTarget>>

export async function startTarget(t: Test) {
  const workers = [new Worker(new URL('./prompt-thread.js', import.meta.url))]
  const { port, threads, accounts, errors, openAccount } = await startThreads(t, 1, { workers })
  const honest = await openAccount(QUERIES)
  const smuggled = await openAccount(QUERIES)
  const spentBy = (keyId: string) => accounts.key(keyId)?.spentMicros ?? Number.NaN
  const lookupOf = (apiKey: string, zipcode = '90210') =>
    rawPost('/api/lookup', JSON.stringify({ apiKey, zipcode }))
  return {
    port,
    key: honest.key,
    stats: () => ({
      spentMicros: spentBy(honest.keyId),
      smuggledMicros: spentBy(smuggled.keyId),
      errors,
      heldBytes: threads.counts[0].gauges[GAUGE.heldBytes],
    }),
    /** Queries that the honest key has paid. */
    queries: () => spentBy(honest.keyId) / QUERY_PRICE_MICROS,
    lookup: (zipcode?: string) => lookupOf(honest.key, zipcode),
    /** Returns a request with another key. It must never be executed. */
    smuggled: () => lookupOf(smuggled.key),
  }
}

/** Checks the server after an attack, once all connections have ended. */
export async function checkStats(t: Test, target: Target) {
  await until(() => target.stats().heldBytes === 0)
  const stats = target.stats()
  t.same(stats.errors, [], 'nothing unexpected happened')
  return stats
}
