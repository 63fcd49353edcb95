/** What the server threads have noted of one account, for the dashboard. */
import type { AccountActivity, ErrorHour, LoggedRequest } from '../../data-plane.ts'
import { REQUESTS_SHOWN_MAX } from '../../limits.ts'
import type { ActivityMemory } from './activity-memory.ts'
import { ERROR_COLUMNS } from './activity-writer.ts'
import { bytesKey, HOUR_MS, HourlyCounts, shownHours } from './hourly-counts.ts'
import { MINUTE_MS } from './request-log-layout.ts'
import { readRequestLog } from './request-log-reader.ts'

export class ActivityView implements AccountActivity {
  readonly #threads: readonly ActivityMemory[]
  readonly #errors: readonly HourlyCounts[]
  readonly #failedKeys: readonly HourlyCounts[]
  /** Shared by all threads; undefined without a request log. */
  readonly #codesUntil: Int32Array | undefined

  /** @param threads the memory of each thread */
  constructor(threads: readonly ActivityMemory[]) {
    this.#threads = threads
    this.#errors = threads.map(({ errors }) => new HourlyCounts(errors))
    this.#failedKeys = threads.map(({ failedKeys }) => new HourlyCounts(failedKeys))
    const codesUntil = threads[0]?.log?.codesUntil
    this.#codesUntil = codesUntil && new Int32Array(codesUntil)
  }

  requests(slot: number): LoggedRequest[] {
    return this.#threads
      .flatMap(({ log }) => (log === undefined ? [] : readRequestLog(log.heads, log.blocks, slot)))
      .sort((a, b) => b.timeMs - a.timeMs)
      .slice(0, REQUESTS_SHOWN_MAX)
  }

  errors(slot: number, keyStarts: readonly string[], nowMs: number): ErrorHour[] {
    const account = { high: 0, low: slot }
    const starts = [...new Set(keyStarts)].map(start => Buffer.from(start)).map(b => bytesKey(b, b.length))
    return shownHours(nowMs).map(hour => {
      const failed = starts.map(start => sum(this.#failedKeys, table => table.get(start, hour, 0)))
      const [noFunds, notAllowed, notFound, limited, unavailable] = ERROR_COLUMNS.map((_, column) =>
        sum(this.#errors, table => table.get(account, hour, column)),
      )
      const refused = failed.reduce((total, count) => total + count, 0)
      return {
        startMs: hour * HOUR_MS,
        401: refused,
        402: noFunds,
        403: notAllowed,
        404: notFound,
        429: limited,
        503: unavailable,
      }
    })
  }

  keepCodes(slot: number, untilMs: number): void {
    if (this.#codesUntil !== undefined) Atomics.store(this.#codesUntil, slot, Math.ceil(untilMs / MINUTE_MS))
  }

  codesKeptUntilMs(slot: number): number {
    return this.#codesUntil === undefined ? 0 : Atomics.load(this.#codesUntil, slot) * MINUTE_MS
  }
}

function sum<T>(items: readonly T[], part: (item: T) => number): number {
  return items.reduce((total, item) => total + part(item), 0)
}
