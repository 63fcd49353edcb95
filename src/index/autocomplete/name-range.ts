/** Finds where names with a beginning lie in the order of names, by binary search. */
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

/** Costs the texts of about twenty names: a fifth of a microsecond each, a whole one where a name has short forms. */
export function rangeOf(
  index: PostalIndex,
  country: Country,
  list: NameList,
  beginning: Beginning,
): NameRange {
  let start = 0
  let depth = 0
  // What is known to come after all that are wanted.
  let after = list.count
  for (let high = list.count; start < high; ) {
    const middle = (start + high) >>> 1
    const order = compareNear(index, country, list, middle, beginning, depth++)
    if (order < 0) start = middle + 1
    else {
      high = middle
      if (order > 0) after = Math.min(after, middle)
    }
  }
  let end = start
  for (let high = after; end < high; ) {
    const middle = (end + high) >>> 1
    if (compare(index, country, list, middle, beginning) > 0) high = middle
    else end = middle + 1
  }
  return { start, end }
}

/** Steps of a search that every search begins with: their texts are kept, which saves three reads of cold memory each. */
const KEPT_DEPTH = 8
const kept = new WeakMap<NameList, Map<number, string>>()

/** As `compare`, for the step `depth` of a search through the whole list. */
function compareNear(
  index: PostalIndex,
  country: Country,
  list: NameList,
  position: number,
  beginning: Beginning,
  depth: number,
): number {
  if (depth >= KEPT_DEPTH) return compare(index, country, list, position, beginning)
  let texts = kept.get(list)
  if (texts === undefined) {
    texts = new Map()
    kept.set(list, texts)
  }
  let text = texts.get(position)
  if (text === undefined) {
    text = nameText(plainText(index.text, nameOffsetOf(index, country, entryAt(index, list, position))))
    texts.set(position, text)
  }
  return compareText(text, beginning)
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
