/** Returns 32-bit words as bytes. */
export function bytesOf(words: readonly number[]): Uint8Array {
  return new Uint8Array(new Uint32Array(words).buffer)
}

/** Growing 32-bit words. Numbers above 2^31 would take 8 bytes in an array. */
export class WordWriter {
  #words = new Uint32Array(1024)
  length = 0

  push(...words: readonly number[]): void {
    if (this.length + words.length > this.#words.length) {
      const grown = new Uint32Array(Math.max(this.length + words.length, this.#words.length * 2))
      grown.set(this.#words)
      this.#words = grown
    }
    for (const word of words) this.#words[this.length++] = word
  }

  /** View, valid until the next change. */
  words(): Uint32Array {
    return this.#words.subarray(0, this.length)
  }

  /** View, valid until the next change. */
  bytes(): Uint8Array {
    return new Uint8Array(this.#words.buffer, 0, this.length * 4)
  }
}

/** Growing bytes, with the varints of FORMAT.md. */
export class ByteWriter {
  #bytes = new Uint8Array(4096)
  #length = 0

  get length(): number {
    return this.#length
  }

  /** Appends a whole number below 2^32 as LEB128. */
  varint(value: number): void {
    this.#room(5)
    let rest = value
    while (rest >= 0x80) {
      this.#bytes[this.#length++] = (rest & 0x7f) | 0x80
      rest >>>= 7
    }
    this.#bytes[this.#length++] = rest
  }

  append(bytes: Uint8Array): void {
    this.#room(bytes.length)
    this.#bytes.set(bytes, this.#length)
    this.#length += bytes.length
  }

  /** Appends the length of `bytes`, then `bytes`. */
  text(bytes: Uint8Array): void {
    this.varint(bytes.length)
    this.append(bytes)
  }

  /** Appends a list of POST and returns its offset. @param ascending without repetitions */
  list(ascending: readonly number[]): number {
    const offset = this.#length
    this.varint(ascending.length)
    let previous = 0
    for (const index of ascending) {
      this.varint(index - previous)
      previous = index
    }
    return offset
  }

  /** View, valid until the next change. */
  bytes(): Uint8Array {
    return this.#bytes.subarray(0, this.#length)
  }

  #room(count: number): void {
    if (this.#length + count <= this.#bytes.length) return
    const grown = new Uint8Array(Math.max(this.#length + count, this.#bytes.length * 2))
    grown.set(this.#bytes)
    this.#bytes = grown
  }
}
