/** Who is right where the index and a witness put a code at two places: a third one, that neither of them copied. */
import { distanceKm } from '../../build-index/distance.ts'
import { normaliser } from '../../build-index/rows/normal-form.ts'
import type { City } from '../../datasets/reference/cities-500.ts'
import type { Source } from '../../datasets/source.ts'
import { cityKey } from '../../src/text/city.ts'
import { type CheckedCode, type CheckedCountry, groupBy, median } from './codes.ts'

export type Verdict = 'index' | 'witness' | 'open'
/** Who decided: another source, the codes next to it as either has them, the only place of its or of its municipality's name, or nobody. */
export type Rule = 'source' | 'neighbours' | 'place' | 'municipality' | 'nobody'
export interface Judgement {
  verdict: Verdict
  rule: Rule
}
export type Spot = readonly [lat: number, lon: number]

/** A third one agrees with whom it is this near, and only if it is not as near to the other. */
const AGREES_KM = 20
/** Codes before and after, and how close together they must lie to say anything. */
const NEIGHBOURS = 4
const SPREAD_KM = 15
/** Who has the codes next to it together, and this one so far from them, contradicts himself. */
const CONTRADICTS_KM = 60
/** Half of the places of a municipality lie at most this far from the one with its name; those of a province lie further. */
const MUNICIPALITY_KM = 15
/** What Japan adds to the name of a municipality, and Scandinavia. */
const MUNICIPALITY = /-(shi|cho|machi|mura|son)$| kommune?$/i
/** A position this near to a place of the gazetteer has been taken from there. */
const TAKEN_KM = 0.1

/** Positions of a source by the keys of its codes. */
export function spotsOf(source: Source, country: string): Map<string, Spot[]> {
  const normalise = normaliser(country)
  const spots = new Map<string, Spot[]>()
  for (const { code, lat, lon, code1 } of source.rows(country)) {
    const key = normalise(code)?.key
    if (key === undefined || Number.isNaN(lat) || (country === 'US' && /^A[AEP]$/.test(code1))) continue
    const known = spots.get(key)
    if (known === undefined) spots.set(key, [[lat, lon]])
    else known.push([lat, lon])
  }
  return spots
}

/** The distance to the nearest of `spots`; infinite without any. */
export function nearestKm({ lat, lon }: { lat: number; lon: number }, spots: readonly Spot[]): number {
  return Math.min(...spots.map(spot => distanceKm(lat, lon, ...spot)), Number.POSITIVE_INFINITY)
}

export class Adjudicator {
  readonly #placed: readonly CheckedCode[]
  readonly #others: readonly ReadonlyMap<string, readonly Spot[]>[]
  readonly #byName: ReadonlyMap<string, readonly City[]>
  /** The gazetteer's places by level-2 area. */
  readonly #byNumber: ReadonlyMap<string, readonly City[]>
  readonly #municipalities = new Map<string, City | null>([['', null]])
  readonly #at: ReadonlyMap<CheckedCode, number>
  readonly #witness: ReadonlyMap<string, readonly Spot[]>

  /**
   * @param witness positions of the witness
   * @param others sources that are neither the witness nor what the index was made of
   */
  constructor(
    { cc, placed, cities }: CheckedCountry,
    witness: ReadonlyMap<string, readonly Spot[]>,
    others: readonly Source[],
  ) {
    this.#placed = placed
    this.#witness = witness
    this.#others = others.map(source => spotsOf(source, cc))
    this.#byName = groupBy(cities, ({ name }) => cityKey(name))
    this.#byNumber = groupBy(cities, numberOf)
    this.#at = new Map(placed.map((code, at) => [code, at]))
  }

