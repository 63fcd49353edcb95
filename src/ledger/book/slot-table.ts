/** Entries of a table: the check of a text, and its slot plus 1, so that 0 is empty. */
const ENTRY = 2
const ENTRIES_MIN = 64
/** Entries are in no order, so moving one costs a read of distant memory: it is done seldom. */
const GROWTH = 4

/** Whether a slot that was set has the text `bytes[start, end)`. */
type IsText = (slot: number, bytes: Uint8Array, start: number, end: number) => boolean

/**
 * From a text to a slot, in eight bytes for each and outside the heap of JavaScript. The texts stay where their records
 * have them. Nobody outside can choose them: they are random ids and hashes. Cost: a pass over the text and a probe.
 */
export class SlotTable {
  #entries = new Int32Array(ENTRIES_MIN * ENTRY)
  #used = 0
  readonly #isText: IsText

  constructor(isText: IsText) {
    this.#isText = isText
  }

  /** The slot of the text `bytes[start, end)`, or -1. */
  find(bytes: Uint8Array, start: number, end: number): number {
    return this.#entries[this.#probe(bytes, start, end, checkOf(bytes, start, end)) + 1] - 1
  }

  /** Replaces the slot of an equal text. */
  set(bytes: Uint8Array, start: number, end: number, slot: number): void {
    if (this.#used * 2 * ENTRY >= this.#entries.length) this.#grow()
    const check = checkOf(bytes, start, end)
    const entry = this.#probe(bytes, start, end, check)
    if (this.#entries[entry + 1] === 0) this.#used++
    this.#entries[entry] = check
    this.#entries[entry + 1] = slot + 1
  }

  /** The entry of the text, or the empty one where it belongs. */
  #probe(bytes: Uint8Array, start: number, end: number, check: number): number {
    const entries = this.#entries
    const mask = entries.length - 1
    let entry = (check * ENTRY) & mask
    while (entries[entry + 1] !== 0) {
      if (entries[entry] === check && this.#isText(entries[entry + 1] - 1, bytes, start, end)) return entry
      entry = (entry + ENTRY) & mask
    }
    return entry
  }

  #grow(): void {
    const old = this.#entries
    const entries = new Int32Array(old.length * GROWTH)
    const mask = entries.length - 1
    for (let from = 0; from < old.length; from += ENTRY) {
      if (old[from + 1] === 0) continue
      let to = (old[from] * ENTRY) & mask
      while (entries[to + 1] !== 0) to = (to + ENTRY) & mask
      entries[to] = old[from]
      entries[to + 1] = old[from + 1]
    }
    this.#entries = entries
  }
}

/** Multiplies byte by byte into 32 bits (FNV-1a), and mixes the high ones into the low ones, which find the entry. */
function checkOf(bytes: Uint8Array, start: number, end: number): number {
  let check = 0x811c9dc5
  for (let at = start; at < end; at++) check = Math.imul(check ^ bytes[at], 0x01000193)
  return check ^ (check >>> 15)
}
