/**
 * One suggestion for a city: where its own name begins with what was typed, its other names are not suggested. So somebody who types
 * `lo` is given `Los Angeles` once, and not its spellings in other languages.
 */
import { markShared, SHARED_MAX } from '../../format/name-order.ts'
import { hasSameKey, PLACE_AREA, PLACE_WORDS } from '../../format/place-entry.ts'
import { nameText } from '../../text/city.ts'
import { aliasPlaces } from '../codes/code-view.ts'
import type { Country } from '../country.ts'
import type { PostalIndex } from '../postal-index.ts'
import { plainText } from '../text-section.ts'
import { entryAt, markAt, type NameList } from './name-list.ts'
import { nameOffsetOf } from './name-range.ts'
import { type Beginning, hasBeginning } from './typed-name.ts'

/**
 * For the name at `position`, when it is another name of places that have one name of their own and that name begins with what was
 * typed: the entry of their own name. Otherwise -1. Costs a byte of LEAD where that decides, else two texts.
 */
export function ownEntry(
  index: PostalIndex,
  country: Country,
  list: NameList,
  beginnings: readonly Beginning[],
  position: number,
): number {
  const entry = entryAt(index, list, position)
  if (entry < country.meta.placeCount || isCovered(index, list, beginnings, position) === false) return -1
  const own = entryOfOwnName(index, country, entry)
  if (own < 0) return -1
  const text = nameText(plainText(index.text, nameOffsetOf(index, country, own)))
  return beginnings.some(beginning => hasBeginning(text, beginning)) ? own : -1
}

/** Whether that is so for certain by the name's mark. @returns undefined when only the texts can tell */
export function isCovered(
  index: PostalIndex,
  list: NameList,
  beginnings: readonly Beginning[],
  position: number,
): boolean | undefined {
  if (list.marksAt < 0) return undefined
  const shared = markShared(markAt(index, list, position))
  if (shared === 0) return false
  const [{ text }] = beginnings
  if (beginnings.length > 1 || (shared === SHARED_MAX && text.length > SHARED_MAX)) return undefined
  return text.length <= shared
}

/** The entry of the name under which all places of an alias are listed, or -1 when they have several. */
function entryOfOwnName(index: PostalIndex, country: Country, entry: number): number {
  const { placeStart, placeCount, aliasStart } = country.meta
  // Places with one name follow each other, and their list ascends.
  const places = aliasPlaces(index, country, aliasStart + entry - placeCount)
  const last = places[places.length - 1]
  for (let place = places[0] + 1; place <= last; place++)
    if (!hasSameKey(index.places[place * PLACE_WORDS + PLACE_AREA])) return -1
  let first = places[0]
  while (first > placeStart && hasSameKey(index.places[first * PLACE_WORDS + PLACE_AREA])) first--
  return first - placeStart
}
