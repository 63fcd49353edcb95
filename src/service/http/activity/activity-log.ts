import { ERROR_HOURS, REQUESTS_SHOWN_MAX } from '../../../platform/limits.ts'
import { HOUR_MS } from '../../../platform/time.ts'
import {
  type AccountActivity,
  COUNTED_STATUSES,
  type ErrorHour,
  type LoggedRequest,
  type Sighting,
} from '../../data-plane.ts'
import { type ActivityNotes, accountOf, countKey, type ErrorCount, logNumber } from './activity-writer.ts'

/** Memory that a request in a log is counted as. */
export const LOGGED_REQUEST_BYTES = 384
/** Maximum number of networks that are kept for a key, with their requests. A further one drops that with the fewest. */
const KEY_SIGHTINGS_MAX = 20
/** Maximum number of keys whose networks are kept. A further one drops the key that was used least recently. */
const SIGHTED_KEYS_MAX = 10_000
/** Maximum number of hourly counts of errors by account and status, and of failed keys by their beginning. */
const ERROR_COUNTS_MAX = 262_144

/** Content of a log. Slots of accounts and keys are those of the process that kept it. */
export type KeptActivity = Omit<ReturnType<ActivityLog['kept']>, 'slots' | 'keySlots'>

export class ActivityLog implements AccountActivity {
  sinceMs = Date.now()
  readonly #requestsMax: number
  #requestCount = 0
  /** Requests by `logNumber`, least recently written first. Each list begins with its oldest request. */
  readonly #requests = new Map<number, LoggedRequest[]>()
  /** Counts by `countKey`, least recently raised first. */
  readonly #counts = new Map<string, ErrorCount>()
  /** Requests by network, of each key; least recently used keys first. */
  readonly #sightings = new Map<number, Map<string, Sighting>>()
  /** Time in which codes of an account's requests are kept, by slot. */
  readonly #codeTimes = new Map<number, { fromMs: number; untilMs: number }>()

  constructor(bytes: number) {
    this.#requestsMax = Math.floor(bytes / LOGGED_REQUEST_BYTES)
  }

  add({ requests, counts }: ActivityNotes): void {
    for (const { account, network, ...request } of requests) {
      const { fromMs = 0, untilMs = 0 } = this.#codeTimes.get(account) ?? {}
      const isCodeKept = fromMs <= request.timeMs && request.timeMs < untilMs
      this.#add(logNumber(account, request.status), isCodeKept ? request : { ...request, code: null })
      if (network !== null) this.#sight(request.key, network, request)
    }
    for (const count of counts) {
      this.#raise(count)
      this.#raise({ ...count, who: null })
    }
    for (const oldest of this.#counts.keys()) {
      if (this.#counts.size <= ERROR_COUNTS_MAX) break
      this.#counts.delete(oldest)
    }
  }

  #raise(count: ErrorCount): void {
    const key = countKey(count)
    const errors = count.errors + (this.#counts.get(key)?.errors ?? 0)
    // Moved to the end, since the first counts are dropped.
    this.#counts.delete(key)
    this.#counts.set(key, { ...count, errors })
  }

  #add(log: number, request: LoggedRequest): void {
    const requests = this.#requests.get(log) ?? []
    this.#requests.delete(log)
    this.#requests.set(log, requests)
    requests.push(request)
    this.#requestCount++
    // In blocks, since each removal moves the rest of the list.
    if (requests.length >= 2 * REQUESTS_SHOWN_MAX)
      this.#requestCount -= requests.splice(0, REQUESTS_SHOWN_MAX).length
    for (const [oldest, { length }] of this.#requests) {
      if (this.#requestCount <= this.#requestsMax) break
      this.#requests.delete(oldest)
      this.#requestCount -= length
    }
  }

  /** The busiest networks and the newest one stay, so neither a leak nor the usual place can be pushed out. */
  #sight(key: number, network: string, { timeMs, status }: LoggedRequest): void {
    const networks = this.#sightings.get(key) ?? new Map<string, Sighting>()
    this.#sightings.delete(key)
    this.#sightings.set(key, networks)
    const raise = (network: string, { requests, refused, firstMs, lastMs }: Omit<Sighting, 'network'>) => {
      const seen = networks.get(network) ?? { network, requests: 0, refused: 0, firstMs, lastMs }
      networks.set(network, seen)
      seen.requests += requests
      seen.refused += refused
      seen.firstMs = Math.min(seen.firstMs, firstMs)
      seen.lastMs = Math.max(seen.lastMs, lastMs)
    }
    const named = [...networks.values()].filter(each => each.network !== '')
    if (named.length >= KEY_SIGHTINGS_MAX && !networks.has(network)) {
      const fewest = named.reduce((a, b) => (b.requests < a.requests ? b : a))
      networks.delete(fewest.network)
      raise('', fewest)
    }
    raise(network, { requests: 1, refused: status === 200 ? 0 : 1, firstMs: timeMs, lastMs: timeMs })
    const [oldest] = this.#sightings.size > SIGHTED_KEYS_MAX ? this.#sightings.keys() : []
    if (oldest !== undefined) this.#sightings.delete(oldest)
  }

