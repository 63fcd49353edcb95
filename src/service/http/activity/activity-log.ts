/** Request log of each account, on the ledger thread. When a bound is reached, the oldest entries go. */
import { HOUR_MS } from '../../../platform/time.ts'
import type {
  AccountActivity,
  AccountSender,
  KeySender,
  LoggedRequest,
  RefusalCount,
  Sighting,
} from '../../data-plane.ts'
import { LISTED_STATUSES, REFUSED_STATUSES } from '../../errors.ts'
import { ERROR_HOURS, REQUESTS_SHOWN_MAX, SECRET_REQUESTS_MAX } from '../../limits.ts'
import { type ActivityNotes, accountOf, type LogId, logOf, refusalKey } from './activity-writer.ts'

/** Memory that a request in a log is counted as. */
export const LOGGED_REQUEST_BYTES = 384
/** Maximum number of networks of a sender. A further one drops the network with the fewest requests. */
const NETWORKS_MAX = 20
/** Maximum number of a sender's secrets that have a sum of their other networks. */
const STARTS_MAX = 5
const KEY_NETWORKS_MAX = 200_000
/** Maximum number of requests, of counts, and of networks of secrets that are not accepted. */
const SECRETS_MAX = 10_000
const REFUSALS_MAX = 262_144
/** Maximum number of counts of an account: a key has some reasons an hour. */
const ACCOUNT_REFUSALS_MAX = 8192

/** Members of a count of all senders, which differs by hour and status only. */
const ALL_SENDERS = { endpoint: '', sender: null, error: '', bound: null, keyRefusal: null, client: null }

/** Groups of items, with a bound of all items. The group that was written least recently is dropped first. */
class RecentGroups<G, K, V> {
  readonly #itemsMax: number
  readonly #groupMax: number
  #size = 0
  readonly #groups = new Map<G, Map<K, V>>()

  /** @param groupMax items of one group. A further one drops the item that was written least recently */
  constructor(itemsMax: number, groupMax: number) {
    this.#itemsMax = itemsMax
    this.#groupMax = groupMax
  }

  set(group: G, key: K, item: V): void {
    const items = this.#groups.get(group) ?? new Map<K, V>()
    this.#groups.delete(group)
    this.#groups.set(group, items)
    this.#size -= items.size
    items.delete(key)
    items.set(key, item)
    const [first] = items.size > this.#groupMax ? items.keys() : []
    if (first !== undefined) items.delete(first)
    this.#size += items.size
    // Iterating is slow: it walks over the holes that moved groups leave in the map.
    if (this.#size <= this.#itemsMax) return
    for (const [oldest, { size }] of this.#groups) {
      if (this.#size <= this.#itemsMax) break
      this.#groups.delete(oldest)
      this.#size -= size
    }
  }

  of(group: G): ReadonlyMap<K, V> {
    return this.#groups.get(group) ?? new Map()
  }

  remove(group: G, key: K): void {
    if (this.#groups.get(group)?.delete(key)) this.#size--
  }

  /** Returns all groups with their items. Both begin with the one written least recently. */
  entries(): [G, V[]][] {
    return Array.from(this.#groups, ([group, items]) => [group, [...items.values()]])
  }
}

/** Requests, counts and networks of accounts, or of secrets. */
class Shelf {
  /** Requests by log, then in their order. */
  readonly requests: RecentGroups<LogId, number, LoggedRequest>
  /** Counts by account or secret, then by `refusalKey`. Null has the sums. */
  readonly refusals: RecentGroups<AccountSender | null, string, RefusalCount>
  readonly sightings: RecentGroups<KeySender, string, Sighting>

  constructor(requestsMax: number, groupMax: number, refusalsMax: number, networksMax: number) {
    this.sightings = new RecentGroups(networksMax, NETWORKS_MAX + STARTS_MAX)
    this.requests = new RecentGroups(requestsMax, groupMax)
    this.refusals = new RecentGroups(refusalsMax, ACCOUNT_REFUSALS_MAX)
  }
}

/** Content of a log. Slots of accounts and keys are those of the process that kept it. */
export type KeptActivity = ReturnType<ActivityLog['kept']>

export class ActivityLog implements AccountActivity {
  sinceMs = Date.now()
  #added = 0
  readonly #accounts: Shelf
  /** Strangers may send any number of secrets, which push out nothing of accounts. */
  readonly #secrets: Shelf
  /** Time in which codes of an account's requests are kept, by slot. */
  readonly #codeTimes = new Map<number, { fromMs: number; untilMs: number }>()

  constructor(bytes: number) {
    const requestsMax = Math.floor(bytes / LOGGED_REQUEST_BYTES)
    this.#accounts = new Shelf(requestsMax, REQUESTS_SHOWN_MAX, REFUSALS_MAX, KEY_NETWORKS_MAX)
    this.#secrets = new Shelf(
      Math.min(requestsMax, SECRETS_MAX),
      SECRET_REQUESTS_MAX,
      SECRETS_MAX,
      SECRETS_MAX,
    )
  }

  #shelfOf(who: AccountSender): Shelf {
    return typeof who === 'number' ? this.#accounts : this.#secrets
  }

  add({ requests, refusals }: ActivityNotes): void {
    for (const { who, network, start, isPrevious, ...request } of requests) {
      const { fromMs = 0, untilMs = 0 } = this.#codeTimes.get(who as number) ?? {}
      const isCodeKept = fromMs <= request.timeMs && request.timeMs < untilMs
      this.#add(logOf(who, request.status), isCodeKept ? request : { ...request, code: null })
      if (network !== null || isPrevious) this.#sight(network ?? '', start, request)
    }
    for (const { who, ...count } of refusals) {
      this.#raise(this.#shelfOf(who), who, count)
      this.#raise(this.#accounts, null, { ...count, ...ALL_SENDERS })
    }
  }

  #add(log: LogId, request: LoggedRequest): void {
    this.#shelfOf(log).requests.set(log, this.#added++, request)
  }

  #raise({ refusals }: Shelf, who: AccountSender | null, count: RefusalCount): void {
    const key = refusalKey(count)
    const { requests = 0, firstMs = count.firstMs } = refusals.of(who).get(key) ?? {}
    refusals.set(who, key, { ...count, requests: requests + count.requests, firstMs })
  }

