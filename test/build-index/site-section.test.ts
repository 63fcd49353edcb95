/** The trees of sites: every code with a position is in one site, whose cell and boxes hold its position. */
import t from 'tap'
import { siteSection } from '../../build-index/write/site-section.ts'
import { CODE_WORDS, isPlaced, latitude, longitude, packCode } from '../../src/format/code-record.ts'
import {
  BOX_WORDS,
  CELLS,
  cellsPerMillionth,
  LEAF_CELL_WORDS,
  LEAF_WORDS,
  NEAR_FANOUT,
  nearLevels,
  rangeLow,
  readFrame,
  SITE_CODES_MAX,
  SITE_COUNT,
  SITE_FRAME_WORDS,
  siteCodes,
  siteNumber,
  stepOf,
} from '../../src/format/near-tree.ts'
import { seededRandom } from '../support/random.ts'

/** What rounding may add to a cell. */
const ROUNDING = 1e-6

/** A CODE section. @param positionOf degrees of a code, by its number; undefined: unknown */
function codesOf(count: number, positionOf: (number: number) => [lat: number, lon: number] | undefined) {
  const words = new Uint32Array(count * CODE_WORDS)
  for (let code = 0; code < count; code++) {
    const [lat, lon] = positionOf(code) ?? [Number.NaN, Number.NaN]
    words.set(packCode({ lat, lon, elevation: Number.NaN }, 0), code * CODE_WORDS)
  }
  return words
}

/** The codes of each site of the only country of a section. Fails when a site does not lie in its cell. */
function sitesOf(words: Uint32Array, codes: Uint32Array): number[][] {
  const frame = readFrame(words, 0)
  const count = words[SITE_COUNT]
  const levels = nearLevels(count)
  const boxes = levels.reduce((sum, boxes) => sum + boxes, 0)
  const leavesAt = SITE_FRAME_WORDS + boxes * BOX_WORDS
  t.equal(words.length, leavesAt + (levels[0] ?? 0) * LEAF_WORDS, 'words')
  const isIn = (value: number, cell: number, range: number, start: number, end: number) => {
    const cells =
      (value - start - rangeLow(range) * stepOf(start, end)) * cellsPerMillionth(range, stepOf(start, end))
    return cell < CELLS && cells >= cell - ROUNDING && cells <= cell + 1 + ROUNDING
  }
  return Array.from({ length: count }, (_, site) => {
    const box = Math.floor(site / NEAR_FANOUT)
    const member = site % NEAR_FANOUT
    const boxAt = SITE_FRAME_WORDS + box * BOX_WORDS
    const leaf = leavesAt + box * LEAF_WORDS
    const cell = (words[leaf + (member >> 1)] >>> ((member & 1) * 16)) & 0xffff
    const word = words[leaf + LEAF_CELL_WORDS + member]
    const [first, size] = [siteNumber(word), siteCodes(word)]
    const north = latitude(codes, first)
    const east = longitude(codes, first)
    if (!isIn(north, cell & 0xff, words[boxAt], frame.south, frame.north)) t.fail(`latitude of site ${site}`)
    if (!isIn(east, cell >> 8, words[boxAt + 1], frame.west, frame.east)) t.fail(`longitude of site ${site}`)
    return Array.from({ length: size }, (_, i) => first + i)
  })
}

function section(codes: Uint32Array): Uint32Array {
  const bytes = siteSection(codes, [{ codeStart: 0, codeCount: codes.length / CODE_WORDS }])
  return new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4)
}

t.test('random codes, of which many share a position or have none', async t => {
  const random = seededRandom(7)
  for (const [count, places, spread] of [
    [0, 1, 1],
    [1, 1, 1],
    [17, 100, 90_000_000],
    [3000, 40, 1000],
    [3000, 3000, 60_000_000],
  ]) {
    const positions = Array.from({ length: places }, (): [number, number] => [
      (random(2 * spread + 1) - spread) / 1e6,
      (random(2 * spread + 1) - spread) / 1e6,
    ])
    let place = 0
    const codes = codesOf(count, () => {
      if (random(3) > 0) place = random(places)
      return random(20) === 0 ? undefined : positions[place]
    })
    const sites = sitesOf(section(codes), codes)
    const placed = Array.from({ length: count }, (_, code) => code).filter(code => isPlaced(codes, code))
    t.same(
      sites.flat().sort((a, b) => a - b),
      placed,
      `${count} codes at ${places} positions`,
    )
    const isOne = (site: number[]) =>
      site.every(
        code =>
          latitude(codes, code) === latitude(codes, site[0]) &&
          longitude(codes, code) === longitude(codes, site[0]),
      )
    t.ok(sites.every(isOne), 'a site has one position')
  }
})

t.test(
  'codes that follow each other at one position are one site, as far as its number of codes allows',
  async t => {
    const codes = codesOf(2 * SITE_CODES_MAX + 44, () => [10, 20])
    t.same(
      sitesOf(section(codes), codes).map(site => [site[0], site.length]),
      [
        [0, SITE_CODES_MAX],
        [SITE_CODES_MAX, SITE_CODES_MAX],
        [2 * SITE_CODES_MAX, 44],
      ],
    )
  },
)
