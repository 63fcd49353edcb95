/** The queue of facts and messages in flight, by account and kind. FORMAT.md has the states of an entry. */
import { randomUUID } from 'node:crypto'
import * as z from 'zod'
import { HOUR_MS, MINUTE_MS } from '../../platform/time.ts'
import type { KeyedStore } from '../store/keyed-store.ts'
import { type Channel, FACT, type Fact, type MessageKind } from './alert-kinds.ts'

/** Minimum time between two messages of a kind about an account. Facts wait meanwhile. */
const GAP_MS = HOUR_MS
const TEST_GAP_MS = MINUTE_MS
/** Times between the attempts at a message. The message is dropped after the last. */
const RETRY_MS = [5000, MINUTE_MS, 10 * MINUTE_MS, HOUR_MS] as const
/** Maximum number of facts in a message. Further facts are only counted. */
const FACTS_MAX = 20
/** Maximum number of entries with something to send. Facts of further ones are dropped and logged. */
const WAITING_MAX = 10_000

const SENDING = z.object({
  id: z.string(),
  timeMs: z.number(),
  facts: z.array(FACT),
  more: z.int(),
  channels: z.array(z.enum(['email', 'webhook'])),
  attempts: z.int(),
  nextMs: z.number(),
})

/** Last attempt by a channel. */
const TRIED = z.object({
  timeMs: z.number(),
  channel: z.enum(['email', 'webhook']),
  /** Null if the receiver has the message. */
  problem: z.string().nullable(),
})
export type Tried = z.infer<typeof TRIED>

export const ENTRY = z.object({
  raised: z.array(z.string()),
  waiting: z.array(FACT),
  more: z.int(),
  lastMs: z.number(),
  sending: SENDING.nullable(),
  tried: z.array(TRIED),
})

export type Sending = z.infer<typeof SENDING>
export type Entry = z.infer<typeof ENTRY>

export type Due = { account: string; kind: MessageKind; key: string; sending: Sending }

const NOTHING: Entry = { raised: [], waiting: [], more: 0, lastMs: 0, sending: null, tried: [] }

