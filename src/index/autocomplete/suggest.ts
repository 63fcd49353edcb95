/**
 * The names that somebody who is typing may mean: first a name that is what was typed, then the larger before the smaller, then in
 * alphabetical order. Blocks of names are opened in the order of the largest that they may have, each at most once.
 */
import { NAME_FANOUT, sizeClass } from '../../format/name-order.ts'
import { nameText } from '../../text/city.ts'
import { runOf } from '../cities/city-names.ts'
import { aliasPlaces, placeCodeCount } from '../codes/code-view.ts'
import type { Country } from '../country.ts'
import type { PostalIndex } from '../postal-index.ts'
import { plainText } from '../text-section.ts'
import { entryAt, type NameList, nameLists } from './name-list.ts'
import { type NameRange, nameOffsetOf, rangeOf } from './name-range.ts'
import { beginningsOf } from './typed-name.ts'

export interface Suggestion {
  /** Offset of the name in TEXT. */
  readonly name: number
  readonly places: readonly number[]
  /** Codes of the places together; a code of two of them counts twice. */
  readonly codes: number
}

/** A block of names, or with level -1 one name, that waits for its turn. */
interface Waiting {
  readonly size: number
  /** First place of the order in it. */
  readonly position: number
  readonly level: number
  readonly range: NameRange
  /** Of one name. */
  readonly found?: Found
}

interface Found {
  readonly entry: number
  readonly places: readonly number[]
  readonly codes: number
}

/**
 * At most `limit` names of `country` that `typed` may become; undefined when the index cannot tell, because it was built before it
 * had the section NAME. @throws DamagedIndexError
 */
export function suggestNames(
  index: PostalIndex,
  country: Country,
  typed: string,
  limit: number,
): Suggestion[] | undefined {
  const list = nameLists(index).get(country.cc)
  if (list === undefined) return undefined
  const beginnings = beginningsOf(typed)
  const suggestions: Suggestion[] = []
  const add = (found: Found) => suggestions.push(suggestionOf(index, country, found))
  const queue = new Queue()
  const exact = new Set<number>()
  const whole = nameText(typed)
  for (const beginning of beginnings) {
    const range = rangeOf(index, country, list, beginning)
    if (beginning.text === whole) {
      // In the order of texts, what is equal to the beginning comes first.
      for (let at = range.start; at < range.end && suggestions.length < limit; at++) {
        const found = nameAt(index, country, list, at)
        if (nameText(plainText(index.text, nameOffsetOf(index, country, found.entry))) !== whole) break
        exact.add(at)
        add(found)
      }
    }
    pushTop(index, list, range, queue)
  }
  while (suggestions.length < limit) {
    const next = queue.pop()
    if (next === undefined) break
    if (next.found !== undefined) add(next.found)
    else open(index, country, list, next, queue, exact)
  }
  return suggestions
}

/** Puts the one block of the highest level into the queue. */
function pushTop({ names }: PostalIndex, list: NameList, range: NameRange, queue: Queue): void {
  if (range.start === range.end) return
  const level = list.levelsAt.length - 1
  queue.push({ size: sizeOf(names, list, level, 0), position: range.start, level, range })
}

function sizeOf(names: Uint32Array, { levelsAt }: NameList, level: number, block: number): number {
  const at = levelsAt[level] + block
  return (names[at >>> 2] >>> ((at & 3) << 3)) & 0xff
}

/** Puts what a block holds into the queue. */
function open(
  index: PostalIndex,
  country: Country,
  list: NameList,
  { position, level, range }: Waiting,
  queue: Queue,
  exact: ReadonlySet<number>,
): void {
  const span = NAME_FANOUT ** level
  const first = Math.floor(position / (span * NAME_FANOUT)) * NAME_FANOUT
  for (let part = first; part < first + NAME_FANOUT; part++) {
    const start = Math.max(range.start, part * span)
    if (start >= Math.min(range.end, (part + 1) * span)) continue
    if (level > 0) {
      const size = sizeOf(index.names, list, level - 1, part)
      queue.push({ size, position: start, level: level - 1, range })
    } else if (!exact.has(start)) {
      const found = nameAt(index, country, list, start)
      queue.push({ size: sizeClass(found.codes), position: start, level: -1, range, found })
    }
  }
}

function nameAt(index: PostalIndex, country: Country, list: NameList, position: number): Found {
  const entry = entryAt(index, list, position)
  const { placeStart, placeCount, aliasStart } = country.meta
  const places =
    entry < placeCount
      ? runOf(index, country, placeStart + entry)
      : aliasPlaces(index, country, aliasStart + entry - placeCount)
  return { entry, places, codes: places.reduce((sum, place) => sum + placeCodeCount(index, place), 0) }
}

function suggestionOf(index: PostalIndex, country: Country, { entry, places, codes }: Found): Suggestion {
  return { name: nameOffsetOf(index, country, entry), places, codes }
}

/** Largest first, then by position. Holds some hundred at a time. */
class Queue {
  readonly #items: Waiting[] = []

  push(item: Waiting): void {
    const items = this.#items
    let at = items.length
    items.push(item)
    while (at > 0) {
      const parent = (at - 1) >> 1
      if (!isBefore(item, items[parent])) break
      items[at] = items[parent]
      at = parent
    }
    items[at] = item
  }

  pop(): Waiting | undefined {
    const items = this.#items
    const top = items[0]
    const last = items.pop()
    if (last === undefined || items.length === 0) return top
    let at = 0
    for (;;) {
      let child = at * 2 + 1
      if (child >= items.length) break
      if (child + 1 < items.length && isBefore(items[child + 1], items[child])) child++
      if (!isBefore(items[child], last)) break
      items[at] = items[child]
      at = child
    }
    items[at] = last
    return top
  }
}

function isBefore(one: Waiting, other: Waiting): boolean {
  if (one.size !== other.size) return one.size > other.size
  return one.position < other.position || (one.position === other.position && one.level > other.level)
}
