/** The TEXT section: strings, escaped for JSON. Each is stored once, except the names of codes' places. */
import { getOrMake } from '../../datasets/maps.ts'
import { type NameHead, packNameHead } from '../../src/format/admin-entry.ts'
import { TEXT_FIELD_BYTES_MAX, TEXT_SECTION_BYTES_MAX } from '../../src/format/layout.ts'
import { ByteWriter } from './byte-writer.ts'

export class TextPool {
  /** Offsets of the strings. */
  readonly #known = new Map<string, number>()
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
    return getOrMake(this.#known, escaped, () => this.#append(escaped))
  }

  /**
   * Appends the name of a place that codes answer with, after its head: an answer then finds both in one place.
   * @returns offset of the name, as `add` would
   * @throws RangeError past 2 GiB
   */
  addName(name: string, head: NameHead): number {
    const escaped = escapedForJson(name)
    this.#out.append(packNameHead(head))
    const offset = this.#append(escaped)
    getOrMake(this.#known, escaped, () => offset)
    return offset
  }

  /** @throws RangeError when a text is longer than a field may be, or the section would be */
  #append(escaped: string): number {
    const bytes = Buffer.from(escaped)
    if (bytes.length > TEXT_FIELD_BYTES_MAX)
      throw new RangeError(
        `a text of ${bytes.length} bytes was found, at most ${TEXT_FIELD_BYTES_MAX} expected: ${escaped.slice(0, 60)}…; correct the source`,
      )
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

/** Characters that JSON escapes in a string, halves of characters included. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what it looks for.
const ESCAPED = /["\\\0-\x1f\ud800-\udfff]/

/** `text` as the inside of a JSON string. */
function escapedForJson(text: string): string {
  return ESCAPED.test(text) ? JSON.stringify(text).slice(1, -1) : text
}
