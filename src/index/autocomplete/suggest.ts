/**
 * The names that somebody who is typing may mean: first a name that is what was typed, then the larger before the smaller, then in
 * alphabetical order. Of the names of the same places one is suggested, their own where that begins so. Blocks of names are opened in
 * the order of the largest that they may have, each at most once.
 */
import { markSize, NAME_FANOUT, NAME_FANOUT_BITS, sizeClass } from '../../format/name-order.ts'
import type { Country } from '../country.ts'
import { damaged } from '../index-file-error.ts'
import { MinHeap } from '../min-heap.ts'
import type { PostalIndex } from '../postal-index.ts'
import { entryAt, markAt, type NameList, nameLists } from './name-list.ts'
import { isText, type NameRange, rangeOf } from './name-range.ts'
import { entryCodes } from './name-size.ts'
import { isCovered, ownEntry } from './own-name.ts'
import { type Suggestion, suggestionOf } from './suggestion.ts'
import { type Beginning, typedName } from './typed-name.ts'

/** Above every position, of which there are 2^24. */
const POSITIONS = 2 ** 24
const SIZE_MAX = 255
/** Level of a single name; a block of level n has 8^n names. */
const ONE_NAME = 0

/** What waits for its turn: the position, range and level of a block or name. Reused, and empty between two searches. */
const queue = new MinHeap()

/**
 * At most `limit` names of `country` that `typed` may become; undefined when the index cannot tell, because it was built before it
 * had the section NAME. Some microseconds. @throws DamagedIndexError
 */
export function suggestNames(
  index: PostalIndex,
  country: Country,
  typed: string,
  limit: number,
): Suggestion[] | undefined {
  const list = nameLists(index).get(country.cc)
  if (list === undefined) return undefined
  const { placeCount, aliasCount } = country.meta
  if (list.count > placeCount + aliasCount)
    damaged(`NAME has ${list.count} names of ${country.cc}, at most ${placeCount + aliasCount} expected`)
  const found: Suggestion[] = []
  /** Positions before it are names that were typed in full, from the start of its range on. */
  let exact: NameRange = { start: 0, end: 0 }
  const { whole, beginnings } = typedName(typed)
  const ranges: NameRange[] = []
  for (const beginning of beginnings) {
    const range = rangeOf(index, country, list, beginning)
    if (beginning.text === whole)
      exact = { start: range.start, end: exactEnd(index, country, list, range, whole, limit) }
    ranges.push(range)
  }
  for (let at = exact.start; at < exact.end && found.length < limit; at++) {
    const own = ownEntry(index, country, list, beginnings, at)
    suggest(index, country, own < 0 ? entryAt(index, list, at) : own, found)
  }
  queue.length = 0
  const top = list.levelsAt.length
  for (let range = 0; range < ranges.length; range++) {
    const { start, end } = ranges[range]
    if (start < end) queue.push(keyOf(blockSize(index, list, top, 0), start), start, range, top)
  }
  while (found.length < limit && queue.length > 0) {
    queue.pop()
    const { first: position, second: range, third: level } = queue
    if (level > ONE_NAME) open(index, country, list, position, level, ranges[range], range, beginnings)
    else if (
      (position < exact.start || position >= exact.end) &&
      ownEntry(index, country, list, beginnings, position) < 0
    )
      suggest(index, country, entryAt(index, list, position), found)
  }
  return found
}

/** Where the first `limit` names that were typed in full end: they come first among those that begin so. */
function exactEnd(
  index: PostalIndex,
  country: Country,
  list: NameList,
  { start, end }: NameRange,
  whole: string,
  limit: number,
): number {
  let at = start
  while (at < Math.min(end, start + limit) && isText(index, country, list, at, whole)) at++
  return at
}

/** Smaller for what comes first. */
function keyOf(size: number, position: number): number {
  return (SIZE_MAX - size) * POSITIONS + position
}

/** Size of the largest name of a block. @param level at least 1 */
function blockSize({ names }: PostalIndex, { levelsAt }: NameList, level: number, block: number): number {
  const at = levelsAt[level - 1] + block
  return (names[at >>> 2] >>> ((at & 3) << 3)) & 0xff
}

/** Puts what the block of `position` holds, as far as it lies in the range, into the queue. */
function open(
  index: PostalIndex,
  country: Country,
  list: NameList,
  position: number,
  level: number,
  { start, end }: NameRange,
  range: number,
  beginnings: readonly Beginning[],
): void {
  const span = 1 << (NAME_FANOUT_BITS * (level - 1))
  const first = Math.floor(position / (span * NAME_FANOUT)) * NAME_FANOUT
  const last = Math.min(first + NAME_FANOUT, Math.ceil(end / span))
  for (let part = Math.max(first, Math.floor(start / span)); part < last; part++) {
    // Its place is suggested under its own name.
    if (level === 1 && isCovered(index, list, beginnings, part) === true) continue
    const size = level > 1 ? blockSize(index, list, level - 1, part) : nameSize(index, country, list, part)
    const from = Math.max(start, part * span)
    queue.push(keyOf(size, from), from, range, level - 1)
  }
}

/** Size class of a name. */
function nameSize(index: PostalIndex, country: Country, list: NameList, position: number): number {
  if (list.marksAt >= 0) return markSize(markAt(index, list, position))
  return sizeClass(entryCodes(index, country, entryAt(index, list, position)))
}

/** Appends what an entry stands for, unless `found` has the same places. */
function suggest(index: PostalIndex, country: Country, entry: number, found: Suggestion[]): void {
  const suggestion = suggestionOf(index, country, entry)
  const { aliased } = suggestion
  for (const other of found) {
    if (other.entry === entry) return
    if (aliased.length > 0 && areEqual(other.aliased, aliased)) return
  }
  found.push(suggestion)
}

/** Whether two lists of places, which ascend, are the same. */
function areEqual(one: readonly number[], other: readonly number[]): boolean {
  return one.length === other.length && one.every((place, i) => place === other[i])
}
