/** The TEXT section: strings, escaped for JSON. Each is stored once, except the names of codes' places. */
import { crc32 } from 'node:zlib'
import { type NameHead, packNameHead } from '../../src/format/admin-entry.ts'
import { TEXT_FIELD_BYTES_MAX, TEXT_SECTION_BYTES_MAX } from '../../src/format/layout.ts'
import { ByteWriter } from './byte-writer.ts'

export class TextPool {
  /** Offsets of the strings, by their bytes. */
  readonly #known = new Slots()
  readonly #out = new ByteWriter()

  constructor() {
    this.add('')
  }

  /** Offset of `text` as the inside of a JSON string. */
  add(text: string): number {
    return this.addRaw(escapedForJson(text))
  }

  /** Offset of text that goes out as it is, such as the members of a JSON object. @throws RangeError past 2 GiB */
  addRaw(escaped: string): number {
    const bytes = textBytes(escaped)
    const hash = crc32(bytes)
    const known = this.#find(hash, bytes)
    if (known >= 0) return known
    const offset = this.#append(bytes)
    this.#known.add(hash, offset)
    return offset
  }

  /**
   * Appends the name of a place that codes answer with, after its head: an answer then finds both in one place.
   * @returns offset of the name, as `add` would
   * @throws RangeError past 2 GiB
   */
  addName(name: string, head: NameHead): number {
    const bytes = textBytes(escapedForJson(name))
    const hash = crc32(bytes)
    this.#out.append(packNameHead(head))
    const offset = this.#append(bytes)
    if (this.#find(hash, bytes) < 0) this.#known.add(hash, offset)
    return offset
  }

  #find(hash: number, bytes: Uint8Array): number {
    return this.#known.find(hash, offset => this.#out.hasText(offset, bytes))
  }

  #append(bytes: Uint8Array): number {
    const offset = this.#out.length
    if (offset + bytes.length + 5 > TEXT_SECTION_BYTES_MAX)
      throw new RangeError(
        `TEXT holds at most ${TEXT_SECTION_BYTES_MAX} bytes; build fewer countries or fewer aliases`,
      )
    this.#out.text(bytes)
    return offset
  }

  /** Bytes so far. */
  get length(): number {
    return this.#out.length
  }

  bytes(): Uint8Array {
    return this.#out.bytes()
  }
}

/** `escaped` in UTF-8. @throws RangeError when it is longer than a field may be */
function textBytes(escaped: string): Uint8Array {
  const bytes = Buffer.from(escaped)
  if (bytes.length > TEXT_FIELD_BYTES_MAX)
    throw new RangeError(
      `a text of ${bytes.length} bytes was found, at most ${TEXT_FIELD_BYTES_MAX} expected: ${escaped.slice(0, 60)}…; correct the source`,
    )
  return bytes
}

/** Characters that JSON escapes in a string, halves of characters included. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what it looks for.
const ESCAPED = /["\\\0-\x1f\ud800-\udfff]/

/** `text` as the inside of a JSON string. */
function escapedForJson(text: string): string {
  return ESCAPED.test(text) ? JSON.stringify(text).slice(1, -1) : text
}

/** The number of slots doubles when more than this share is in use. */
const LOAD_MAX = 0.7
const FREE = 0

/** Items by hash, in 8 bytes each: a `Map` of all strings would take most of the memory of a build. */
class Slots {
  /** Item + 1 by slot; the number of slots is a power of two. */
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

  /** Adds an item that `find` did not find: 0 to 2^32 - 2. */
  add(hash: number, item: number): void {
    if (++this.#count > this.#items.length * LOAD_MAX) this.#grow()
    this.#put(hash, item + 1)
  }

  #put(hash: number, itemPlus1: number): void {
    const mask = this.#items.length - 1
    let slot = hash & mask
    while (this.#items[slot] !== FREE) slot = (slot + 1) & mask
    this.#items[slot] = itemPlus1
    this.#hashes[slot] = hash
  }

  #grow(): void {
    const [items, hashes] = [this.#items, this.#hashes]
    this.#items = new Uint32Array(items.length * 2)
    this.#hashes = new Uint32Array(items.length * 2)
    items.forEach((itemPlus1, slot) => {
      if (itemPlus1 !== FREE) this.#put(hashes[slot], itemPlus1)
    })
  }
}
