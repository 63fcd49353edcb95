import type { MessagePort } from 'node:worker_threads'
import type { Ledger } from '../ledger/ledger.ts'
import { METER_THREADS_MAX } from '../ledger/meter/meter-layout.ts'
import { spareRows } from '../ledger/meter/meter-writer.ts'
import { THREAD_ANSWER_MS_MAX } from '../limits.ts'
import { takeRow } from './charging/thread-rows.ts'
import type { FromThread, Growth, LeaseSettled, LeaseWanted, ThreadShare } from './charging/thread-share.ts'
import { SharedStateError } from './errors.ts'
import { NEXT_ROW } from './live/live-layout.ts'
import type { LiveState } from './live/live-state.ts'
import type { Wanted } from './types.ts'

interface Attached {
  port: MessagePort
  thread: number
  /** Id of the newest growth that the thread has confirmed. */
  seen: number
}

export interface ThreadEvents {
  /** A thread has made a charge while the flusher slept. */
  onWake(): void
  /** A thread waits for a lease: see `Meter.lease`. */
  lease(wanted: Wanted, msMax: number): Promise<boolean>
  /** A thread does not answer: the process must end. */
  onDead(error: Error): void
}

/** The threads that charge, and the room for accounts and keys that all of them see. */
export class AttachedThreads {
  readonly #ledger: Ledger
  readonly #live: LiveState
  readonly #events: ThreadEvents
  /** Threads that there will be, besides this one, which sizes the meter. */
  readonly #expected: number
  readonly #answerMsMax: number
  readonly #attached = new Map<number, Attached>()
  #growth = 0
  #growing: Promise<void> | null = null
  /** Resolve when every thread has confirmed growth. */
  #waiting: { id: number; resolve: () => void }[] = []

  constructor(
    ledger: Ledger,
    live: LiveState,
    expected: number,
    events: ThreadEvents,
    answerMsMax = THREAD_ANSWER_MS_MAX,
  ) {
    this.#answerMsMax = answerMsMax
    this.#ledger = ledger
    this.#live = live
    this.#expected = expected
    this.#events = events
  }

  /** What a new thread needs. It is attached until `port` closes. @throws Error when there are too many */
  attach(port: MessagePort, freeAnswersMax: number): ThreadShare {
    const thread = this.#freeNumber()
    const attached: Attached = { port, thread, seen: this.#growth }
    port.on('message', (message: FromThread) => {
      if (message === 'wake') this.#events.onWake()
      else if (typeof message === 'number') this.#confirmed(attached, message)
      else void this.#lease(port, message)
    })
    port.once('close', () => {
      this.#attached.delete(thread)
      this.#resolveSeen()
    })
    port.unref()
    this.#attached.set(thread, attached)
    const { meter, timeline } = this.#ledger
    const live = this.#live.share()
    return { thread, freeAnswersMax, live, meter: meter.handle(), offsetMs: timeline.shared }
  }

  /** Whether one more account or key, and all rows that the present ones may need, have room. */
  get hasRoom(): boolean {
    return (
      this.#ledger.book.slots.length < this.#live.slots &&
      this.#live.keys.hasRoom &&
      this.#rowsWanted() <= this.#ledger.meter.rows.capacity
    )
  }

  /**
   * Whether the rules and secrets of one more key have room that every thread sees. While the memory grows they have none: what is
   * written then would be missing in the memory that a thread still reads.
   */
  get hasRoomForRules(): boolean {
    return this.#growing === null && this.#live.rules.hasRoom && this.#live.keys.hasRoom
  }

  /** Makes room, and resolves when all threads see it. @throws the system's error, such as ENOSPC */
  grow(): Promise<void> {
    this.#growing ??= this.#grow().finally(() => {
      this.#growing = null
    })
    return this.#growing
  }

  /** Makes rows in time for those who will need them. A failure is one of the disk, which the ledger reports as well. */
  growInTime(): void {
    if (this.#growing === null && this.#rowsWanted() > this.#ledger.meter.rows.capacity)
      this.grow().catch(() => {})
  }

  /** Resolves when all threads see all that this one does. Growth that has failed has changed nothing. */
  async seen(): Promise<void> {
    await this.#growing?.catch(() => {})
  }

  /** An unused row that all threads see, for the windows of an account. @throws the system's error, such as ENOSPC */
  async row(): Promise<number> {
    for (;;) {
      const row = takeRow(this.#live, this.#ledger.meter.rows)
      this.growInTime()
      await (row > 0 ? this.seen() : this.grow())
      if (row > 0) return row
    }
  }

  /** Lets all threads go. They must not charge any more. */
  close(): void {
    for (const { port } of this.#attached.values()) port.close()
  }

  async #grow(): Promise<void> {
    await this.#ledger.meter.reserve(this.#rowsWanted())
    if (this.#ledger.book.slots.length >= this.#live.slots) this.#live.grow()
    if (!this.#live.keys.hasRoom) this.#live.growKeys()
    if (!this.#live.rules.hasRoom) this.#live.growRules()
    const id = ++this.#growth
    if (this.#attached.size === 0) return
    const growth: Growth = { id, live: this.#live.share(), meter: this.#ledger.meter.handle() }
    for (const { port } of this.#attached.values()) port.postMessage(growth)
    await this.#confirmation(id)
  }

  #confirmation(id: number): Promise<void> {
    return new Promise(resolve => {
      const timer = setTimeout(() => {
        const silent = [...this.#attached.values()]
          .filter(({ seen }) => seen < id)
          .map(({ thread }) => thread)
        const found = `no answer of thread ${silent.join(' and ')} within ${this.#answerMsMax} ms`
        this.#events.onDead(new SharedStateError(found))
      }, this.#answerMsMax)
      const done = () => {
        clearTimeout(timer)
        resolve()
      }
      this.#waiting.push({ id, resolve: done })
      this.#resolveSeen()
    })
  }

  async #lease(port: MessagePort, { lease, wanted, msMax }: LeaseWanted): Promise<void> {
    const isWorthIt = await this.#events.lease(wanted, msMax)
    port.postMessage({ lease, isWorthIt } satisfies LeaseSettled)
  }

  #confirmed(attached: Attached, id: number): void {
    attached.seen = id
    this.#resolveSeen()
  }

  #resolveSeen(): void {
    const seen = Math.min(this.#growth, ...[...this.#attached.values()].map(({ seen }) => seen))
    const waiting = this.#waiting
    this.#waiting = waiting.filter(({ id }) => id > seen)
    for (const { id, resolve } of waiting) if (id <= seen) resolve()
  }

  #rowsWanted(): number {
    const spare = spareRows(this.#ledger.book.slots.length + 1, this.#expected + 1)
    return this.#live.header[NEXT_ROW] + spare
  }

  #freeNumber(): number {
    for (let thread = 1; thread < METER_THREADS_MAX; thread++) if (!this.#attached.has(thread)) return thread
    throw new Error(`at most ${METER_THREADS_MAX - 1} threads can charge`)
  }
}
