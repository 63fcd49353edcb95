/** Views `bytes` as words. They must begin at a multiple of four. */
export function asWords({ buffer, byteOffset, byteLength }: Uint8Array): Uint32Array {
  return new Uint32Array(buffer, byteOffset, byteLength / 4)
}

/** Growing array of 32-bit words. Adding costs amortised constant time. */
export class GrowableU32 {
  #items = new Uint32Array(1024)
  #length = 0

  get length(): number {
    return this.#length
  }

  push(value: number): void {
    this.reserve(1)
    this.#items[this.#length - 1] = value
  }

  /** Appends zeros and returns the index of the first. */
  reserve(count: number): number {
    const start = this.#length
    this.#length += count
    if (this.#length > this.#items.length) {
      const grown = new Uint32Array(Math.max(this.#length, this.#items.length * 2))
      grown.set(this.#items.subarray(0, start))
      this.#items = grown
    }
    return start
  }

  set(index: number, value: number): void {
    this.#items[index] = value
  }

  get(index: number): number {
    return this.#items[index]
  }

  /** View, valid until the next change. */
  bytes(): Uint8Array {
    return new Uint8Array(this.#items.buffer, 0, this.#length * 4)
  }
}
