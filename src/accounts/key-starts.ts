/**
 * The keys whose secrets begin alike, for those who search for the beginning of one: chains of keys by the first two characters
 * after the prefix that all secrets share. Comparing all keys costs a read of distant memory for each of them.
 */
import { KEY_PREFIX } from './secret.ts'

/** Characters that choose a chain. */
const CHAIN_CHARACTERS = 2
const CODES = 128
const CHAINS = CODES ** CHAIN_CHARACTERS
/** A key is in the chains of two secrets at most: of its present one and of the one before it. */
const SECRETS = 2
const LINKS_MIN = 1024

export class KeyStarts {
  /** The first link of each chain plus 1; 0: none. */
  readonly #heads = new Int32Array(CHAINS)
  /** The next link of the same chain plus 1, and the chain plus 1 that a link is in. Links are those of slot 0, of slot 1, … */
  #next = new Int32Array(LINKS_MIN)
  #chains = new Int32Array(LINKS_MIN)

  /**
   * Enters one of the secrets of the key in `slot`, in place of the one entered two times before. Costs some nanoseconds, and a
   * pass over the chain to replace one.
   * @param first the two characters after the prefix, as their codes
   * @param secret the number of the secret: each is one more than that before it
   */
  add(first: number, second: number, slot: number, secret: number): void {
    const link = slot * SECRETS + (secret % SECRETS)
    if (link >= this.#next.length) this.#grow(link)
    if (this.#chains[link] !== 0) this.#remove(link)
    const chain = chainOf(first, second)
    if (chain < 0) return
    this.#next[link] = this.#heads[chain]
    this.#heads[chain] = link + 1
    this.#chains[link] = chain + 1
  }

  /**
   * The slots of the keys one of whose secrets may begin with `wanted`, a secret or its beginning; some twice. Null when it is too
   * short to choose some of them: all keys may.
   */
  slots(wanted: string): number[] | null {
    const characters = wanted.length - KEY_PREFIX.length
    if (characters < 1) return null
    const first = wanted.charCodeAt(KEY_PREFIX.length)
    if (characters >= CHAIN_CHARACTERS)
      return this.#slotsOf(chainOf(first, wanted.charCodeAt(KEY_PREFIX.length + 1)))
    if (first >= CODES) return []
    return Array.from({ length: CODES }, (_, second) => this.#slotsOf(first * CODES + second)).flat()
  }

  #slotsOf(chain: number): number[] {
    const slots: number[] = []
    if (chain < 0) return slots
    for (let link = this.#heads[chain]; link !== 0; link = this.#next[link - 1])
      slots.push(Math.floor((link - 1) / SECRETS))
    return slots
  }

  #remove(link: number): void {
    const chain = this.#chains[link] - 1
    let before = this.#heads[chain]
    if (before === link + 1) this.#heads[chain] = this.#next[link]
    else {
      while (this.#next[before - 1] !== link + 1) before = this.#next[before - 1]
      this.#next[before - 1] = this.#next[link]
    }
    this.#chains[link] = 0
  }

  #grow(link: number): void {
    const length = Math.max(this.#next.length * 2, link + 1)
    const next = new Int32Array(length)
    const chains = new Int32Array(length)
    next.set(this.#next)
    chains.set(this.#chains)
    this.#next = next
    this.#chains = chains
  }
}

/** The chain of two characters; -1 for those that no secret has. */
function chainOf(first: number, second: number): number {
  return first < CODES && second < CODES ? first * CODES + second : -1
}
