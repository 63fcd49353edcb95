/** The NEAR section: k-d trees for `src/postal/index/nearest.ts`. */
import { isPlaced, latitude, longitude } from '../../src/postal/format/code-entry.ts'
import type { CountryRanges } from '../../src/postal/format/meta.ts'
import {
  AXIS_BITS,
  LEAF_SITES,
  leafCount,
  middleLeaf,
  PART_BOX,
  PART_SITES,
  PART_START,
  PART_WORDS,
  packSite,
  partWords,
  SITE_CODES_MAX,
  SITE_NUMBERS,
  spherePoint,
} from '../../src/postal/format/nearest-layout.ts'

type Ranges = Pick<CountryRanges, 'codeStart' | 'codeCount'>

/** Consecutive codes at one position. */
interface Site {
  readonly north: number
  readonly east: number
  /** First code, numbered within the country. */
  readonly number: number
  codes: number
}

/**
 * @param codes section CODE
 * @param countries in the order of CTRY
 * @throws RangeError for a country with too many codes
 */
export function nearSection(codes: Uint32Array, countries: readonly Ranges[]): Uint8Array {
  const sites = countries.map(country => sitesOf(codes, country))
  let end = countries.length * PART_WORDS
  const starts = sites.map(({ length }) => {
    end += partWords(length)
    return end - partWords(length)
  })
  const words = new Uint32Array(end)
  sites.forEach((own, country) => {
    const entry = country * PART_WORDS
    words[entry + PART_START] = starts[country]
    words[entry + PART_SITES] = own.length
    const box = new Float32Array(words.buffer, (entry + PART_BOX) * 4, PART_WORDS - PART_BOX)
    writeTree(own, box, words.subarray(starts[country], starts[country] + partWords(own.length)))
  })
  return new Uint8Array(words.buffer)
}

function sitesOf(codes: Uint32Array, { codeStart, codeCount }: Ranges): Site[] {
  if (codeCount > SITE_NUMBERS)
    throw new RangeError(`a country has ${codeCount} codes, at most ${SITE_NUMBERS} expected`)
  const sites: Site[] = []
  for (let number = 0; number < codeCount; number++) {
    const code = codeStart + number
    if (!isPlaced(codes, code)) continue
    const [north, east] = [latitude(codes, code), longitude(codes, code)]
    const last = sites.at(-1)
    const follows = last !== undefined && last.number + last.codes === number
    if (follows && last.north === north && last.east === east && last.codes < SITE_CODES_MAX) last.codes++
    else sites.push({ north, east, number, codes: 1 })
  }
  return sites
}

function writeTree(sites: readonly Site[], box: Float32Array, part: Uint32Array): void {
  const axes = [0, 1, 2].map(() => new Float64Array(sites.length))
  sites.forEach(({ north, east }, i) => {
    spherePoint(north, east).forEach((coordinate, axis) => {
      axes[axis][i] = coordinate
    })
  })
  const order = Uint32Array.from(sites, (_, i) => i)
  axes.forEach((coordinates, axis) => {
    const [least, greatest] = extent(coordinates, order)
    box[axis] = least
    box[axis + 3] = greatest
  })
  const leaves = leafCount(sites.length)
  splitLeaves(axes, order, part, 0, leaves)
  order.forEach((site, i) => {
    part[Math.max(0, leaves - 1) + i] = packSite(sites[site].number, sites[site].codes)
  })
}

/** Splits the leaves from `first` to `end` in halves, across the longest axis. */
function splitLeaves(
  axes: readonly Float64Array[],
  order: Uint32Array,
  splits: Uint32Array,
  first: number,
  end: number,
): void {
  if (end - first < 2) return
  const members = order.subarray(first * LEAF_SITES, end * LEAF_SITES)
  const lengths = axes.map(coordinates => {
    const [least, greatest] = extent(coordinates, members)
    return greatest - least
  })
  const axis = lengths.indexOf(Math.max(...lengths))
  sortBy(axes[axis], members)
  const middle = middleLeaf(first, end)
  const split = new Float32Array([axes[axis][order[middle * LEAF_SITES]]])
  splits[middle - 1] = (new Uint32Array(split.buffer)[0] & ~AXIS_BITS) | axis
  splitLeaves(axes, order, splits, first, middle)
  splitLeaves(axes, order, splits, middle, end)
}

function extent(coordinates: Float64Array, members: Uint32Array): [least: number, greatest: number] {
  let [least, greatest] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
  for (const member of members) {
    if (coordinates[member] < least) least = coordinates[member]
    if (coordinates[member] > greatest) greatest = coordinates[member]
  }
  return [least, greatest]
}

/** Sorts by coordinate, then by number. One double holds both, below 2^53, which sorts faster than by a function. */
function sortBy(coordinates: Float64Array, members: Uint32Array): void {
  const keys = Float64Array.from(members, member => {
    return Math.round((coordinates[member] + 1) * 2 ** 27) * SITE_NUMBERS + member
  }).sort()
  keys.forEach((key, i) => {
    members[i] = key % SITE_NUMBERS
  })
}
