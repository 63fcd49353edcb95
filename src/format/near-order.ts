/**
 * An order in which neighbours lie near each other, so that the boxes around each few that follow each other are small. Points are
 * halved across their longer side again and again, at a place where a whole number of boxes of every level ends (as flatbush and
 * kdbush do, and "OMT: Overlap Minimizing Top-down Bulk Loading", Lee and Lee 2003).
 */
import { NEAR_FANOUT } from './near-tree.ts'

const RADIANS = Math.PI / 180 / 1_000_000

/**
 * Numbers of the points in that order; those of points at one place ascend. The same points always give the same order.
 * @param norths millionths of a degree, as `easts`
 */
export function nearOrder(norths: Int32Array, easts: Int32Array): Uint32Array {
  const order = Uint32Array.from(norths, (_, i) => i)
  // A coordinate and the point's number in one, which are exact: no two are the same.
  const rows = Float64Array.from(norths, (north, i) => north * norths.length + i)
  const columns = Float64Array.from(easts, (east, i) => east * easts.length + i)
  /** Ranges that are still to be halved: start, end, start, end, … */
  const ranges = [0, norths.length]
  while (ranges.length > 0) {
    const end = ranges.pop() as number
    const start = ranges.pop() as number
    const count = end - start
    if (count <= NEAR_FANOUT) {
      order.subarray(start, end).sort()
      continue
    }
    let unit = NEAR_FANOUT
    while (unit * NEAR_FANOUT < count) unit *= NEAR_FANOUT
    const middle = start + Math.floor(Math.ceil(count / unit) / 2) * unit
    select(order, isTaller(order, start, end, norths, easts) ? rows : columns, start, end - 1, middle)
    ranges.push(start, middle, middle, end)
  }
  return order
}

/** Whether the points of `order[start, end)` reach farther from south to north than from west to east. */
function isTaller(
  order: Uint32Array,
  start: number,
  end: number,
  norths: Int32Array,
  easts: Int32Array,
): boolean {
  let [south, north, west, east] = [
    norths[order[start]],
    norths[order[start]],
    easts[order[start]],
    easts[order[start]],
  ]
  for (let i = start + 1; i < end; i++) {
    const up = norths[order[i]]
    const along = easts[order[i]]
    if (up < south) south = up
    else if (up > north) north = up
    if (along < west) west = along
    else if (along > east) east = along
  }
  return north - south > (east - west) * Math.cos(((south + north) / 2) * RADIANS)
}

/**
 * Reorders `order[first, last]` so that what comes before place `middle` has values no greater, and what follows none smaller, than
 * what stands there. Hoare's selection with the middle one of three as pivot.
 */
function select(order: Uint32Array, values: Float64Array, first: number, last: number, middle: number): void {
  let low = first
  let high = last
  while (low < high) {
    const pivot = median(values[order[low]], values[order[(low + high) >>> 1]], values[order[high]])
    let left = low
    let right = high
    while (left <= right) {
      while (values[order[left]] < pivot) left++
      while (values[order[right]] > pivot) right--
      if (left > right) break
      const other = order[left]
      order[left++] = order[right]
      order[right--] = other
    }
    if (middle <= right) high = right
    else if (middle >= left) low = left
    else return
  }
}

function median(one: number, two: number, three: number): number {
  return Math.max(Math.min(one, two), Math.min(Math.max(one, two), three))
}
