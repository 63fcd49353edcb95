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

/** Costs some comparisons of whole numbers, and the texts of six names or more: a fifth of a microsecond each. */
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
    let lowBlock = Math.floor(from / NAME_FANOUT) + 1
    let highBlock = Math.ceil(list.count / NAME_FANOUT)
    while (lowBlock < highBlock) {
      const block = (lowBlock + highBlock) >>> 1
      const position = block * NAME_FANOUT
      let order = compareLead(index, list, block, beginning)
      if (order === UNSURE) order = compare(index, country, list, position, beginning)
      if (order >= least) {
        highBlock = block
        high = position
      } else lowBlock = block + 1
    }
    low = Math.max(from, (lowBlock - 1) * NAME_FANOUT)
  }
  while (low < high) {
    const middle = (low + high) >>> 1
    if (compare(index, country, list, middle, beginning) >= least) high = middle
    else low = middle + 1
  }
  return low
}

/** In place of an order: the first units are alike. */
const UNSURE = 2

/** As `compare` for the first name of a block, from its first units alone. */
function compareLead(
  { leads }: PostalIndex,
  { leadsAt }: NameList,
  block: number,
  { text, isWhole }: Beginning,
): number {
  const at = leadsAt + block * LEAD_WORDS
  const units = Math.min(LEAD_UNITS, text.length)
  for (let unit = 0; unit < units; unit++) {
    const word = leads[at + (unit >>> 1)]
    const order = ((unit & 1) === 0 ? word >>> 16 : word & 0xffff) - text.charCodeAt(unit)
    if (order !== 0) return order < 0 ? -1 : 1
  }
  return isWhole || text.length > LEAD_UNITS ? UNSURE : 0
}

/** Offset in TEXT of the name of an entry. @throws DamagedIndexError when the country has no such entry */
export function nameOffsetOf({ places, aliases }: PostalIndex, { cc, meta }: Country, entry: number): number {
  if (entry < meta.placeCount) return places[(meta.placeStart + entry) * PLACE_WORDS + PLACE_NAME]
  const alias = entry - meta.placeCount
  if (alias >= meta.aliasCount) damaged(`NAME has the entry ${entry}, which ${cc} does not have`)
  return aliases[(meta.aliasStart + alias) * ALIAS_WORDS + ALIAS_NAME]
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
  const length = foldSpaced(index.text, offset)
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
