/** Which of two positions of a code lies in the areas that its row names, by the gazetteer, and by where a witness has the area's other codes. */

import { distanceKm } from '../../build-index/distance.ts'
import { CellGrid } from '../../build-index/enrich/cell-grid.ts'
import { kept } from '../../datasets/lists.ts'
import { areaName } from '../../datasets/reference/area-gazetteer.ts'
import type { City } from '../../datasets/reference/cities-500.ts'
import { cityKey } from '../../src/text/city.ts'
import type { Spot } from './adjudicate.ts'
import { type CheckedCode, type CheckedCountry, groupBy, median } from './codes.ts'

/** Where no place of any area is this near, nothing can be said. */
const ANY_KM = 15
/** A position with a place of the area so near may lie in it, whosever the nearest place is. */
const OWN_KM = 10
/** Half of the codes of a municipality lie at most this far from their middle; those of a province lie further. */
const MUNICIPALITY_KM = 25
/** So many codes of an area show where it reaches, and a position this near to one of them is within it. */
const REACH_CODES_MIN = 3
const REACH_KM = 10

/** What sources and the gazetteer add to the name of a level-2 area. */
const KINDS =
  /^(municipality|municipio|province|provincia|partido|departamento|okres|powiat|amphoe|daerah) (de |of )?|[ -](county|district|rayon|raion|shi|ku|cho|machi|mura|son|ilcesi|city)$|s? (kommune?|kommun)$/

export class OwnAreas {
  readonly #all: CellGrid<City>
  readonly #byLevel1: ReadonlyMap<string, City[]>
  readonly #byLevel2: ReadonlyMap<string, City[]>
  readonly #grids = new Map<string, CellGrid<City>>()
  /** By name of the area: the gazetteer's number of it, where most positions of both say the same. */
  readonly #level1: ReadonlyMap<string, string>
  /** By number of level 1 and key of a name: numbers of level-2 areas. */
  readonly #named = new Map<string, Set<string>>()
  readonly #codes: ReadonlyMap<string, CheckedCode[]>
  readonly #witness: ReadonlyMap<string, readonly Spot[]>

  constructor({ cc, placed, cities }: CheckedCountry, witness: ReadonlyMap<string, readonly Spot[]>) {
    this.#witness = witness
    this.#all = new CellGrid(cities)
    this.#byLevel1 = groupBy(cities, ({ admin1 }) => admin1)
    this.#byLevel2 = groupBy(cities, numberOf)
    for (const number of this.#byLevel2.keys()) {
      const [admin1, admin2] = number.split('\t')
      const name = `${admin1}\t${nameKey(areaName(cc, admin1, admin2))}`
      kept(this.#named, name, () => new Set<string>()).add(number)
    }
    this.#codes = groupBy(placed, smallest)
    const level1 = new Map<string, string>()
    for (const [area, codes] of groupBy(placed, ({ area1 }) => area1)) {
      const own = this.#most(codes.map(({ lat, lon }): Spot => [lat, lon]))
      const other = this.#most(codes.flatMap(({ key }) => witness.get(key)?.slice(0, 1) ?? []))
      if (own !== undefined && own === other) level1.set(area, own)
    }
    this.#level1 = level1
  }

  /** Whose positions lie in the level-1 area of `code`, or else in its level-2 area, where only one's do. */
  decide(code: CheckedCode, own: readonly Spot[], spots: readonly Spot[]): 'index' | 'witness' | undefined {
    for (const [label, cities] of this.#known(code)) {
      const inOwn = this.#isIn(label, cities, own)
      const inWitness = this.#isIn(label, cities, spots)
      if (inOwn === undefined || inWitness === undefined || inOwn === inWitness) continue
      return inOwn ? 'index' : 'witness'
    }
    return undefined
  }

  /** Whether `spots` surely lie outside one of the areas of `code`. */
  excludes(code: CheckedCode, spots: readonly Spot[]): boolean {
    return [...this.#known(code)].some(([label, cities]) => this.#isIn(label, cities, spots) === false)
  }

  /** The only place of a name in the level-1 area of `code`; null where there are more, or none. */
  only({ area1 }: CheckedCode, named: readonly City[]): City | null {
    const level1 = this.#level1.get(area1)
    const [only, ...others] = level1 === undefined ? [] : named.filter(({ admin1 }) => admin1 === level1)
    return only === undefined || others.length > 0 ? null : only
  }

  /** The gazetteer's numbers of the areas of `code`, the larger first, with the places there. */
  *#known({ area1, area2 }: CheckedCode): Iterable<[label: string, cities: readonly City[]]> {
    const level1 = this.#level1.get(area1)
    if (level1 === undefined) return
    yield [level1, this.#byLevel1.get(level1) ?? []]
    const name = area2.slice(area2.indexOf(' / ') + 3)
    const [number, ...others] = this.#named.get(`${level1}\t${nameKey(name)}`) ?? []
    if (area2 !== '' && number !== undefined && others.length === 0)
      yield [number, this.#byLevel2.get(number) ?? []]
  }

  /**
   * Whether the position of `code` is within the reach of its municipality, as the witness has the other codes of that: then both may be
   * right, since one is of the municipality, or of its main place, and the other of a part of it.
   */
  reaches(code: CheckedCode): boolean {
    if (code.grade === 'code' || smallest(code) === '') return false
    const others = (this.#codes.get(smallest(code)) ?? [])
      .filter(({ key }) => key !== code.key)
      .flatMap(({ key }) => this.#witness.get(key)?.slice(0, 1) ?? [])
    if (others.length < REACH_CODES_MIN) return false
    const [lat, lon] = [median(others.map(([lat]) => lat)), median(others.map(([, lon]) => lon))]
    const isMunicipality = median(others.map(spot => distanceKm(...spot, lat, lon))) <= MUNICIPALITY_KM
    return isMunicipality && others.some(spot => distanceKm(...spot, code.lat, code.lon) <= REACH_KM)
  }

  /** True or false where all of `spots` say the same. */
  #isIn(label: string | undefined, own: readonly City[], spots: readonly Spot[]): boolean | undefined {
    if (label === undefined || own.length === 0 || spots.length === 0) return undefined
    const grid = kept(this.#grids, label, () => new CellGrid(own))
    const answers = new Set(
      spots.map(([lat, lon]) => {
        const nearest = this.#all.nearest(lat, lon, ANY_KM)
        if (nearest === null) return undefined
        if (nearest.admin1 === label || numberOf(nearest) === label) return true
        return grid.nearest(lat, lon, OWN_KM) === null ? false : undefined
      }),
    )
    return answers.size === 1 ? [...answers][0] : undefined
  }

  /** The gazetteer's level-1 area of more than half of `spots`. */
  #most(spots: readonly Spot[]): string | undefined {
    const votes = new Map<string, number>()
    for (const [lat, lon] of spots) {
      const area = this.#all.nearest(lat, lon, ANY_KM)?.admin1 ?? ''
      if (area !== '') votes.set(area, (votes.get(area) ?? 0) + 1)
    }
    const all = [...votes.values()].reduce((sum, count) => sum + count, 0)
    return [...votes].find(([, count]) => count > all / 2)?.[0]
  }
}

function numberOf({ admin1, admin2 }: City): string {
  return admin2 === '' ? '' : `${admin1}\t${admin2}`
}

/** The smallest area that the code names. */
function smallest({ area2, area3 }: CheckedCode): string {
  return area3 || area2
}

function nameKey(area: string): string {
  const plain = area.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase()
  return cityKey(plain.replace(KINDS, ''))
}
