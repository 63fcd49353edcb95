/** The packed texts of many records, outside the heap of JavaScript. They never move. */
import { HEADER_BYTES_MAX, writeText } from '../message-pack.ts'

const CHUNK_BYTES = 64 * 1024

export class Texts {
  /** The texts that were kept last begin at byte `start` of `bytes`. */
  bytes: Buffer = Buffer.alloc(0)
  start = 0
  #end = 0

  /** Keeps texts that are packed already, `bytes[start, end)`. */
  keepPacked(bytes: Buffer, start: number, end: number): void {
    this.#reserve(end - start)
    bytes.copy(this.bytes, this.start, start, end)
    this.#end = this.start + end - start
  }

  /** Packs texts and keeps them. */
  keep(...texts: string[]): void {
    let bytesMax = 0
    for (const text of texts) bytesMax += HEADER_BYTES_MAX + 3 * text.length
    this.#reserve(bytesMax)
    this.#end = this.start
    for (const text of texts) this.#end = writeText(this.bytes, this.#end, text)
  }

  #reserve(bytes: number): void {
    if (this.#end + bytes > this.bytes.length) {
      this.bytes = Buffer.allocUnsafeSlow(Math.max(bytes, CHUNK_BYTES))
      this.#end = 0
    }
    this.start = this.#end
  }
}
