/** Finds where names with a beginning lie in the order of names, by binary search. */
import { LEAD_UNITS, LEAD_WORDS, NAME_FANOUT } from '../../format/name-order.ts'
import { ALIAS_NAME, ALIAS_WORDS, PLACE_NAME, PLACE_WORDS } from '../../format/place-entry.ts'
import { nameText } from '../../text/city.ts'
import { foldedKey, foldSpaced } from '../cities/name-fold.ts'
import type { Country } from '../country.ts'
import { damaged } from '../index-file-error.ts'
import type { PostalIndex } from '../postal-index.ts'
import { plainText } from '../text-section.ts'
import { entryAt, type NameList } from './name-list.ts'
import type { Beginning } from './typed-name.ts'

const SPACE = 0x20

/** Places of the order from `start` on, without `end`. */
export interface NameRange {
  readonly start: number
  readonly end: number
}

/** Costs some comparisons of whole numbers, and the texts of a few names: a fifth of a microsecond each. */
export function rangeOf(
  index: PostalIndex,
  country: Country,
  list: NameList,
  beginning: Beginning,
): NameRange {
  const start = firstFrom(index, country, list, beginning, 0, 0)
  return { start, end: firstFrom(index, country, list, beginning, start, 1) }
}

/**
 * The first position from `from` on whose name does not come before the beginning (`least` 0), or comes after all that have it (1).
 * Blocks are searched first, by how the first name of each begins, which mostly takes no text.
 */
function firstFrom(
  index: PostalIndex,
  country: Country,
  list: NameList,
  beginning: Beginning,
  from: number,
  least: 0 | 1,
): number {
  let low = from
  let high = list.count
  if (list.leadsAt >= 0) {
    const lowBlock = Math.floor(from / NAME_FANOUT) + 1
    const block = firstBlock(index, country, list, beginning, lowBlock, least)
    if (block < Math.ceil(list.count / NAME_FANOUT)) high = block * NAME_FANOUT
    low = Math.max(from, (block - 1) * NAME_FANOUT)
  }
  while (low < high) {
    const middle = (low + high) >>> 1
    if (compare(index, country, list, middle, beginning) >= least) high = middle
    else low = middle + 1
  }
  return low
}

/** The same for blocks, by their first names. The end of a range is mostly near its start, so for it the steps begin small. */
function firstBlock(
  index: PostalIndex,
  country: Country,
  list: NameList,
  beginning: Beginning,
  from: number,
  least: 0 | 1,
): number {
  const blocks = Math.ceil(list.count / NAME_FANOUT)
  let low = from
  let high = Math.max(from, blocks)
  for (let step = 1; least === 1 && low + step < high; step *= 4) {
    if (compareBlock(index, country, list, low + step - 1, beginning) >= least) high = low + step - 1
    else low += step
  }
  while (low < high) {
    const block = (low + high) >>> 1
    if (compareBlock(index, country, list, block, beginning) >= least) high = block
    else low = block + 1
  }
  return low
}

/** As `compare` for the first name of a block, which mostly takes its first units alone. */
function compareBlock(
  index: PostalIndex,
  country: Country,
  list: NameList,
  block: number,
  beginning: Beginning,
): number {
  const { leads } = index
  const { lead, nextLead, mask, nextMask, text, isWhole } = beginning
  const at = list.leadsAt + block * LEAD_WORDS
  const first = (leads[at] & mask) >>> 0
  if (first !== lead) return first < lead ? -1 : 1
  const second = (leads[at + 1] & nextMask) >>> 0
  if (second !== nextLead) return second < nextLead ? -1 : 1
  if (!isWhole && text.length <= LEAD_UNITS) return 0
  return compare(index, country, list, block * NAME_FANOUT, beginning)
}

/** Offset in TEXT of the name of an entry. @throws DamagedIndexError when the country has no such entry */
export function nameOffsetOf({ places, aliases }: PostalIndex, { cc, meta }: Country, entry: number): number {
  if (entry < meta.placeCount) return places[(meta.placeStart + entry) * PLACE_WORDS + PLACE_NAME]
  const alias = entry - meta.placeCount
  if (alias >= meta.aliasCount) damaged(`NAME has the entry ${entry}, which ${cc} does not have`)
  return aliases[(meta.aliasStart + alias) * ALIAS_WORDS + ALIAS_NAME]
}

/** Whether the text of the name at `position` is `text`. */
export function isText(
  index: PostalIndex,
  country: Country,
  list: NameList,
  position: number,
  text: string,
): boolean {
  const offset = nameOffsetOf(index, country, entryAt(index, list, position))
  const length = foldSpaced(index.text, offset, text.length)
  if (length < 0) return nameText(plainText(index.text, offset)) === text
  if (length !== text.length) return false
  for (let i = 0; i < length; i++) if (foldedKey[i] !== text.charCodeAt(i)) return false
  return true
}

/** Whether the name at `position` comes before those with the beginning (-1), after them (1) or is one (0). */
function compare(
  index: PostalIndex,
  country: Country,
  list: NameList,
  position: number,
  beginning: Beginning,
): number {
  const { text, isWhole } = beginning
  const offset = nameOffsetOf(index, country, entryAt(index, list, position))
  const length = foldSpaced(index.text, offset, text.length)
  if (length < 0) return compareText(nameText(plainText(index.text, offset)), beginning)
  for (let i = 0; i < text.length; i++) {
    if (i === length) return -1
    const order = foldedKey[i] - text.charCodeAt(i)
    if (order !== 0) return order < 0 ? -1 : 1
  }
  return isWhole && length > text.length && foldedKey[text.length] !== SPACE ? 1 : 0
}

/** The same for a text at hand. */
function compareText(name: string, { text, isWhole }: Beginning): number {
  if (!name.startsWith(text)) return name < text ? -1 : 1
  return isWhole && name.length > text.length && name[text.length] !== ' ' ? 1 : 0
}
