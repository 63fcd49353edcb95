/** The section NAME: a country's names in the order of their texts, and how large they are. */
import {
  entryWords,
  LEAD_WORDS,
  leadWords,
  NAME_BITS_MAX,
  NAME_BITS_SHIFT,
  NAME_COUNT_BITS,
  NAME_FANOUT,
  nameLevels,
  readEntry,
  sizeWords,
} from '../../format/name-order.ts'
import { damaged } from '../index-file-error.ts'
import type { PostalIndex } from '../postal-index.ts'

export interface NameList {
  readonly count: number
  readonly bits: number
  /** Word of NAME at which the entries begin. */
  readonly entriesAt: number
  /** Byte of NAME at which each level of sizes begins, the lowest first, and the blocks of each. */
  readonly levelsAt: readonly number[]
  readonly levelCounts: readonly number[]
  /** Word of LEAD at which its blocks begin, and byte at which the marks do; -1 in a file that lacks the section. */
  readonly leadsAt: number
  readonly marksAt: number
}

const opened = new WeakMap<PostalIndex, ReadonlyMap<string, NameList>>()

/**
 * The names of every country; none when the index was built before it had them. The first call reads a word for each country.
 * @throws DamagedIndexError when the section has another length than its countries need
 */
export function nameLists(index: PostalIndex): ReadonlyMap<string, NameList> {
  const known = opened.get(index)
  if (known !== undefined) return known
  const made = readLists(index)
  opened.set(index, made)
  return made
}

function readLists({ names, leads, countries }: PostalIndex): ReadonlyMap<string, NameList> {
  const lists = new Map<string, NameList>()
  if (names.length === 0) return lists
  let at = 0
  let leadsAt = 0
  for (const cc of countries.names) {
    const head = names[at]
    const count = head & NAME_COUNT_BITS
    const bits = head >>> NAME_BITS_SHIFT
    const entriesAt = at + 1
    const sizesAt = entriesAt + entryWords(count, bits)
    at = sizesAt + sizeWords(count)
    if (!(at <= names.length) || bits > NAME_BITS_MAX) damaged(`NAME ends within the names of ${cc}`)
    const levelCounts = nameLevels(count)
    let levelAt = sizesAt * 4
    const levelsAt = levelCounts.map(blocks => {
      levelAt += blocks
      return levelAt - blocks
    })
    const marksAt = (leadsAt + Math.ceil(count / NAME_FANOUT) * LEAD_WORDS) * 4
    // One literal, so that all lists have one shape and V8 need not ask which.
    const hasLead = leads.length > 0
    const [firstLead, firstMark] = hasLead ? [leadsAt, marksAt] : [-1, -1]
    lists.set(cc, { count, bits, entriesAt, levelsAt, levelCounts, leadsAt: firstLead, marksAt: firstMark })
    leadsAt += leadWords(count)
  }
  if (leads.length > 0 && leadsAt !== leads.length)
    damaged(`LEAD has ${leads.length} words, ${leadsAt} expected for its countries`)
  if (at !== names.length) damaged(`NAME has ${names.length} words, ${at} expected for its countries`)
  return lists
}

/** The entry at a place of the order: below the country's number of places a place, else an alias. */
export function entryAt({ names }: PostalIndex, { entriesAt, bits }: NameList, position: number): number {
  return readEntry(names, entriesAt, position, bits)
}

/** What LEAD says of the name at a place of the order: see `packMark`. The list must have marks. */
export function markAt({ leads }: PostalIndex, { marksAt }: NameList, position: number): number {
  const at = marksAt + position
  return (leads[at >>> 2] >>> ((at & 3) << 3)) & 0xff
}
