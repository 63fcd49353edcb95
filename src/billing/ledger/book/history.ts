import { DAY_MS } from '../../../platform/time.ts'
import { USAGE_CLASSES_MAX } from '../meter/meter-layout.ts'
import { packValue, unpackOwn } from '../plain-message-pack.ts'

/** Hours with usage that are kept of each key, for any 48 hours. */
export const HOURS_KEPT = 50
/** Days with usage that are kept of each key, for any 90 days. */
export const DAYS_KEPT = 92

/** Number of newest buckets that stay unpacked. */
const RECENT_MAX = 4

type Bucket = { index: number; queries: number[]; spentMicros: number }

/**
 * The newest `kept` buckets. All but the last few are packed: 142 full buckets take about 1 KB instead of 30.
 * A wrong clock dated a bucket more than a day ahead of the present frame. Its usage moves to that frame's.
 */
export class History {
  readonly #bucketMs: number
  readonly #kept: number
  /** Older buckets, a byte in each character. A short text needs less memory than a small typed array. */
  #packed = EMPTY
  /** Newer buckets, ascending. Empty only without older ones, or before the first usage after a start. */
  #recent: Bucket[] = NONE

  constructor(bucketMs: number, kept: number) {
    this.#bucketMs = bucketMs
    this.#kept = kept
  }

  restore(bytes: Uint8Array): void {
    this.#packed = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1')
    this.#recent = NONE
  }

  packed(): Uint8Array {
    return Buffer.from(this.#recent.length === 0 ? this.#packed : pack(this.#all()), 'latin1')
  }

  add(timeMs: number, queries: readonly number[], micros: number): void {
    addTo(this.#bucket(Math.floor(timeMs / this.#bucketMs)), queries, micros)
  }

  each(visit: (startMs: number, queries: readonly number[], spentMicros: number) => void): void {
    for (const { index, queries, spentMicros } of this.#all())
      visit(index * this.#bucketMs, queries, spentMicros)
  }

  /** Visits without queries, in a third of the time. May begin with up to three buckets more than `kept`. */
  eachSpend(visit: (startMs: number, spentMicros: number) => void): void {
    walk(this.#packed, (index, spentMicros) => visit(index * this.#bucketMs, spentMicros))
    for (const { index, spentMicros } of this.#recent) visit(index * this.#bucketMs, spentMicros)
  }

  spentSince(fromMs: number): number {
    let sum = 0
    this.eachSpend((startMs, spentMicros) => {
      if (startMs >= fromMs) sum += spentMicros
    })
    return sum
  }

  #bucket(index: number): Bucket {
    const newest = this.#recent.at(-1)
    if (newest?.index === index) return newest
    if (newest === undefined || newest.index > index || this.#recent.length >= RECENT_MAX)
      return this.#arrange(index)
    const bucket = emptyBucket(index)
    this.#recent.push(bucket)
    return bucket
  }

  /**
   * Inserts a bucket in order, and returns it unpacked. Days 1, 2 and 9 have buckets, and day 3 comes:
   *
   * 1. Day 9 is more than a day ahead. Its bucket is dropped.
   * 2. A bucket of day 3 is inserted, with the usage of day 9.
   * 3. Days 1 and 2 are packed.
   */
  #arrange(index: number): Bucket {
    const latest = index + DAY_MS / this.#bucketMs
    const all = this.#all()
    const buckets = all.filter(bucket => bucket.index <= latest)
    let at = buckets.findLastIndex(bucket => bucket.index < index) + 1
    if (buckets[at]?.index !== index) buckets.splice(at, 0, emptyBucket(index))
    const bucket = buckets[at]
    for (const { queries, spentMicros } of all.slice(all.findLastIndex(bucket => bucket.index <= latest) + 1))
      addTo(bucket, queries, spentMicros)
    // A bucket older than the kept ones is dropped. The key's sums include it.
    const firstKept = Math.max(0, buckets.length - this.#kept)
    at = Math.max(firstKept, Math.min(at, buckets.length - 1))
    this.#packed = pack(buckets.slice(firstKept, at))
    this.#recent = buckets.slice(at)
    return bucket
  }

  #all(): Bucket[] {
    return [...unpack(this.#packed), ...this.#recent].slice(-this.#kept)
  }
}

const NONE: Bucket[] = []
const EMPTY = packValue([]).toString('latin1')

function addTo(bucket: Bucket, queries: readonly number[], micros: number): void {
  for (let usage = 0; usage < queries.length; usage++) bucket.queries[usage] += queries[usage]
  bucket.spentMicros += micros
}

function emptyBucket(index: number): Bucket {
  return { index, queries: new Array<number>(USAGE_CLASSES_MAX).fill(0), spentMicros: 0 }
}

function pack(buckets: readonly Bucket[]): string {
  const numbers: number[] = []
  let previous = 0
  for (const { index, queries, spentMicros } of buckets) {
    const bitsAt = numbers.push(index - previous, spentMicros, 0) - 1
    for (let usage = 0; usage < queries.length; usage++) {
      if (queries[usage] === 0) continue
      numbers[bitsAt] |= 1 << usage
      numbers.push(queries[usage])
    }
    previous = index
  }
  return packValue(numbers).toString('latin1')
}

function unpack(packed: string): Bucket[] {
  if (packed === EMPTY) return NONE
  const buckets: Bucket[] = []
  walk(packed, (index, spentMicros, numbers, bitsAt) => {
    const bucket = { ...emptyBucket(index), spentMicros }
    let at = bitsAt
    for (let usage = 0; usage < USAGE_CLASSES_MAX; usage++)
      if ((numbers[bitsAt] >> usage) & 1) bucket.queries[usage] = numbers[++at]
    buckets.push(bucket)
  })
  return buckets
}

/** Calls `visit` for each bucket. `numbers[bitsAt]` has a bit for each class whose queries follow. */
function walk(
  packed: string,
  visit: (index: number, spentMicros: number, numbers: readonly number[], bitsAt: number) => void,
): void {
  const [numbers] = unpackOwn(Buffer.from(packed, 'latin1')) as [number[]]
  let index = 0
  for (let at = 0; at < numbers.length; at += 3) {
    index += numbers[at]
    visit(index, numbers[at + 1], numbers, at + 2)
    for (let bits = numbers[at + 2]; bits !== 0; bits &= bits - 1) at++
  }
}
