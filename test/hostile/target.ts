/** The server under attack, as its attackers see it. */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { Test } from 'tap'
import { QUERY_PRICE_MICROS } from '../../src/limits.ts'
import { rawPost } from '../support/raw-socket.ts'
import { until } from '../support/until.ts'

const CHILD = fileURLToPath(new URL('./server-child.js', import.meta.url))

/** Repetitions of the short run in the long one: `HOSTILE_ROUNDS=20`. */
export const ROUNDS = Number(process.env.HOSTILE_ROUNDS ?? 1)

export interface Started {
  port: number
  key: string
  /** Only ever sent inside what must not be executed. */
  smuggledKey: string
}

export interface Stats {
  spentMicros: number
  smuggledMicros: number
  errors: string[]
  heldBytes: number
}

export interface Target extends Started {
  stats(): Promise<Stats>
  /** Queries that the honest key has been charged for so far. */
  queries(): Promise<number>
  lookup(zipcode?: string): string
  smuggled(): string
}

/** Starts a server of its own for this test; its end checks what must hold after every attack. */
export async function startTarget(t: Test): Promise<Target> {
  const child = fork(CHILD)
  const [started] = (await once(child, 'message')) as [Started]
  const stats = async (): Promise<Stats> => {
    child.send('stats')
    return (await once(child, 'message'))[0] as Stats
  }
  t.teardown(async () => {
    const exited = once(child, 'exit')
    child.send('stop')
    await exited
  })
  const { key, smuggledKey } = started
  const lookupOf = (apiKey: string, zipcode = '90210') =>
    rawPost('/api/lookup', JSON.stringify({ apiKey, zipcode }))
  return {
    ...started,
    stats,
    queries: async () => (await stats()).spentMicros / QUERY_PRICE_MICROS,
    lookup: zipcode => lookupOf(key, zipcode),
    smuggled: () => lookupOf(smuggledKey),
  }
}

/** Checks what must hold after every attack, once the server has seen the ends of all connections. */
export async function checkStats(t: Test, target: Target): Promise<Stats> {
  await until(async () => (await target.stats()).heldBytes === 0)
  const stats = await target.stats()
  t.same(stats.errors, [], 'nothing unexpected happened')
  return stats
}