  /**
   * By another source; by the codes next to it, as each of the two has them; or by the only place of the country with the code's name, or
   * with that of its municipality. Every rule is the same for both: who contradicts his own neighbours is set aside, and a place that gave one of the two his position is no third.
   */
  verdict(code: CheckedCode): Judgement {
    const own: readonly Spot[] = [[code.lat, code.lon]]
    const spots = this.#witness.get(code.key) ?? []
    for (const other of this.#others) {
      const verdict = nearerOf(own, spots, other.get(code.key) ?? [])
      if (verdict !== 'open') return { verdict, rule: 'source' }
    }
    const contradictsOwn = this.#contradicts(code, own, ({ lat, lon }) => [[lat, lon]])
    const contradictsWitness = this.#contradicts(code, spots, ({ key }) => this.#witness.get(key) ?? [])
    if (contradictsOwn !== contradictsWitness)
      return { verdict: contradictsOwn ? 'witness' : 'index', rule: 'neighbours' }
    for (const [rule, place] of [
      ['place', this.#only(code.city)],
      ['municipality', this.#municipality(code)],
    ] as const) {
      const third: Spot[] = place === null ? [] : [[place.lat, place.lon]]
      if (nearestOf(own, third) <= TAKEN_KM || nearestOf(spots, third) <= TAKEN_KM) continue
      const verdict = nearerOf(own, spots, third)
      if (verdict !== 'open') return { verdict, rule }
    }
    return { verdict: 'open', rule: 'nobody' }
  }

  /** The only place of the country with this name; null when there are more, or none. */
  #only(name: string): City | null {
    const [only, ...others] = this.#byName.get(cityKey(name)) ?? []
    return only === undefined || others.length > 0 ? null : only
  }

  /** The main place of the municipality that is the level-2 area of `code`; null where that is larger, or has no place of its name. */
  #municipality({ area2 }: CheckedCode): City | null {
    const known = this.#municipalities.get(area2)
    if (known !== undefined) return known
    const main = this.#only(area2.slice(area2.indexOf(' / ') + 3).replace(MUNICIPALITY, ''))
    const km = (this.#byNumber.get(main === null ? '' : numberOf(main)) ?? []).map(city =>
      main === null ? Number.NaN : distanceKm(city.lat, city.lon, main.lat, main.lon),
    )
    const found = median(km) <= MUNICIPALITY_KM ? main : null
    this.#municipalities.set(area2, found)
    return found
  }

  /** Whether all of `spots` lie far from the codes next to `code` as `spotsOf` has these, where they lie close together. */
  #contradicts(
    code: CheckedCode,
    spots: readonly Spot[],
    spotsOf: (code: CheckedCode) => readonly Spot[],
  ): boolean {
    const at = this.#at.get(code) ?? 0
    const around = this.#placed
      .slice(Math.max(0, at - NEIGHBOURS), at + 1 + NEIGHBOURS)
      .filter(({ key }) => key !== code.key)
      .flatMap(other => spotsOf(other).slice(0, 1))
    if (around.length < NEIGHBOURS) return false
    const middle: Spot = [median(around.map(([lat]) => lat)), median(around.map(([, lon]) => lon))]
    const spread = median(around.map(spot => distanceKm(...spot, ...middle)))
    return spread <= SPREAD_KM && nearestOf(spots, [middle]) > CONTRADICTS_KM
  }
}

function numberOf({ admin1, admin2 }: City): string {
  return admin2 === '' ? '' : `${admin1} ${admin2}`
}

/** Whom of the two a third one agrees with: he is near him, and not near the other. */
function nearerOf(own: readonly Spot[], witness: readonly Spot[], third: readonly Spot[]): Verdict {
  const [ownKm, witnessKm] = [nearestOf(own, third), nearestOf(witness, third)]
  if (ownKm <= AGREES_KM && witnessKm > AGREES_KM) return 'index'
  return witnessKm <= AGREES_KM && ownKm > AGREES_KM ? 'witness' : 'open'
}

function nearestOf(spots: readonly Spot[], third: readonly Spot[]): number {
  return Math.min(...spots.map(([lat, lon]) => nearestKm({ lat, lon }, third)), Number.POSITIVE_INFINITY)
}
