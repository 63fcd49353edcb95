/** Buffers for bodies that arrive in pieces, used again so that such bodies leave no garbage. */
/** Smallest buffer. All sizes are this one doubled. */
export const FIRST_BYTES = 1024

/** Spare buffers by size, bounded in bytes. */
export class BodyBuffers {
  readonly #spare = new Map<number, Buffer[]>()
  readonly #spareBytesMax: number
  #spareBytes = 0

  /** @param spareBytesMax bytes kept while nobody uses them */
  constructor(spareBytesMax: number) {
    this.#spareBytesMax = spareBytesMax
  }

  /** A buffer of `bytes`, with anything in it. */
  take(bytes: number): Buffer {
    const buffer = this.#spare.get(bytes)?.pop()
    if (buffer === undefined) return Buffer.allocUnsafeSlow(bytes)
    this.#spareBytes -= bytes
    return buffer
  }

  /** Keeps a buffer that is not used any more, while there is room. */
  keep(buffer: Buffer): void {
    const { length } = buffer
    if (length === 0 || this.#spareBytes + length > this.#spareBytesMax) return
    this.#spareBytes += length
    const sameSize = this.#spare.get(length)
    if (sameSize === undefined) this.#spare.set(length, [buffer])
    else sameSize.push(buffer)
  }
}
