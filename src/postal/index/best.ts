/** Keeps the entries with the `limit` smallest keys, the best first. Of equal keys, the smaller number is better. */
export class Best {
  readonly #limit: number
  readonly keys: number[] = []
  readonly numbers: number[] = []
  /** Keys above it are not taken. */
  bound: number

  constructor(limit: number, bound: number = Number.POSITIVE_INFINITY) {
    this.#limit = limit
    this.bound = bound
  }

  /** Adds an entry if it is among the best. Returns true if it was added. */
  take(key: number, number: number): boolean {
    const { keys, numbers } = this
    const isFull = keys.length === this.#limit
    let at = isFull ? keys.length - 1 : keys.length
    if (key > this.bound || (isFull && !this.#isWorse(at, key, number))) return false
    for (; at > 0 && this.#isWorse(at - 1, key, number); at--) {
      keys[at] = keys[at - 1]
      numbers[at] = numbers[at - 1]
    }
    keys[at] = key
    numbers[at] = number
    if (keys.length === this.#limit) this.bound = keys[keys.length - 1]
    return true
  }

  #isWorse(at: number, key: number, number: number): boolean {
    return this.keys[at] > key || (this.keys[at] === key && this.numbers[at] > number)
  }
}
