/** An account as one thread sees it: a few numbers next to its line in the live state. */
import {
  AVAILABLE,
  ELSEWHERE,
  LIMITED,
  LIMITS_VERSION,
  PER_DAY,
  PER_HOUR,
  PER_MINUTE,
} from '../live/live-layout.ts'
import type { LiveState } from '../live/live-state.ts'
import type { Account, RateLimits } from '../types.ts'

export class SharedAccount implements Account {
  readonly slot: number
  /** The account's line: `words` from `word` on, which are `cells` from `cell` on. */
  readonly words: Int32Array
  readonly word: number
  readonly cells: Float64Array
  readonly cell: number
  availableMicros = 0
  limits: RateLimits | null = null
  currentMinute = 0
  currentHour = 0
  currentDay = 0
  #limitsVersion = -1

  constructor(live: LiveState, slot: number) {
    const { words, word, cells, cell } = live.lineOf(slot)
    this.slot = slot
    this.words = words
    this.word = word
    this.cells = cells
    this.cell = cell
    this.refresh()
  }

  /** Brings balance and limits up to what they are now. Costs three loads from one cache line. */
  refresh(): void {
    this.availableMicros = this.cells[this.cell + AVAILABLE] + this.cells[this.cell + ELSEWHERE]
    if (this.words[this.word + LIMITS_VERSION] !== this.#limitsVersion) this.#readLimits()
  }

  #readLimits(): void {
    const { words, word } = this
    this.#limitsVersion = words[word + LIMITS_VERSION]
    const limitAt = (at: number): number | null => (words[word + at] < 0 ? null : words[word + at])
    this.limits =
      words[word + LIMITED] === 0
        ? null
        : { perMinute: limitAt(PER_MINUTE), perHour: limitAt(PER_HOUR), perDay: limitAt(PER_DAY) }
  }
}
