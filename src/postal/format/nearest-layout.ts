/**
 * Section NEAR: for each country, a k-d tree over its codes, as points of the unit sphere. Straight lines
 * order points like distances on the ground, so poles and the date line need no code.
 */

/** Sites of a leaf. Only the last leaf of a tree may have fewer. */
export const LEAF_SITES = 8

/** Words of a country's entry. */
export const PART_WORDS = 8
/** Word with the start of the country's tree. */
export const PART_START = 0
/** Word with the number of sites. */
export const PART_SITES = 1
/** First of six words with the box around the points: least x, y, z, then greatest, as 32-bit floats. */
export const PART_BOX = 2

/** Codes of a site. They have one position and are neighbours in the index. */
export const SITE_CODES_MAX = 256
/** Codes of a country. */
export const SITE_NUMBERS = 2 ** 24

/** Bits of a split with its axis. The whole word is a 32-bit float, the coordinate of the split. */
export const AXIS_BITS = 3
/** Largest error of a coordinate in the section: 6 metres. */
export const COORDINATE_SLACK = 1e-6

const RADIANS = Math.PI / 180 / 1_000_000

/** Returns the point of the unit sphere at a position in millionths of a degree. */
export function spherePoint(north: number, east: number): [x: number, y: number, z: number] {
  const ring = Math.cos(north * RADIANS)
  return [ring * Math.cos(east * RADIANS), ring * Math.sin(east * RADIANS), Math.sin(north * RADIANS)]
}

/** Returns the number of leaves of a tree. A split is between each two neighbours. */
export function leafCount(sites: number): number {
  return Math.ceil(sites / LEAF_SITES)
}

export function partWords(sites: number): number {
  return sites === 0 ? 0 : leafCount(sites) - 1 + sites
}

/** Returns the first leaf of the right half of the leaves in `[first, end)`, at least two. */
export function middleLeaf(first: number, end: number): number {
  return (first + end) >>> 1
}

/** @param number number of its first code in the country @param codes 1 to `SITE_CODES_MAX` */
export function packSite(number: number, codes: number): number {
  return (number | ((codes - 1) << 24)) >>> 0
}
export function siteNumber(word: number): number {
  return word & (SITE_NUMBERS - 1)
}
export function siteCodes(word: number): number {
  return (word >>> 24) + 1
}
