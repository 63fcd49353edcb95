/** What waits to be sent and what is on its way, for each account and kind. FORMAT.md has the states of an entry. */
import { randomUUID } from 'node:crypto'
import {
  ALERT_FACTS_MAX,
  ALERT_GAP_MS,
  ALERT_RETRY_MS,
  ALERT_TEST_GAP_MS,
  ALERTS_WAITING_MAX,
} from '../limits.ts'
import type { KeyedStore } from '../shell/keyed-store.ts'
import { type Channel, type Condition, type Fact, isAlertKind, type MessageKind } from './kinds.ts'

/** A message on its way. */
export interface Sending {
  id: string
  timeMs: number
  facts: Fact[]
  /** Facts beyond those. */
  more: number
  /** Those that have not taken it. */
  channels: Channel[]
  attempts: number
  /** When the next attempt is due. */
  nextMs: number
}

export interface Entry {
  raised: string[]
  seen: number | null
  waiting: Fact[]
  more: number
  lastMs: number
  sending: Sending | null
}

/** An entry whose time has come. */
export interface Due {
  account: string
  kind: MessageKind
  key: string
  sending: Sending
}

const NOTHING: Entry = { raised: [], seen: null, waiting: [], more: 0, lastMs: 0, sending: null }

export class Outbox {
  readonly #file: KeyedStore<Entry>
  /** Keys of entries with something to send. */
  readonly #active = new Set<string>()
  readonly #report: (problem: 'full' | 'unwritten', error?: unknown) => void

  constructor(file: KeyedStore<Entry>, report: (problem: 'full' | 'unwritten', error?: unknown) => void) {
    this.#file = file
    this.#report = report
    for (const [key, entry] of file.entries()) if (isActive(entry)) this.#active.add(key)
  }

  get isIdle(): boolean {
    return this.#active.size === 0
  }

  /** Notes for what a condition holds now. What it did not hold for waits to be sent; what has ended waits no longer. */
  hold(account: string, kind: Condition, facts: readonly Fact[]): void {
    const key = keyOf(account, kind)
    const entry = this.#file.get(key) ?? NOTHING
    const begun = facts.filter(({ subject }) => !entry.raised.includes(subject))
    const holds = (subject: string) => facts.some(fact => fact.subject === subject)
    if (begun.length === 0 && entry.raised.every(holds)) return
    const waiting = entry.waiting.filter(({ subject }) => holds(subject))
    const raised = facts.map(({ subject }) => subject)
    this.#add(key, { ...entry, raised, waiting, more: waiting.length === 0 ? 0 : entry.more }, begun)
  }

  /** Moments that wait to be sent. */
  add(account: string, kind: MessageKind, facts: readonly Fact[]): void {
    const key = keyOf(account, kind)
    this.#add(key, this.#file.get(key) ?? NOTHING, facts)
  }

  /** Things that are only ever added, in the order of their making: those that are new since the last call wait to be sent. */
  follow<T>(account: string, kind: MessageKind, all: readonly T[], factOf: (one: T) => Fact): void {
    const key = keyOf(account, kind)
    const entry = this.#file.get(key) ?? NOTHING
    if (entry.seen === all.length) return
    const fresh = entry.seen === null ? [] : all.slice(entry.seen).map(factOf)
    this.#add(key, { ...entry, seen: all.length }, fresh)
  }

  /** Whether a message of this kind would have to wait for the last one. */
  isTooSoon(account: string, kind: MessageKind, nowMs: number): boolean {
    const entry = this.#file.get(keyOf(account, kind))
    return entry !== undefined && (isActive(entry) || nowMs < entry.lastMs + gapOf(kind))
  }

  /** The account does not want this kind any more. When its last message was is remembered until it no longer matters. */
  forget(account: string, kind: MessageKind, nowMs: number): void {
    const key = keyOf(account, kind)
    const entry = this.#file.get(key)
    if (entry === undefined) return
    const { lastMs, sending } = entry
    if (sending === null && nowMs >= lastMs + gapOf(kind)) this.#delete(key)
    else if (isActive(entry) || entry.raised.length > 0 || entry.seen !== null)
      this.#set(key, { ...NOTHING, lastMs })
  }

