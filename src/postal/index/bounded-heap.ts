/** Keeps the `limit` smallest keys, the worst first. Of equal keys, the greater number is worse. */
export class BoundedHeap {
  readonly #limit: number
  readonly #keys: number[] = []
  readonly #numbers: number[] = []
  /** Keys above it are not taken. */
  bound: number

  constructor(limit: number, bound: number = Number.POSITIVE_INFINITY) {
    this.#limit = limit
    this.bound = bound
  }

  /** Adds an entry if it is among the best. Returns true if it was added. */
  take(key: number, number: number): boolean {
    const count = this.#keys.length
    if (key > this.bound) return false
    if (count < this.#limit) this.#raise(count, key, number)
    else if (this.#isWorse(0, key, number)) this.#sink(count, key, number)
    else return false
    if (this.#keys.length === this.#limit) this.bound = this.#keys[0]
    return true
  }

  /** Returns the entries from best to worst. The heap is unusable afterwards. */
  sorted(): { numbers: number[]; keys: number[] } {
    const [keys, numbers] = [this.#keys, this.#numbers]
    for (let last = keys.length - 1; last > 0; last--) {
      const [key, number] = [keys[last], numbers[last]]
      this.#put(last, keys[0], numbers[0])
      this.#sink(last, key, number)
    }
    return { numbers, keys }
  }

  #isWorse(at: number, key: number, number: number): boolean {
    const own = this.#keys[at]
    return own > key || (own === key && this.#numbers[at] > number)
  }

  #raise(from: number, key: number, number: number): void {
    let at = from
    while (at > 0) {
      const parent = (at - 1) >> 1
      if (this.#isWorse(parent, key, number)) break
      this.#put(at, this.#keys[parent], this.#numbers[parent])
      at = parent
    }
    this.#put(at, key, number)
  }

  /** Replaces the first of `count` entries and moves the new one down. */
  #sink(count: number, key: number, number: number): void {
    let at = 0
    for (let child = 1; child < count; child = at * 2 + 1) {
      const other = child + 1
      if (other < count && this.#isWorse(other, this.#keys[child], this.#numbers[child])) child = other
      if (!this.#isWorse(child, key, number)) break
      this.#put(at, this.#keys[child], this.#numbers[child])
      at = child
    }
    this.#put(at, key, number)
  }

  #put(at: number, key: number, number: number): void {
    this.#keys[at] = key
    this.#numbers[at] = number
  }
}
