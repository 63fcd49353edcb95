/** Reads records of a MaxMind DB without its search tree. */
import decoder from 'mmdb-lib/lib/decoder.js'
import { addTo } from '../maps.ts'

const METADATA_START = Buffer.from('\xab\xcd\xefMaxMind.com', 'latin1')
/** Zeros between the search tree and the records. */
const SEPARATOR_BYTES = 16

/** Records of a file whose checksum has been compared. */
export class MmdbRecords {
  readonly #file: Buffer
  readonly #start: number
  readonly #end: number
  readonly #decoder: InstanceType<typeof decoder.default>

  constructor(file: Buffer) {
    this.#file = file
    this.#end = file.lastIndexOf(METADATA_START)
    const metadata = this.#end + METADATA_START.length
    const { value } = new decoder.default(file, metadata).decode(metadata)
    this.#start = (value.node_count * value.record_size) / 4 + SEPARATOR_BYTES
    // Half a million records share a few thousand names.
    this.#decoder = new decoder.default(file, this.#start, new Map())
  }

  /** Returns the offsets of records by country, without decoding the records. */
  byCountry(): Map<string, number[]> {
    const found = new Map<string, number[]>()
    for (let at = this.#start; at < this.#end; ) {
      const { size: pairs, content } = headAt(this.#file, at)
      let next = content
      for (let pair = 0; pair < pairs; pair++) {
        const key = this.#decoder.decode(next)
        if (key.value === 'country') {
          const { iso_code } = this.record(key.offset) as { iso_code?: string }
          if (iso_code !== undefined) addTo(found, iso_code, at)
        }
        next = after(this.#file, key.offset)
      }
      at = next
    }
    return found
  }

  record(at: number): unknown {
    return this.#decoder.decode(at).value
  }
}

const POINTER = 1
const MAP = 7
const ARRAY = 11
const BOOLEAN = 14

/** Returns type and size of the value at `at`, which is no pointer, and the offset of its content. */
function headAt(file: Buffer, at: number): { type: number; size: number; content: number } {
  let content = at + 1
  const type = file[at] >> 5 || 7 + file[content++]
  const short = file[at] & 31
  if (short < 29) return { type, size: short, content }
  const bytes = short - 28
  return {
    type,
    size: [29, 285, 65_821][bytes - 1] + file.readUIntBE(content, bytes),
    content: content + bytes,
  }
}

/** Returns the offset after the value at `at`. */
function after(file: Buffer, at: number): number {
  if (file[at] >> 5 === POINTER) return at + 2 + ((file[at] >> 3) & 3)
  const { type, size, content } = headAt(file, at)
  if (type === BOOLEAN) return content
  if (type !== MAP && type !== ARRAY) return content + size
  let next = content
  for (let values = type === MAP ? 2 * size : size; values > 0; values--) next = after(file, next)
  return next
}
