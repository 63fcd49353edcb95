/** Boxes that are still to be opened, the one that may hold the nearest code first. */

export class BoxHeap {
  readonly #keys: Float64Array
  readonly #words: Uint32Array
  readonly #trees: Uint16Array
  readonly #levels: Uint8Array
  length = 0
  /** The box that `pop` took. */
  word = 0
  tree = 0
  level = 0

  /** @param capacity boxes that may wait at a time: each of an index waits at most once */
  constructor(capacity: number) {
    this.#keys = new Float64Array(capacity)
    this.#words = new Uint32Array(capacity)
    this.#trees = new Uint16Array(capacity)
    this.#levels = new Uint8Array(capacity)
  }

  /** The smallest key, or infinity. */
  get least(): number {
    return this.length === 0 ? Number.POSITIVE_INFINITY : this.#keys[0]
  }

  push(key: number, word: number, tree: number, level: number): void {
    let at = this.length++
    while (at > 0) {
      const parent = (at - 1) >> 1
      if (this.#keys[parent] <= key) break
      this.#move(parent, at)
      at = parent
    }
    this.#put(at, key, word, tree, level)
  }

  /** Takes the box with the smallest key. There must be one. */
  pop(): void {
    this.word = this.#words[0]
    this.tree = this.#trees[0]
    this.level = this.#levels[0]
    const last = --this.length
    if (last === 0) return
    const key = this.#keys[last]
    let at = 0
    for (;;) {
      let child = at * 2 + 1
      if (child >= last) break
      if (child + 1 < last && this.#keys[child + 1] < this.#keys[child]) child++
      if (this.#keys[child] >= key) break
      this.#move(child, at)
      at = child
    }
    this.#put(at, key, this.#words[last], this.#trees[last], this.#levels[last])
  }

  #move(from: number, to: number): void {
    this.#put(to, this.#keys[from], this.#words[from], this.#trees[from], this.#levels[from])
  }

  #put(at: number, key: number, word: number, tree: number, level: number): void {
    this.#keys[at] = key
    this.#words[at] = word
    this.#trees[at] = tree
    this.#levels[at] = level
  }
}
