/**
 * Finds items that lie in a table of bytes or words by their content, without an object for each: the maps of strings that
 * were here took most of the memory of a build. It keeps the numbers of items and their hashes, and asks its caller whether an item is the one.
 */
const LOAD_MAX = 0.7
const FREE = 0

export class Slots {
  /** 1 + item; a power of two of them. */
  #items = new Uint32Array(1024)
  #hashes = new Uint32Array(1024)
  #count = 0

  /** The item with `hash` that `isSame` accepts, or -1. */
  find(hash: number, isSame: (item: number) => boolean): number {
    const mask = this.#items.length - 1
    for (let slot = hash & mask; this.#items[slot] !== FREE; slot = (slot + 1) & mask) {
      const item = this.#items[slot] - 1
      if (this.#hashes[slot] === hash && isSame(item)) return item
    }
    return -1
  }

  /** Adds an item that `find` did not find. @param hash 0 to 2^32 - 1 @param item 0 to 2^32 - 2 */
  add(hash: number, item: number): void {
    if (++this.#count > this.#items.length * LOAD_MAX) this.#grow()
    this.#put(hash, item + 1)
  }

  #put(hash: number, taken: number): void {
    const mask = this.#items.length - 1
    let slot = hash & mask
    while (this.#items[slot] !== FREE) slot = (slot + 1) & mask
    this.#items[slot] = taken
    this.#hashes[slot] = hash
  }

  #grow(): void {
    const [items, hashes] = [this.#items, this.#hashes]
    this.#items = new Uint32Array(items.length * 2)
    this.#hashes = new Uint32Array(items.length * 2)
    items.forEach((taken, slot) => {
      if (taken !== FREE) this.#put(hashes[slot], taken)
    })
  }
}
