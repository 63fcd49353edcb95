/** A key as one thread sees it: its line in the live state, and a copy of its rules, if it has any. */
import { ACCOUNT, KEY_WINDOWS_ROW, RULES_BLOCK, RULES_VERSION, STATE } from '../live/live-layout.ts'
import type { LiveState } from '../live/live-state.ts'
import { lock, unlock } from '../live/lock.ts'
import { type CopiedRules, EVERY_ENDPOINT } from '../live/rule-blocks.ts'
import type { ApiKey, KeyRules, Limited } from '../types.ts'
import { EffectiveLimits, OwnLimits } from './effective-limits.ts'
import { SharedAccount } from './shared-account.ts'

/** By secret: a key that was rolled has an object for each of its secrets that was seen. */
export class SharedKey implements ApiKey {
  readonly slot: number
  readonly account: SharedAccount
  /** The key's line. */
  readonly words: Int32Array
  readonly word: number
  readonly cells: Float64Array
  readonly cell: number
  rules: KeyRules | null = null
  own: OwnLimits | null = null
  limited: Limited
  /** What `limited` is while the key has limits of its own. */
  effective: EffectiveLimits | null = null
  /** Which of the key's secrets it was found by. */
  readonly #secret: number
  #version = 0
  #copied: CopiedRules | null = null

  constructor(live: LiveState, slot: number, secret: number) {
    const { words, word, cells, cell } = live.lineOf(slot)
    this.slot = slot
    this.words = words
    this.word = word
    this.cells = cells
    this.cell = cell
    this.account = new SharedAccount(live, words[word + ACCOUNT] - 1)
    this.limited = this.account
    this.#secret = secret
  }

  /** `STATE` of its line: 0 while nothing more has to be asked. */
  get state(): number {
    return this.cells[this.cell + STATE]
  }

  /** The key's row of the meter for the windows of its own limits. */
  get windowsRow(): number {
    return this.words[this.word + KEY_WINDOWS_ROW]
  }

  /** Whether its expiry and the end of its secret, if this is an earlier one, are still ahead. Costs a comparison of versions. */
  isValid(live: LiveState, thread: number, nowMs: number): boolean {
    if (this.words[this.word + RULES_VERSION] !== this.#version) this.#copy(live, thread)
    const copied = this.#copied
    if (copied === null) return true
    if (nowMs >= copied.expiresMs) return false
    if (this.#secret === copied.secret) return true
    return this.#secret === copied.secret - 1 && nowMs < copied.earlierUntilMs
  }

  /** Under the account's lock, so that all of it is of one moment. */
  #copy(live: LiveState, thread: number): void {
    const { words, word, account } = this
    lock(live.header, account.words, account.word, thread)
    this.#version = words[word + RULES_VERSION]
    const copied = live.rules.read(words[word + RULES_BLOCK])
    unlock(account.words, account.word)
    const { endpoints, networks, limits } = copied
    this.#copied = copied
    this.rules = endpoints === EVERY_ENDPOINT && networks === null ? null : { endpoints, networks }
    this.own = limits === null ? null : new OwnLimits(limits)
    this.effective = limits === null ? null : new EffectiveLimits()
    this.limited = this.effective ?? account
  }
}
