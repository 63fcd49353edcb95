/** The TEXT section: strings, escaped for JSON. Each is stored once, except the names of codes' places. */
import { packNameAdmin } from '../../src/format/admin-entry.ts'
import { TEXT_FIELD_BYTES_MAX, TEXT_SECTION_BYTES_MAX } from '../../src/format/layout.ts'
import { ByteWriter } from './byte-writer.ts'

export class TextPool {
  readonly #offsets = new Map<string, number>()
  readonly #out = new ByteWriter()
  #count = 0

  constructor() {
    this.add('')
  }

  /** Offset of `text` as the inside of a JSON string. */
  add(text: string): number {
    return this.addRaw(escapedForJson(text))
  }

  /** Offset of text that goes out as it is, such as the members of a JSON object. @throws RangeError past 2 GiB */
  addRaw(escaped: string): number {
    const known = this.#offsets.get(escaped)
    if (known !== undefined) return known
    const offset = this.#append(escaped)
    this.#offsets.set(escaped, offset)
    return offset
  }

  /**
   * Appends the name of a place that codes answer with, after its index into ADMN: an answer then finds both in one place.
   * @returns offset of the name, as `add` would
   * @throws RangeError past 2 GiB
   */
  addName(name: string, admin: number): number {
    const escaped = escapedForJson(name)
    this.#out.append(packNameAdmin(admin))
    const offset = this.#append(escaped)
    if (!this.#offsets.has(escaped)) this.#offsets.set(escaped, offset)
    return offset
  }

  #append(escaped: string): number {
    const offset = this.#out.length
    const bytes = Buffer.from(escaped)
    if (bytes.length > TEXT_FIELD_BYTES_MAX) {
      throw new RangeError(
        `a text of ${bytes.length} bytes was found, at most ${TEXT_FIELD_BYTES_MAX} expected: ${escaped.slice(0, 60)}…; correct the source`,
      )
    }
    if (offset + bytes.length + 5 > TEXT_SECTION_BYTES_MAX) {
      throw new RangeError(
        `TEXT holds at most ${TEXT_SECTION_BYTES_MAX} bytes; build fewer countries or fewer aliases`,
      )
    }
    this.#out.varint(bytes.length)
    this.#out.append(bytes)
    this.#count++
    return offset
  }

  /** Bytes so far. */
  get length(): number {
    return this.#out.length
  }

  /** Strings so far. */
  get count(): number {
    return this.#count
  }

  bytes(): Uint8Array {
    return this.#out.bytes()
  }
}

/** `text` as the inside of a JSON string. */
function escapedForJson(text: string): string {
  return JSON.stringify(text).slice(1, -1)
}
