/**
 * The data section of a MaxMind DB file, walked from end to end. The search tree in front of it, which leads from
 * addresses to records, is not needed here. Format: maxmind.github.io/MaxMind-DB, version 2.
 *
 *   search tree | 16 zero bytes | data section | "\xAB\xCD\xEFMaxMind.com" | metadata
 */
const METADATA_START = Buffer.from('\xab\xcd\xefMaxMind.com', 'latin1')
const DATA_SEPARATOR_BYTES = 16
/** Added to a pointer of 1, 2 or 3 bytes after its control byte, so that no two lengths can say the same. */
const POINTER_BASE = [0, 2048, 526_336, 0]

export type MmdbValue = string | number | boolean | MmdbValue[] | { [key: string]: MmdbValue }

/** Maps within maps and pointers to them; GeoLite2's records have four levels, a damaged pointer may lead in a circle. */
const DEPTH_MAX = 32

/** Every top-level record of `file`. @throws when the file is not a MaxMind DB, or its structure is damaged. */
export function* mmdbRecords(file: Buffer): Iterable<MmdbValue> {
  const metadataStart = file.lastIndexOf(METADATA_START)
  if (metadataStart < 0) throw new Error('mmdb: no metadata; the file is not a MaxMind DB or is cut short')
  const metadata = metadataStart + METADATA_START.length
  const meta = new Decoder(file, metadata, metadata).next() as Record<string, number>
  const dataStart = (meta.node_count * meta.record_size) / 4 + DATA_SEPARATOR_BYTES
  if (!(dataStart <= metadataStart))
    throw new Error(
      `mmdb: data begins at byte ${dataStart}, its end at ${metadataStart}; the file is damaged`,
    )
  const decoder = new Decoder(file.subarray(0, metadataStart), dataStart, dataStart)
  while (decoder.position < metadataStart) yield decoder.next()
}

class Decoder {
  position: number
  readonly #file: Buffer
  readonly #pointerOrigin: number
  /** Values that pointers lead to, by position: a few thousand names, shared by half a million records. */
  readonly #shared = new Map<number, MmdbValue>()
  #depth = 0

  constructor(file: Buffer, pointerOrigin: number, position: number) {
    this.#file = file
    this.#pointerOrigin = pointerOrigin
    this.position = position
  }

  next(): MmdbValue {
    if (++this.#depth > DEPTH_MAX) throw this.#damage(`more than ${DEPTH_MAX} values within each other`)
    const control = this.#byte()
    let type = control >> 5
    if (type === 0) type = 7 + this.#byte()
    const value = type === 1 ? this.#pointer(control) : this.#value(type, this.#size(control & 31))
    this.#depth--
    return value
  }

  #pointer(control: number): MmdbValue {
    const length = (control >> 3) & 3
    const high = length === 3 ? 0 : (control & 7) * 256 ** (length + 1)
    const at = this.#pointerOrigin + high + this.#uint(length + 1) + POINTER_BASE[length]
    const known = this.#shared.get(at)
    if (known !== undefined) return known
    const back = this.position
    this.position = at
    const value = this.next()
    this.position = back
    this.#shared.set(at, value)
    return value
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
        if (size !== 8) throw this.#damage(`a double of ${size} bytes`)
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
        throw this.#damage(`unknown type ${type}`)
    }
  }

  #uint(bytes: number): number {
    let value = 0
    for (let i = 0; i < bytes; i++) value = value * 256 + this.#byte()
    return value
  }

  #byte(): number {
    if (this.position >= this.#file.length) throw this.#damage('the end')
    return this.#file[this.position++]
  }

  #take(bytes: number): Buffer {
    this.position += bytes
    if (this.position > this.#file.length) throw this.#damage('the end')
    return this.#file.subarray(this.position - bytes, this.position)
  }

  #damage(found: string): Error {
    return new Error(`mmdb: ${found} at byte ${this.position}; the file is damaged`)
  }
}
