/** What this node holds, in the memory that its threads charge. Everything happens under the account's lock. */
import { AVAILABLE, CAP, CAP_LEFT, CAP_UNTIL_MS, ELSEWHERE } from '../accounts/live/live-layout.ts'
import type { Wanted } from '../accounts/types.ts'
import type { Book } from '../ledger/book/book.ts'
import { DAY_MS } from '../ledger/book/history.ts'
import type { AccountRecord } from '../ledger/book/record.ts'
import type { Ledger } from '../ledger/ledger.ts'
import { QUERY_PRICE_MICROS } from '../limits.ts'
import type { FleetRegistry } from './fleet-registry.ts'
import type { HeldAccount } from './held-account.ts'
import { excessMicros, missingMicros } from './lease-policy.ts'
import { LeasedAdmissions } from './leased-admissions.ts'
import type { AccountShare, CapShare, Return, Want } from './store.ts'

export class LeasedState {
  readonly #book: Book
  readonly #journal: Ledger
  readonly #registry: FleetRegistry
  readonly admissions: LeasedAdmissions

  /** @param book of the fleet */
  constructor(book: Book, journal: Ledger, registry: FleetRegistry) {
    this.#book = book
    this.#journal = journal
    this.#registry = registry
    this.admissions = new LeasedAdmissions(book, journal, registry)
  }

  /**
   * Adds what the database has granted, and notes what it says of the rest.
   * @param sentMs when it was asked, by the monotonic clock
   * @param sequence of the newest transaction that it knew
   */
  take(
    { account, grantedMicros, elsewhereMicros, cap, admission }: AccountShare,
    sentMs: number,
    sequence: number,
  ): void {
    if (admission !== null) this.admissions.take(account, admission, this.#askedMs(sentMs))
    const record = this.#book.slots[account]
    if (record.type === 'key') return
    this.#registry.locked(record, ({ cells, cell }) => {
      cells[cell + AVAILABLE] += grantedMicros
      cells[cell + ELSEWHERE] = elsewhereMicros
      // What was granted of a cap that has changed since is void.
      const changedAt = cap === null ? 0 : (this.#registry.capChangedAt.get(cap.key) ?? 0)
      if (cap !== null && changedAt <= sequence) this.#takeCap(cap, sentMs)
    })
  }

