/** The server under attack, as its attackers see it. */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { Test } from 'tap'
import { QUERY_PRICE_MICROS } from '../../src/limits.ts'
import { ownMs, type Pause, type Pauses } from '../support/pauses.ts'
import { rawPost } from '../support/raw-socket.ts'

const CHILD = fileURLToPath(new URL('./server-child.js', import.meta.url))
/** What no request of any kind should exceed. Printed and not asserted: a test does not assert on time. */
const PAUSE_MS_WANTED = 5

/** How often the long run repeats what the short one does: `HOSTILE_ROUNDS=20`. */
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
  /** Of the event loop since the last question. */
  pauses: Pauses
  /** Queries whose charges were taken back so far. */
  takenBack: number
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
  // The start is not what is measured.
  await stats()
  return {
    ...started,
    stats,
    queries: async () => (await stats()).spentMicros / QUERY_PRICE_MICROS,
    lookup: zipcode => lookupOf(key, zipcode),
    smuggled: () => lookupOf(smuggledKey),
  }
}

/** What must hold after every attack, and the longest pauses, which are printed. */
export function checkStats(
  t: Test,
  { errors, heldBytes }: Pick<Stats, 'errors' | 'heldBytes'>,
  { longest, own, step }: Pauses,
): void {
  t.same(errors, [], 'nothing unexpected happened')
  t.equal(heldBytes, 0, 'no body is held')
  const wanted = `(wanted: ${PAUSE_MS_WANTED})`
  t.comment(`longest pause of the event loop: ${said(longest)}`)
  t.comment(`longest by our own code: ${ownMs(own).toFixed(1)} ms ${wanted}, in one of ${said(own)}`)
  t.comment(`longest single step, such as one request: ${ownMs(step).toFixed(1)} ms ${wanted}`)
}

function said({ ms, waitedMs, ranMs, gcMs, answers }: Pause): string {
  const [all, ran, waited, gc] = [ms, ranMs, waitedMs, gcMs].map(part => part.toFixed(1))
  const parts = `${ran} of processor time, ${gc} of that collecting garbage, ${waited} waiting for a processor`
  return `${all} ms with ${answers} requests (${parts})`
}
