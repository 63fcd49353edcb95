/** Compares the nearest codes with a search through all codes. */
import t from 'tap'
import { isPlaced, latitude, longitude } from '../../../src/postal/format/code-entry.ts'
import type { Country } from '../../../src/postal/index/country.ts'
import { findNearest, type NearQuery } from '../../../src/postal/index/nearest.ts'
import { countriesOf } from '../../../src/postal/index/postal-index.ts'
import { questionCount, questionIndex, questionSeed } from '../../support/question-index.ts'
import { seededRandom } from '../../support/random.ts'

const EARTH_METRES = 6_371_008.8
const RADIANS = Math.PI / 180 / 1_000_000
/** Smaller differences between distances are rounding errors. */
const SAME_METRES = 1e-4

t.setTimeout(0)

const index = questionIndex()
const countries = countriesOf(index)
const count = index.file.codeCount

/** Points on the unit sphere, three numbers per code; NaN without a position. */
const points = new Float64Array(count * 3).fill(Number.NaN)
for (let code = 0; code < count; code++)
  if (isPlaced(index.codes, code))
    points.set(pointOf(latitude(index.codes, code), longitude(index.codes, code)), code * 3)

function pointOf(north: number, east: number): [number, number, number] {
  const ring = Math.cos(north * RADIANS)
  return [ring * Math.cos(east * RADIANS), ring * Math.sin(east * RADIANS), Math.sin(north * RADIANS)]
}

interface Near {
  code: number
  metres: number
}

function metresOf(square: number): number {
  return 2 * EARTH_METRES * Math.asin(Math.min(1, Math.sqrt(square) / 2))
}

function distance(code: number, { north, east }: NearQuery): number {
  const [x, y, z] = pointOf(north, east)
  const at = code * 3
  return metresOf((points[at] - x) ** 2 + (points[at + 1] - y) ** 2 + (points[at + 2] - z) ** 2)
}

/** Returns the codes of the index or of a country, by distance, then by index. */
function oracle({ north, east, radius, limit }: NearQuery, country: Country | undefined): Near[] {
  const [x, y, z] = pointOf(north, east)
  const [start, end] =
    country === undefined ? [0, count] : [country.codeStart, country.codeStart + country.codeCount]
  let found: { code: number; square: number }[] = []
  let most = Number.POSITIVE_INFINITY
  const trim = () => {
    found.sort((a, b) => a.square - b.square || a.code - b.code)
    found = found.slice(0, limit)
    if (found.length === limit) most = found[limit - 1].square
  }
  for (let code = start; code < end; code++) {
    const at = code * 3
    const square = (points[at] - x) ** 2 + (points[at + 1] - y) ** 2 + (points[at + 2] - z) ** 2
    if (!(square <= most)) continue
    found.push({ code, square })
    if (found.length >= 4 * limit + 64) trim()
  }
  trim()
  return found
    .map(({ code, square }) => ({ code, metres: metresOf(square) }))
    .filter(({ metres }) => metres <= radius)
}

/** True if two answers are equal, except for the order of codes at the same distance. */
function isSame(query: NearQuery, found: readonly Near[], wanted: readonly Near[]): boolean {
  const { radius } = query
  const isAtEdge = ({ metres }: Near) => Math.abs(metres - radius) < SAME_METRES
  if (found.length !== wanted.length) {
    const [longer, shorter] = found.length > wanted.length ? [found, wanted] : [wanted, found]
    return longer.slice(shorter.length).every(isAtEdge)
  }
  return found.every(({ code, metres }, i) => {
    if (Math.abs(metres - wanted[i].metres) >= SAME_METRES) return false
    // A different code must be at the same distance, which is measured here.
    return code === wanted[i].code || Math.abs(distance(code, query) - metres) < SAME_METRES
  })
}

t.test('nearest codes equal those of a search through all codes', async t => {
  const random = seededRandom(questionSeed())
  const questions = questionCount(150)
  let wrong = 0
  for (let question = 0; question < questions; question++) {
    const kind = random(4)
    const near = random(count)
    let north = random(180_000_001) - 90_000_000
    let east = random(360_000_001) - 180_000_000
    if (kind > 0 && isPlaced(index.codes, near)) {
      // A point at a code, or some kilometres away.
      const jitter = kind === 1 ? 0 : 200_000
      north = clamp(latitude(index.codes, near) + random(2 * jitter + 1) - jitter, 90_000_000)
      east = clamp(longitude(index.codes, near) + random(2 * jitter + 1) - jitter, 180_000_000)
    }
    const country = random(4) === 0 ? countries[random(countries.length)] : undefined
    const radius = random(3) === 0 ? random(500_000) : Number.POSITIVE_INFINITY
    const query = { north, east, radius, limit: 1 + random(random(5) === 0 ? 100 : 12), cc: country?.cc }
    const found = findNearest(index, query)
    const wanted = oracle(query, country)
    if (isSame(query, found, wanted)) continue
    wrong++
    t.same(found, wanted, JSON.stringify(query))
    if (wrong > 3) break
  }
  t.equal(wrong, 0, `${questions} questions`)
})

function clamp(value: number, max: number): number {
  return Math.max(-max, Math.min(max, value))
}

t.test('codes are found near poles and across the date line', async t => {
  for (const [north, east] of [
    [90, 0],
    [-90, 77],
    [0, 180],
    [0, -180],
    [-17, 179.99],
    [-17, -179.99],
    [66, -179.9],
  ]) {
    const query = {
      north: north * 1e6,
      east: east * 1e6,
      radius: Number.POSITIVE_INFINITY,
      limit: 20,
      cc: undefined,
    }
    t.ok(isSame(query, findNearest(index, query), oracle(query, undefined)), `${north}, ${east}`)
  }
})
