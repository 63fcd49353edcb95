/**
 * The NEAR section: for each country a k-d tree over the positions of its codes, as points of the unit sphere. Straight lines
 * order points as distances on the ground do, so poles and the date line need no code. FORMAT.md draws the section.
 */

/** Sites of a leaf. Only the last leaf of a tree may have fewer. */
export const LEAF_SITES = 16

export const PART_WORDS = 8
/** Word of an entry with the word at which the country's part begins. */
export const PART_START = 0
export const PART_SITES = 1
/** First of six words with the box around the points: least x, y, z, then greatest x, y, z, as 32-bit floats. */
export const PART_BOX = 2

/** Codes of a site, at most: they lie at one position and follow each other in the index. */
export const SITE_CODES_MAX = 256
export const SITE_NUMBERS = 2 ** 24

/** Bits of a split that name its axis; the whole word is a 32-bit float, the coordinate of the split. */
export const AXIS_BITS = 3
/** Greatest difference between a coordinate and what the section has of it: 6 metres. */
export const COORDINATE_SLACK = 1e-6

const RADIANS = Math.PI / 180 / 1_000_000

/** The point of the unit sphere at a position in millionths of a degree. */
export function spherePoint(north: number, east: number): [x: number, y: number, z: number] {
  const ring = Math.cos(north * RADIANS)
  return [ring * Math.cos(east * RADIANS), ring * Math.sin(east * RADIANS), Math.sin(north * RADIANS)]
}

/** Leaves of a tree; a split stands between each two neighbours. */
export function leafCount(sites: number): number {
  return Math.ceil(sites / LEAF_SITES)
}

export function partWords(sites: number): number {
  return sites === 0 ? 0 : leafCount(sites) - 1 + sites
}

/** The split that divides the leaves from `first` to `end`, which are at least two. Its left half ends before this leaf. */
export function middleLeaf(first: number, end: number): number {
  return (first + end) >>> 1
}

/** @param number that of its first code in the country @param codes from 1 to `SITE_CODES_MAX` */
export function packSite(number: number, codes: number): number {
  return (number | ((codes - 1) << 24)) >>> 0
}
export function siteNumber(word: number): number {
  return word & (SITE_NUMBERS - 1)
}
export function siteCodes(word: number): number {
  return (word >>> 24) + 1
}
