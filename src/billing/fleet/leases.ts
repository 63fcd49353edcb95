/** Leases of this node: asks for waiting requests and ahead of need, reports usage, and returns excess. */
import type { Shortfall } from '../accounts/charging/charging.ts'
import type { AccountRecord, KeyRecord } from '../ledger/book/record.ts'
import type { Ledger } from '../ledger/ledger.ts'
import { ActiveAccount, FLEET_EXCHANGE_MS, LEASE_STEPS } from './active-account.ts'
import { countsOf } from './books.ts'
import { type ExchangeParts, exchangesOf } from './exchanges.ts'
import {
  type ExchangeAnswer,
  FLEET_HEARTBEAT_MS,
  type KeyCount,
  type TakenOut,
  type Want,
} from './messages.ts'
import type { NodeCounters } from './node-counters.ts'
import { outcomeOf, wantsOf } from './wants.ts'

/** Time between exchanges of a node while requests wait. */
const FLEET_RETRY_MS = 20
const EXCHANGE_ACCOUNTS_MAX = 1000
const EXCHANGE_REPORTS_MAX = 2000

/** Maximum share of time spent in exchanges. Long exchanges delay the next exchange. */
const BUSY_SHARE = 0.1

/** Parts of a node. */
export interface NodeParts extends ExchangeParts {
  ledger: Ledger
  /** Brings the charges of an account into the ledger. */
  bookCharges(account: AccountRecord): void
  /** Ends the node. */
  fail(error: unknown): void
}