/** @param report called when the queue is full, or cannot be written */
export function createOutbox(
  file: KeyedStore<Entry>,
  report: (problem: 'full' | 'unwritten', error?: unknown) => void,
) {
  /** Keys of entries with something to send. */
  const active = new Set<string>()
  for (const [key, entry] of file.entries()) if (isActive(entry)) active.add(key)

  function addTo(key: string, entry: Entry, facts: readonly Fact[]): void {
    if (facts.length > 0 && !active.has(key) && active.size >= WAITING_MAX) return report('full')
    const waiting = [...entry.waiting, ...facts]
    const more = entry.more + Math.max(0, waiting.length - FACTS_MAX)
    write(key, { ...entry, waiting: waiting.slice(0, FACTS_MAX), more })
  }

  function write(key: string, entry: Entry): void {
    if (isActive(entry)) active.add(key)
    else active.delete(key)
    file.set(key, entry).catch(error => report('unwritten', error))
  }

  return {
    /** Returns accounts, kinds and times of messages that were not accepted and are sent again. */
    failing: () =>
      [...active].flatMap(key => {
        const { sending } = file.get(key) ?? NOTHING
        const [account, kind] = partsOf(key)
        return sending !== null && sending.attempts > 0 ? [{ account, kind, timeMs: sending.timeMs }] : []
      }),
    /** Sets the present facts of a condition. New facts wait. Facts that no longer hold are dropped. */
    setCondition(account: string, kind: MessageKind, facts: readonly Fact[]): void {
      const key = keyOf(account, kind)
      const entry = file.get(key) ?? NOTHING
      const begun = facts.filter(({ subject }) => !entry.raised.includes(subject))
      const holds = (subject: string) => facts.some(fact => fact.subject === subject)
      const held = entry.raised.filter(holds)
      if (begun.length === 0 && held.length === entry.raised.length) return
      const waiting = entry.waiting.filter(({ subject }) => holds(subject))
      const raised = facts.map(({ subject }) => subject)
      // Counted facts are not stored: at most the raised subjects that hold and do not wait.
      const more = waiting.length === 0 ? 0 : Math.min(entry.more, held.length - waiting.length)
      addTo(key, { ...entry, raised, waiting, more }, begun)
    },
    add(account: string, kind: MessageKind, facts: readonly Fact[]): void {
      const key = keyOf(account, kind)
      addTo(key, file.get(key) ?? NOTHING, facts)
    },
    isActive: (account: string, kind: MessageKind) => active.has(keyOf(account, kind)),
    triedOf: <K extends MessageKind>(account: string, kind: K) =>
      (file.get(keyOf(account, kind))?.tried ?? []).map(tried => ({ ...tried, kind })),
    /** Returns how long a message of this kind would have to wait; 0 if it would not. */
    waitMsOf(account: string, kind: MessageKind, nowMs: number): number {
      const entry = file.get(keyOf(account, kind)) ?? NOTHING
      return Math.max(isActive(entry) ? 1 : 0, entry.lastMs + gapOf(kind) - nowMs)
    },
    /** Drops a kind that the account no longer wants. Keeps the time of its last message while the gap lasts. */
    forget(account: string, kind: MessageKind, nowMs: number): void {
      const key = keyOf(account, kind)
      const entry = file.get(key)
      if (entry === undefined) return
      const { lastMs, sending, tried } = entry
      if (sending === null && nowMs >= lastMs + gapOf(kind)) {
        active.delete(key)
        file.delete(key).catch(error => report('unwritten', error))
      } else if (isActive(entry) || entry.raised.length > 0) write(key, { ...NOTHING, lastMs, tried })
    },
    /**
     * Returns messages due for an attempt. Facts that have waited become messages for the next call.
     * @param channelsOf returns the channels of a kind; none to drop its facts
     */
    startDue(nowMs: number, channelsOf: (account: string, kind: MessageKind) => Channel[]): Due[] {
      const due: Due[] = []
      for (const key of active) {
        const entry = file.get(key)
        if (entry === undefined) continue
        const [account, kind] = partsOf(key)
        const { sending, waiting, more, lastMs } = entry
        if (sending !== null) {
          if (nowMs >= sending.nextMs) due.push({ account, kind, key, sending })
          continue
        }
        // A clock that was set back must not delay a message beyond the gap.
        if (nowMs < lastMs + gapOf(kind) && nowMs >= lastMs) continue
        const channels = channelsOf(account, kind)
        const rest = { ...entry, waiting: [], more: 0 }
        if (channels.length === 0) {
          write(key, rest)
          continue
        }
        const id = randomUUID()
        const message = { id, timeMs: nowMs, facts: waiting, more, channels, attempts: 0, nextMs: nowMs }
        // Sent even if this write fails: a second message after a crash is better than none.
        write(key, { ...rest, lastMs: nowMs, sending: message })
      }
      return due
    },
    /** Ends an attempt. Returns the time of the next attempt; null if there is none. */
    endAttempt({ key, sending }: Due, tried: readonly Tried[], nowMs: number): number | null {
      const entry = file.get(key)
      if (entry?.sending?.id !== sending.id) return null
      const attempts = sending.attempts + 1
      const waitMs = RETRY_MS[attempts - 1]
      const left = failedIn(tried)
      // The sender of a test sees its result, and can repeat it.
      const isOver = left.length === 0 || waitMs === undefined || partsOf(key)[1] === 'test'
      const next = isOver ? null : { ...sending, channels: left, attempts, nextMs: nowMs + waitMs }
      // Channels that accepted the message before are not tried again.
      const others = entry.tried.filter(({ channel }) => !tried.some(each => each.channel === channel))
      write(key, { ...entry, sending: next, tried: [...tried, ...others] })
      return next?.nextMs ?? null
    },
  }
}

export const failedIn = (tried: readonly Tried[]): Channel[] =>
  tried.filter(({ problem }) => problem !== null).map(({ channel }) => channel)

const isActive = ({ waiting, sending }: Entry): boolean => waiting.length > 0 || sending !== null

/** Returns the minimum time between the starts of two messages of a kind. */
function gapOf(kind: MessageKind): number {
  // A balance is empty again only after a payment.
  if (kind === 'operator' || kind === 'balance.empty') return 0
  return kind === 'test' ? TEST_GAP_MS : GAP_MS
}

const keyOf = (account: string, kind: MessageKind): string => `${account} ${kind}`

const partsOf = (key: string) => key.split(' ') as [account: string, kind: MessageKind]
