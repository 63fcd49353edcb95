/** A heap of small records in typed arrays: the one with the smallest key comes first. Putting one in and out makes no object. */

const FIRST_CAPACITY = 256

export class MinHeap {
  #keys = new Float64Array(FIRST_CAPACITY)
  /** What belongs to a key: three numbers, of 32, 16 and 8 bits. */
  #firsts = new Uint32Array(FIRST_CAPACITY)
  #seconds = new Uint16Array(FIRST_CAPACITY)
  #thirds = new Uint8Array(FIRST_CAPACITY)
  length = 0
  /** What `pop` took. */
  first = 0
  second = 0
  third = 0

  /** The smallest key, or infinity. */
  get least(): number {
    return this.length === 0 ? Number.POSITIVE_INFINITY : this.#keys[0]
  }

  push(key: number, first: number, second: number, third: number): void {
    if (this.length === this.#keys.length) this.#grow()
    const keys = this.#keys
    let at = this.length++
    while (at > 0) {
      const parent = (at - 1) >> 1
      if (keys[parent] <= key) break
      this.#move(parent, at)
      at = parent
    }
    this.#put(at, key, first, second, third)
  }

  /** Takes the record with the smallest key. There must be one. */
  pop(): void {
    this.first = this.#firsts[0]
    this.second = this.#seconds[0]
    this.third = this.#thirds[0]
    const last = --this.length
    if (last === 0) return
    const keys = this.#keys
    const key = keys[last]
    let at = 0
    for (;;) {
      let child = at * 2 + 1
      if (child >= last) break
      if (child + 1 < last && keys[child + 1] < keys[child]) child++
      if (keys[child] >= key) break
      this.#move(child, at)
      at = child
    }
    this.#put(at, key, this.#firsts[last], this.#seconds[last], this.#thirds[last])
  }

  #move(from: number, to: number): void {
    this.#put(to, this.#keys[from], this.#firsts[from], this.#seconds[from], this.#thirds[from])
  }

  #put(at: number, key: number, first: number, second: number, third: number): void {
    this.#keys[at] = key
    this.#firsts[at] = first
    this.#seconds[at] = second
    this.#thirds[at] = third
  }

  #grow(): void {
    const capacity = this.#keys.length * 2
    const [keys, firsts, seconds, thirds] = [this.#keys, this.#firsts, this.#seconds, this.#thirds]
    this.#keys = new Float64Array(capacity)
    this.#firsts = new Uint32Array(capacity)
    this.#seconds = new Uint16Array(capacity)
    this.#thirds = new Uint8Array(capacity)
    this.#keys.set(keys)
    this.#firsts.set(firsts)
    this.#seconds.set(seconds)
    this.#thirds.set(thirds)
  }
}
