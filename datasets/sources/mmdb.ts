/**
 * The data section of a MaxMind DB file, walked from end to end. The search tree in front of it, which leads from
 * addresses to records, is not needed here. Format: maxmind.github.io/MaxMind-DB, version 2.
 *
 *   search tree | 16 zero bytes | data section | "\xAB\xCD\xEFMaxMind.com" | metadata
 */
import { kept } from '../lists.ts'

const METADATA_START = Buffer.from('\xab\xcd\xefMaxMind.com', 'latin1')
const DATA_SEPARATOR_BYTES = 16
/** Added to a pointer of 1, 2 or 3 bytes after its control byte, so that no two lengths can say the same. */
const POINTER_BASE = [0, 2048, 526_336, 0]

export type MmdbValue = string | number | boolean | MmdbValue[] | { [key: string]: MmdbValue }

/** Returns the top-level records of `file`, which `readPackageFile` has compared with its checksum. */
export function* mmdbRecords(file: Buffer): Iterable<MmdbValue> {
  const metadataStart = file.lastIndexOf(METADATA_START)
  const metadata = metadataStart + METADATA_START.length
  const meta = new Decoder(file, metadata, metadata).next() as Record<string, number>
  const dataStart = (meta.node_count * meta.record_size) / 4 + DATA_SEPARATOR_BYTES
  const decoder = new Decoder(file.subarray(0, metadataStart), dataStart, dataStart)
  while (decoder.position < metadataStart) yield decoder.next()
}

class Decoder {
  position: number
  readonly #file: Buffer
  readonly #pointerOrigin: number
  /** Values that pointers lead to, by position: a few thousand names, shared by half a million records. */
  readonly #shared = new Map<number, MmdbValue>()

  constructor(file: Buffer, pointerOrigin: number, position: number) {
    this.#file = file
    this.#pointerOrigin = pointerOrigin
    this.position = position
  }

  next(): MmdbValue {
    const control = this.#byte()
    let type = control >> 5
    if (type === 0) type = 7 + this.#byte()
    return type === 1 ? this.#pointer(control) : this.#value(type, this.#size(control & 31))
  }

  #pointer(control: number): MmdbValue {
    const length = (control >> 3) & 3
    const high = length === 3 ? 0 : (control & 7) * 256 ** (length + 1)
    const at = this.#pointerOrigin + high + this.#uint(length + 1) + POINTER_BASE[length]
    return kept(this.#shared, at, () => {
      const back = this.position
      this.position = at
      const value = this.next()
      this.position = back
      return value
    })
  }

  #size(small: number): number {
    if (small < 29) return small
    return small === 29 ? 29 + this.#uint(1) : small === 30 ? 285 + this.#uint(2) : 65_821 + this.#uint(3)
  }

  #value(type: number, size: number): MmdbValue {
    switch (type) {
      case 2:
        return this.#take(size).toString('utf8')
      case 3:
        return this.#take(size).readDoubleBE()
      case 5:
      case 6:
      case 8:
      case 9:
        return this.#uint(size)
      case 7: {
        const map: Record<string, MmdbValue> = {}
        for (let i = 0; i < size; i++) map[String(this.next())] = this.next()
        return map
      }
      case 11:
        return Array.from({ length: size }, () => this.next())
      case 14:
        return size !== 0
      default:
        throw new Error(
          `mmdb: type ${type} at byte ${this.position}; types 1 to 14 but 4, 10, 12, 13 are read`,
        )
    }
  }

  #uint(bytes: number): number {
    let value = 0
    for (let i = 0; i < bytes; i++) value = value * 256 + this.#byte()
    return value
  }

  #byte(): number {
    return this.#file[this.position++]
  }

  #take(bytes: number): Buffer {
    this.position += bytes
    return this.#file.subarray(this.position - bytes, this.position)
  }
}