  /** Takes out all that the node holds of an account, or of a key that has no more than `admissions`. */
  giveBack(account: number, admissions: number): Return {
    const record = this.#book.slots[account]
    if (record.type === 'key') return { account, micros: 0, admissions, caps: [] }
    return this.#registry.locked(record, ({ cells, cell }) => {
      const micros = cells[cell + AVAILABLE]
      cells[cell + AVAILABLE] = 0
      cells[cell + ELSEWHERE] += micros
      const caps = record.keys.flatMap(({ slot }) => {
        const { cells: keyCells, cell: keyCell } = this.#registry.line({ slot })
        const left = keyCells[keyCell + CAP_LEFT]
        if (!(left > 0) || !Number.isFinite(left)) return []
        keyCells[keyCell + CAP_LEFT] = 0
        keyCells[keyCell + CAP] += left
        return [{ key: slot, micros: left }]
      })
      return { account, micros, admissions, caps }
    })
  }

  /** Takes out what the node holds of an account beyond what it would like to hold: one return, or none. */
  giveBackExcess(account: number, wantedMicros: number): Return[] {
    const record = this.#book.slots[account]
    if (record.type === 'key') return []
    return this.#registry.locked(record, ({ cells, cell }) => {
      const micros = excessMicros(cells[cell + AVAILABLE], wantedMicros)
      if (micros === 0) return []
      cells[cell + AVAILABLE] -= micros
      cells[cell + ELSEWHERE] += micros
      return [{ account, micros, admissions: 0, caps: [] }]
    })
  }

  /** Takes back a return that the database has not taken: the node holds it still. What was held of caps is returned again. */
  restore({ account, micros, admissions, caps }: Return): void {
    if (admissions > 0) this.admissions.restore(account, admissions)
    for (const { key, micros: capMicros } of caps)
      this.#registry.droppedCaps.push({ account, key, micros: capMicros })
    const record = this.#book.slots[account]
    if (record.type === 'key' || micros === 0) return
    this.#registry.locked(record, ({ cells, cell }) => {
      cells[cell + AVAILABLE] += micros
      cells[cell + ELSEWHERE] = Math.max(0, cells[cell + ELSEWHERE] - micros)
    })
  }

  /** What was held of caps that have changed since. */
  droppedCaps(): Return[] {
    const dropped = this.#registry.droppedCaps
    this.#registry.droppedCaps = []
    return dropped.map(({ account, key, micros }) => ({
      account,
      micros: 0,
      admissions: 0,
      caps: [{ key, micros }],
    }))
  }

  /** What to ask for: what the waiting requests need, and what the account's rate lets expect. Empty when there is enough. */
  wants(held: HeldAccount): Want[] {
    const record = this.#book.slots[held.record.slot]
    const admissions = this.admissions.wanted(held)
    const isAdmission = admissions.neededAdmissions + admissions.aheadAdmissions > 0
    const nothing = { account: record.slot, key: null, neededMicros: 0, aheadMicros: 0 }
    if (record.type === 'key') return isAdmission ? [{ ...nothing, ...admissions }] : []
    const byKey = this.#needed(record, held)
    const { cells, cell } = this.#registry.line(record)
    const missing = { account: record.slot, aheadMicros: 0, neededAdmissions: 0, aheadAdmissions: 0 }
    const isAnyElsewhere = cells[cell + ELSEWHERE] > 0
    const aheadMicros = isAnyElsewhere ? missingMicros(cells[cell + AVAILABLE], held.aheadMicros) : 0
    const wants: Want[] = [...byKey].map(([key, neededMicros]) => {
      const isCapped = this.#book.key(key).capMicros !== null
      return { ...missing, key, neededMicros, aheadMicros: isCapped ? held.aheadMicros : aheadMicros }
    })
    if (wants.length === 0 && aheadMicros > 0)
      wants.push({ ...missing, key: null, neededMicros: 0, aheadMicros })
    if (isAdmission) wants[0] = { ...(wants[0] ?? nothing), ...admissions }
    for (const want of this.#lowCaps(record, held)) if (!byKey.has(want.key ?? -1)) wants.push(want)
    return wants
  }

  /**
   * Whether what is elsewhere is not enough for the requests that wait, and only together with what is here. All of it is then
   * returned, and asked for as a whole: the database grants what is needed as a whole or not at all.
   */
  isShort(held: HeldAccount): boolean {
    const record = this.#book.slots[held.record.slot]
    if (record.type === 'key') return false
    const { cells, cell } = this.#registry.line(record)
    let micros = 0
    for (const [key, needed] of this.#needed(record, held)) {
      micros += needed
      const { cells: keyCells, cell: keyCell } = this.#registry.line({ slot: key })
      if (keyCells[keyCell + CAP_LEFT] !== Number.POSITIVE_INFINITY && needed > keyCells[keyCell + CAP])
        return true
    }
    return micros > cells[cell + ELSEWHERE]
  }

  /** Whether a request that waits can be answered now, or refused for good. */
  isDecided({ account, key, queries }: Wanted): boolean {
    if (key < 0) return this.admissions.isDecided(account, queries)
    const record = this.#book.account(account)
    const micros = queries * QUERY_PRICE_MICROS
    const { cells, cell } = this.#registry.line(record)
    const { cells: keyCells, cell: keyCell } = this.#registry.line({ slot: key })
    const left = keyCells[keyCell + CAP_LEFT]
    if (cells[cell + AVAILABLE] >= micros && left >= micros) return true
    return (
      cells[cell + AVAILABLE] + cells[cell + ELSEWHERE] < micros || left + keyCells[keyCell + CAP] < micros
    )
  }

  /** What the requests that wait need, by key: as many of them as balance and caps could pay for, in their order. */
  #needed(record: AccountRecord, held: HeldAccount): Map<number, number> {
    const { cells, cell } = this.#registry.line(record)
    let left = cells[cell + AVAILABLE] + cells[cell + ELSEWHERE]
    const byKey = new Map<number, number>()
    for (const { wanted } of held.waiting) {
      if (wanted.key < 0) continue
      const micros = wanted.queries * QUERY_PRICE_MICROS
      const soFar = byKey.get(wanted.key) ?? 0
      const { cells: keyCells, cell: keyCell } = this.#registry.line({ slot: wanted.key })
      if (micros > left || soFar + micros > keyCells[keyCell + CAP_LEFT] + keyCells[keyCell + CAP]) continue
      left -= micros
      byKey.set(wanted.key, soFar + micros)
    }
    return byKey
  }

  #takeCap({ key, grantedMicros, elsewhereMicros, validMs }: CapShare, sentMs: number): void {
    const { cells, cell } = this.#registry.line({ slot: key })
    if (cells[cell + CAP_LEFT] === Number.POSITIVE_INFINITY) return
    const untilMs = this.#askedMs(sentMs) + Math.floor(validMs)
    // What was left of an earlier month has ended with it.
    const isSameMonth = Math.abs(untilMs - cells[cell + CAP_UNTIL_MS]) < DAY_MS
    cells[cell + CAP_LEFT] = (isSameMonth ? cells[cell + CAP_LEFT] : 0) + grantedMicros
    cells[cell + CAP_UNTIL_MS] = isSameMonth ? Math.min(untilMs, cells[cell + CAP_UNTIL_MS]) : untilMs
    cells[cell + CAP] = elsewhereMicros
  }

  /** When an exchange was sent, by the node's own time. It was answered later, so what lasts from then on ends a little early. */
  #askedMs(sentMs: number): number {
    return this.#journal.timeline.nowMs() - Math.ceil(performance.now() - sentMs)
  }

  /** Keys whose cap may soon have to be asked for again. */
  #lowCaps(record: AccountRecord, held: HeldAccount): Want[] {
    return record.keys.flatMap(({ slot, capMicros, revokedMs }) => {
      if (capMicros === null || revokedMs !== 0) return []
      const { cells, cell } = this.#registry.line({ slot })
      const left = cells[cell + CAP_LEFT]
      // Nothing is leased for a key that is not in use.
      if (left <= 0 || left >= held.aheadMicros / 2 || cells[cell + CAP] <= 0) return []
      const aheadMicros = held.aheadMicros - left
      return [
        {
          account: record.slot,
          key: slot,
          neededMicros: 0,
          aheadMicros,
          neededAdmissions: 0,
          aheadAdmissions: 0,
        },
      ]
    })
  }
}