  /**
   * Messages whose next attempt is due. What has waited long enough becomes a message on its way, and comes with the next
   * call, once that is on the disk.
   * @param channelsOf where a kind is to be sent now; nowhere drops it
   */
  due(nowMs: number, channelsOf: (account: string, kind: MessageKind) => Channel[]): Due[] {
    const due: Due[] = []
    for (const key of this.#active) {
      const entry = this.#file.get(key)
      if (entry === undefined) continue
      const [account, kind] = partsOf(key)
      const { sending, waiting, more, lastMs } = entry
      if (sending !== null) {
        if (nowMs >= sending.nextMs) due.push({ account, kind, key, sending })
        continue
      }
      // A clock that was set back must not hold a message for longer than the gap.
      if (nowMs < lastMs + gapOf(kind) && nowMs >= lastMs) continue
      const channels = channelsOf(account, kind)
      const rest = { ...entry, waiting: [], more: 0 }
      if (channels.length === 0) {
        this.#set(key, rest)
        continue
      }
      const id = randomUUID()
      const message = { id, timeMs: nowMs, facts: waiting, more, channels, attempts: 0, nextMs: nowMs }
      // A message that could not be noted is sent all the same: twice, after a crash, is better than never.
      this.#set(key, { ...rest, lastMs: nowMs, sending: message })
    }
    return due
  }

  /** An attempt has ended; `left` are the channels that have not taken the message. Returns whether it is given up. */
  attempted({ key, sending }: Due, left: Channel[], nowMs: number): boolean {
    const entry = this.#file.get(key)
    if (entry?.sending?.id !== sending.id) return false
    const attempts = sending.attempts + 1
    const waitMs = ALERT_RETRY_MS[attempts - 1]
    // Whoever tries a channel looks at the result, and tries again.
    const isOver = left.length === 0 || waitMs === undefined || partsOf(key)[1] === 'test'
    const next = isOver ? null : { ...sending, channels: left, attempts, nextMs: nowMs + waitMs }
    this.#set(key, { ...entry, sending: next })
    return left.length > 0 && isOver
  }

  #add(key: string, entry: Entry, facts: readonly Fact[]): void {
    if (facts.length > 0 && !this.#active.has(key) && this.#active.size >= ALERTS_WAITING_MAX)
      return this.#report('full')
    const waiting = [...entry.waiting, ...facts]
    const more = entry.more + Math.max(0, waiting.length - ALERT_FACTS_MAX)
    this.#set(key, { ...entry, waiting: waiting.slice(0, ALERT_FACTS_MAX), more })
  }

  #set(key: string, entry: Entry): void {
    if (isActive(entry)) this.#active.add(key)
    else this.#active.delete(key)
    this.#file.set(key, entry).catch(error => this.#report('unwritten', error))
  }

  #delete(key: string): void {
    this.#active.delete(key)
    this.#file.delete(key).catch(error => this.#report('unwritten', error))
  }
}

function isActive({ waiting, sending }: Entry): boolean {
  return waiting.length > 0 || sending !== null
}

function gapOf(kind: MessageKind): number {
  return kind === 'test' ? ALERT_TEST_GAP_MS : ALERT_GAP_MS
}

function keyOf(account: string, kind: MessageKind): string {
  return `${account} ${kind}`
}

function partsOf(key: string): [account: string, kind: MessageKind] {
  const [account = '', kind = ''] = key.split(' ')
  return [account, isAlertKind(kind) ? kind : 'test']
}

/** An entry as its line of JSON has it, or null. */
export function parseEntry(value: unknown): Entry | null {
  if (typeof value !== 'object' || value === null) return null
  const entry = value as Entry
  const { raised, seen, waiting, more, lastMs, sending } = entry
  const isWhole = Array.isArray(raised) && Array.isArray(waiting) && [more, lastMs].every(Number.isFinite)
  const isCounted = seen === null || Number.isSafeInteger(seen)
  const isSent = sending === null || (Array.isArray(sending?.channels) && Array.isArray(sending.facts))
  return isWhole && isCounted && isSent ? entry : null
}
