/** The TEXT section: strings escaped for JSON, each stored once, except names in answers. */
import { getOrMake } from '../../datasets/maps.ts'
import { type NameHead, packNameHead } from '../../src/postal/format/admin-entry.ts'
import { TEXT_FIELD_BYTES_MAX, TEXT_SECTION_BYTES_MAX } from '../../src/postal/format/layout.ts'
import { ByteWriter } from './byte-writer.ts'

export class TextPool {
  readonly #known = new Map<string, number>()
  readonly #out = new ByteWriter()

  constructor() {
    this.add('')
  }

  /** Returns the offset of `text` as the inside of a JSON string. */
  add(text: string): number {
    return this.addRaw(escapedForJson(text))
  }

  /** Returns the offset of text that is not escaped, such as members of a JSON object. */
  addRaw(escaped: string): number {
    return getOrMake(this.#known, escaped, () => this.#append(escaped))
  }

  /** Appends a name for answers after its head, and returns its offset: an answer finds both in one place. */
  addName(name: string, head: NameHead): number {
    const escaped = escapedForJson(name)
    this.#out.append(packNameHead(head))
    const offset = this.#append(escaped)
    getOrMake(this.#known, escaped, () => offset)
    return offset
  }

  /** @throws RangeError when the text or the section is too long */
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

  get length(): number {
    return this.#out.length
  }

  bytes(): Uint8Array {
    return this.#out.bytes()
  }
}

/** Characters that JSON escapes, including lone surrogates. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what it looks for.
const ESCAPED = /["\\\0-\x1f\ud800-\udfff]/

function escapedForJson(text: string): string {
  return ESCAPED.test(text) ? JSON.stringify(text).slice(1, -1) : text
}
