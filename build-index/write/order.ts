import { KEY_LENGTH_SLOTS, lengthSlot } from '../../src/format/city-hash.ts'

/** Compares by UTF-16 units, not by locale, so that every machine builds the same bytes. */
export function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

export function compareKeys(a: { key: string }, b: { key: string }): number {
  return a.key.length - b.key.length || compareText(a.key, b.key)
}

/** Returns the first index of each key length, and the end, counted from `start`. */
export function lengthStarts(sorted: readonly { key: string }[], start: number): number[] {
  const starts: number[] = []
  let at = 0
  for (let slot = 0; slot < KEY_LENGTH_SLOTS; slot++) {
    while (at < sorted.length && lengthSlot(sorted[at].key.length) < slot) at++
    starts.push(start + at)
  }
  starts.push(start + sorted.length)
  return starts
}