  sightings(key: number): Sighting[] {
    const all = [...(this.#sightings.get(key)?.values() ?? [])]
    return all.sort((a, b) => Number(a.network === '') - Number(b.network === '') || b.requests - a.requests)
  }

  requests(account: number): LoggedRequest[] {
    const newest = (status: number) => {
      const requests = this.#requests.get(logNumber(account, status)) ?? []
      return requests.toSorted((a, b) => b.timeMs - a.timeMs).slice(0, REQUESTS_SHOWN_MAX)
    }
    return [...newest(200), ...newest(0)].sort((a, b) => b.timeMs - a.timeMs)
  }

  errors(account: number | null, keyStarts: readonly string[] | null, nowMs: number): ErrorHour[] {
    const present = Math.floor(nowMs / HOUR_MS)
    const starts = new Set(keyStarts ?? [null])
    return Array.from({ length: ERROR_HOURS }, (_, i) => {
      const hour = present - ERROR_HOURS + 1 + i
      const row = { startMs: hour * HOUR_MS } as ErrorHour
      for (const status of COUNTED_STATUSES) {
        row[status] = 0
        for (const who of status === 401 ? starts : [account])
          row[status] += this.#counts.get(countKey({ hour, status, who }))?.errors ?? 0
      }
      return row
    })
  }

  whoHadErrors(nowMs: number): Set<ErrorCount['who']> {
    const since = Math.floor(nowMs / HOUR_MS) - ERROR_HOURS
    return new Set([...this.#counts.values()].flatMap(({ hour, who }) => (hour > since ? [who] : [])))
  }

  keepCodes(account: number, untilMs: number): void {
    const fromMs = Date.now()
    if (untilMs > fromMs) this.#codeTimes.set(account, { fromMs, untilMs })
    else this.#codeTimes.delete(account)
  }

  codesKeptUntilMs(account: number): number {
    return this.#codeTimes.get(account)?.untilMs ?? 0
  }

  /** Returns all of the log, for a file. Codes leave it when their time is over. */
  kept() {
    const nowMs = Date.now()
    const codes = Array.from(this.#codeTimes, ([account, { untilMs }]) => [account, untilMs] as const).filter(
      ([, untilMs]) => untilMs > nowMs,
    )
    const withCodes = new Set(codes.map(([account]) => account))
    const requests = [...this.#requests].map(([log, requests]) => {
      const isCodeKept = withCodes.has(accountOf(log))
      return [log, isCodeKept ? requests : requests.map(each => ({ ...each, code: null }))] as const
    })
    const counts = [...this.#counts.values()]
    const sightings = [...this.#sightings].map(([key, networks]) => [key, [...networks.values()]] as const)
    const counted = counts.flatMap(({ who }) => (typeof who === 'number' ? who : []))
    return {
      sinceMs: this.sinceMs,
      codes,
      requests,
      counts,
      sightings,
      slots: [...new Set([...withCodes, ...requests.map(([log]) => accountOf(log)), ...counted])],
      keySlots: [
        ...new Set([...this.#sightings.keys(), ...requests.flatMap(([, of]) => of.map(({ key }) => key))]),
      ],
    }
  }

  /** Adds what the last process has kept. @param isAccount, isKey true for slots that still mean the same */
  restore(
    { sinceMs, codes, requests, counts, sightings }: KeptActivity,
    isAccount: (slot: number) => boolean,
    isKey: (slot: number) => boolean,
  ): void {
    this.sinceMs = sinceMs
    for (const [account, untilMs] of codes) if (isAccount(account)) this.keepCodes(account, untilMs)
    for (const [log, list] of requests) {
      if (!isAccount(accountOf(log))) continue
      const isCodeKept = this.#codeTimes.has(accountOf(log))
      for (const each of list)
        if (isKey(each.key)) this.#add(log, isCodeKept ? each : { ...each, code: null })
    }
    for (const count of counts) if (typeof count.who !== 'number' || isAccount(count.who)) this.#raise(count)
    for (const [key, networks] of sightings)
      if (isKey(key)) this.#sightings.set(key, new Map(networks.map(each => [each.network, each])))
  }
}