export function leasesOf(parts: NodeParts, counters: NodeCounters) {
  const { clock, ledger, bookCharges, fail } = parts
  const exchanges = exchangesOf(parts, endWaits)
  const activeAccounts = new Map<number, ActiveAccount>()
  /** Slots of keys whose counts changed since the last report. */
  const changed = new Set<number>()
  let running: Promise<void> | null = null
  let nextTimer: NodeJS.Timeout | undefined
  let nextDueMs = Number.POSITIVE_INFINITY
  let lastSentMs = 0
  let tookMs = 0
  let isStopped = false
  /** Newest sequence that an answer has named. */
  let newestSequence = 0

  /** True if the database knows all charges of an account that are in the ledger. */
  function isAtRest({ keys }: AccountRecord): boolean {
    return running === null && keys.every(({ slot }) => !changed.has(slot))
  }

  /** Plans the report of keys whose charges have come to the ledger. */
  function noteBooked(keys: readonly KeyRecord[]): void {
    for (const { slot, account } of keys) {
      changed.add(slot)
      ensureActive(account.slot).keySlots.add(slot)
    }
    schedule(FLEET_EXCHANGE_MS)
  }

  function waitForLease(shortfall: Shortfall, msMax: number): Promise<boolean> {
    if (isStopped || exchanges.isAway()) return Promise.resolve(false)
    const { slot, account } = ledger.book.key(shortfall.keySlot)
    const read = counters.read({ record: account, keySlots: [slot] })
    if (outcomeOf(shortfall, read) !== null) return Promise.resolve(true)
    schedule(0)
    return ensureActive(account.slot).wait(shortfall, msMax)
  }

  function recall(accountSlot: number): void {
    const active = activeAccounts.get(accountSlot)
    if (active === undefined) return
    active.isRecalled = true
    schedule(0)
  }

  /** Reports all usage and returns all leases, durably. Nothing may be charged afterwards. */
  async function close(): Promise<void> {
    exchanges.leave()
    isStopped = true
    clearTimeout(nextTimer)
    await running?.catch(() => {})
    endWaits()
    do await exchange()
    while (activeAccounts.size + changed.size > 0)
  }

  function endWaits(): void {
    for (const { waiting } of activeAccounts.values()) for (const one of waiting) one.resolve(false)
  }

  function ensureActive(accountSlot: number): ActiveAccount {
    const known = activeAccounts.get(accountSlot)
    if (known !== undefined) return known
    const active = new ActiveAccount(ledger.book.account(accountSlot), clock.monotonicMs())
    activeAccounts.set(accountSlot, active)
    return active
  }

  function schedule(ms: number): void {
    const dueMs = clock.monotonicMs() + ms
    if (isStopped || dueMs >= nextDueMs) return
    nextDueMs = dueMs
    clearTimeout(nextTimer)
    nextTimer = setTimeout(run, ms).unref()
  }

  function run(): void {
    nextDueMs = Number.POSITIVE_INFINITY
    // The exchange in progress schedules the next one.
    if (running !== null) return
    running = exchange()
      .catch(fail)
      .finally(() => {
        running = null
        schedule(nextMs())
      })
  }

  function nextMs(): number {
    for (const active of activeAccounts.values()) if (active.isUrgent) return FLEET_RETRY_MS
    if (activeAccounts.size + changed.size === 0) return FLEET_HEARTBEAT_MS
    // At most a heartbeat, however long an exchange was repeated: the deadline of charges depends on it.
    return Math.min(FLEET_HEARTBEAT_MS, Math.max(FLEET_EXCHANGE_MS, tookMs / BUSY_SHARE))
  }

  async function exchange(): Promise<void> {
    const nowMs = clock.monotonicMs()
    for (const active of activeAccounts.values()) if (active.isUrgent) bookCharges(active.record)
    const message = { reports: reports(), taken: counters.takeEnded(), wants: [] as Want[] }
    const accounts = nextAccounts()
    for (const active of accounts) addAccount(active, message, nowMs)
    const isNothing = Object.values(message).every(part => part.length === 0)
    if (isNothing && !isStopped && nowMs - lastSentMs < FLEET_HEARTBEAT_MS) return
    lastSentMs = nowMs
    const answer = await exchanges.send(message)
    tookMs = clock.monotonicMs() - nowMs
    useAnswer(answer, nowMs)
    for (const active of accounts) active.rotate()
  }

  /** Adds an account to an exchange: what it used, returns and wants. Forgets an idle account. */
  function addAccount(
    active: ActiveAccount,
    { taken, wants }: { taken: TakenOut[]; wants: Want[] },
    nowMs: number,
  ): void {
    // Changes that the node has read may have decided them.
    answerWaiting(active)
    active.countSpend(nowMs)
    const step = isStopped ? 'forget' : active.leaseStep(nowMs)
    const { returns, asks } = LEASE_STEPS[step]
    taken.push(...counters.takeOut(active, returns))
    if (step === 'forget') activeAccounts.delete(active.record.slot)
    if (step === 'return') active.isRecalled = false
    if (asks === 'always' || (asks === 'for waiting' && active.waiting.size > 0))
      wants.push(...wantsOf(active, counters.read(active)))
  }

  /** Returns urgent accounts in turn, then others in turn, up to EXCHANGE_ACCOUNTS_MAX. */
  function nextAccounts(): ActiveAccount[] {
    const ordered = [...activeAccounts.values()].sort((a, b) => Number(b.isUrgent) - Number(a.isUrgent))
    const next = ordered.slice(0, EXCHANGE_ACCOUNTS_MAX)
    for (const active of next) {
      // Moves it to the end of the turn.
      activeAccounts.delete(active.record.slot)
      activeAccounts.set(active.record.slot, active)
    }
    return next
  }

  function useAnswer({ grants, recalls, sequence }: ExchangeAnswer, sentMs: number): void {
    newestSequence = sequence
    // Counted from the first sending, so a period ends early, never late.
    const askedMs = ledger.timeline.nowMs() - Math.ceil(clock.monotonicMs() - sentMs)
    for (const grant of grants) counters.addGrant(grant, askedMs, sequence)
    for (const { holder } of grants) {
      const active = activeAccounts.get(holder)
      if (active !== undefined) answerWaiting(active)
    }
    for (const accountSlot of recalls) recall(accountSlot)
  }

  /** Lets the waiting requests try again that can be charged now, or refused finally. */
  function answerWaiting(active: ActiveAccount): void {
    if (active.waiting.size === 0) return
    const read = counters.read(active)
    for (const waiting of active.waiting) {
      const outcome = outcomeOf(waiting.shortfall, read)
      if (outcome === 'enough') active.servedMs = clock.monotonicMs()
      if (outcome !== null) waiting.resolve(true)
    }
  }

  function reports(): KeyCount[] {
    const { book } = ledger
    const counts: KeyCount[] = []
    for (const keySlot of changed) {
      if (counts.length >= EXCHANGE_REPORTS_MAX) break
      counts.push(...countsOf(book.key(keySlot)))
      changed.delete(keySlot)
    }
    return counts
  }

  return {
    state: () => ({ ...exchanges.state(), accounts: activeAccounts.size, sequence: newestSequence }),
    isAtRest,
    start: () => schedule(FLEET_HEARTBEAT_MS),
    noteBooked,
    waitForLease,
    recall,
    leave: exchanges.leave,
    close,
  }
}