  /** The busiest networks and the newest one stay: neither a leak nor the usual place is pushed out. */
  #sight(network: string, start: string, { sender, timeMs, status, queries }: LoggedRequest): void {
    const { sightings } = this.#shelfOf(sender)
    const networks = sightings.of(sender)
    const raise = ({ network, start, requests, refused, queries, firstMs, lastMs }: Sighting) => {
      const id = sightingId(network, start)
      const seen = networks.get(id) ?? { requests: 0, refused: 0, queries: 0, firstMs, lastMs }
      sightings.set(sender, id, {
        network,
        start,
        requests: seen.requests + requests,
        refused: seen.refused + refused,
        queries: seen.queries + queries,
        firstMs: Math.min(seen.firstMs, firstMs),
        lastMs: Math.max(seen.lastMs, lastMs),
      })
    }
    const named = [...networks.values()].filter(each => each.network !== '')
    if (named.length >= NETWORKS_MAX && !networks.has(sightingId(network, start))) {
      const fewest = named.reduce((a, b) => (b.requests < a.requests ? b : a))
      sightings.remove(sender, sightingId(fewest.network, fewest.start))
      raise({ ...fewest, network: '' })
    }
    const refused = status === 200 ? 0 : 1
    raise({ network, start, requests: 1, refused, queries, firstMs: timeMs, lastMs: timeMs })
  }

  sightings(sender: KeySender): Sighting[] {
    const all = [...this.#shelfOf(sender).sightings.of(sender).values()]
    return all.sort((a, b) => Number(a.network === '') - Number(b.network === '') || b.requests - a.requests)
  }

  requests(account: number, secrets: readonly string[]): LoggedRequest[] {
    const logs = [...LISTED_STATUSES.map(status => logOf(account, status)), ...secrets]
    const all = logs.flatMap(log => [...this.#shelfOf(log).requests.of(log).values()])
    return all.sort((a, b) => b.timeMs - a.timeMs)
  }

  refusals(account: number | null, secrets: readonly string[], nowMs: number): RefusalCount[] {
    const since = firstHour(nowMs)
    const counts = [
      this.#accounts.refusals.of(account),
      ...secrets.map(each => this.#secrets.refusals.of(each)),
    ]
    return counts.flatMap(each => [...each.values()].filter(({ hour }) => hour >= since))
  }

  refusedCounts(nowMs: number): Map<AccountSender | null, number> {
    const since = firstHour(nowMs)
    const all = [this.#accounts, this.#secrets].flatMap(({ refusals }) => refusals.entries())
    const sums = all.map(([who, counts]) => {
      const recent = counts.filter(each => each.hour >= since && REFUSED_STATUSES.includes(each.status))
      return [who, recent.reduce((sum, { requests }) => sum + requests, 0)] as const
    })
    return new Map(sums.filter(([, requests]) => requests > 0))
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
    const withCodes = new Set<AccountSender>(codes.map(([account]) => account))
    const shelves = [this.#accounts, this.#secrets].map(({ requests, refusals, sightings }) => ({
      requests: requests.entries().map(([log, items]) => {
        const isCodeKept = withCodes.has(accountOf(log))
        return [log, isCodeKept ? items : items.map(each => ({ ...each, code: null }))] as const
      }),
      refusals: refusals.entries(),
      sightings: sightings.entries(),
    }))
    return { sinceMs: this.sinceMs, codes, shelves }
  }

  /** Adds what the last process has kept. @param isAccount, isKey true for slots that still mean the same */
  restore(
    { sinceMs, codes, shelves }: KeptActivity,
    isAccount: (slot: number) => boolean,
    isKey: (slot: number) => boolean,
  ): void {
    const isSame = (who: AccountSender | null, of: (slot: number) => boolean) =>
      typeof who !== 'number' || of(who)
    this.sinceMs = sinceMs
    for (const [account, untilMs] of codes) if (isAccount(account)) this.keepCodes(account, untilMs)
    for (const { requests, refusals, sightings } of shelves) {
      for (const [log, items] of requests) {
        const isCodeKept = this.#codeTimes.has(accountOf(log) as number)
        for (const each of items)
          if (isSame(accountOf(log), isAccount) && isSame(each.sender, isKey))
            this.#add(log, isCodeKept ? each : { ...each, code: null })
      }
      for (const [who, counts] of refusals)
        for (const count of counts)
          if (isSame(who, isAccount) && isSame(count.sender, isKey))
            this.#raise(who === null ? this.#accounts : this.#shelfOf(who), who, count)
      for (const [sender, networks] of sightings)
        for (const each of networks)
          if (isSame(sender, isKey))
            this.#shelfOf(sender).sightings.set(sender, sightingId(each.network, each.start), each)
    }
  }
}

function sightingId(network: string, start: string): string {
  return `${network} ${start}`
}

function firstHour(nowMs: number): number {
  return Math.floor(nowMs / HOUR_MS) - ERROR_HOURS + 1
}
