/** Who is right where the index and a witness put a code at two places: a third one, that neither of them copied. */

import { distanceKm } from '../../build-index/distance.ts'
import { normaliser } from '../../build-index/rows/normal-form.ts'
import { rowQuirk } from '../../build-index/rows/row-quirks.ts'
import { addTo, kept } from '../../datasets/lists.ts'
import type { City } from '../../datasets/reference/cities-500.ts'
import type { Source } from '../../datasets/source.ts'
import { cityKey } from '../../src/text/city.ts'
import { type CheckedCode, type CheckedCountry, groupBy, median, placeNamesOf } from './codes.ts'
import { OwnAreas } from './own-area.ts'

/** `extent`: the code reaches further than the two are apart, and both lie in it. */
export type Verdict = 'index' | 'witness' | 'extent' | 'open'
/**
 * Who decided: another source, the codes next to it as either has them, the only place of its or of its municipality's name, the areas that
 * its row names, another place of the code, its municipality's reach, or nobody.
 */
export type Rule =
  | 'source'
  | 'neighbours'
  | 'place'
  | 'municipality'
  | 'area'
  | 'places'
  | 'reach'
  | 'rural'
  | 'nobody'
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
/** And so near, it means the place. */
const PLACE_KM = 5
/** Who has the codes next to it together, and this one so far from them, contradicts himself. */
const CONTRADICTS_KM = 60
/** Half of the places of a municipality lie at most this far from the one with its name; those of a province lie further. */
const MUNICIPALITY_KM = 15
/** What Japan adds to the name of a municipality, and Scandinavia. */
const MUNICIPALITY = /-(shi|cho|machi|mura|son)$| kommune?$/i
/** A position this near to a place of the gazetteer has been taken from there. */
const TAKEN_KM = 0.1
/** In Canada a second character of 0 stands for a wide rural region, of which each source has another village. */
const RURAL = /^[A-Z]0[A-Z]$/
const RURAL_KM = 150
/** A name is that of a town, and not of a quarter, if one with so many people has it, or one at the position. */
const TOWN_POPULATION = 15_000
/** GeoNames' scale: 1 is an estimate, by its own word, and no witness. */
const ESTIMATED = 1

/** Positions of a source by the keys of its codes, without those that a source with a scale of accuracy calls estimates. */
export function spotsOf(source: Source, country: string): Map<string, Spot[]> {
  const normalise = normaliser(country)
  const spots = new Map<string, Spot[]>()
  const hasScale = source.id === 'geonames'
  for (const { code, lat, lon, code1, accuracy } of source.rows(country)) {
    if (hasScale && accuracy === ESTIMATED) continue
    const key = normalise(code)?.key
    if (key === undefined || Number.isNaN(lat) || (country === 'US' && /^A[AEP]$/.test(code1))) continue
    addTo(spots, key, [lat, lon])
  }
  return spots
}

/** Keys of the names that a source has for each code: its places, and their areas of levels 2 and 3. */
function namesOf(source: Source, country: string): Map<string, Set<string>> {
  const normalise = normaliser(country)
  const quirk = rowQuirk(country)
  const names = new Map<string, Set<string>>()
  for (const raw of source.rows(country)) {
    const key = normalise(raw.code)?.key
    if (key === undefined) continue
    const known = kept(names, key, () => new Set<string>())
    for (const { place, name2, name3 } of quirk === undefined ? [raw] : quirk(raw))
      for (const name of [place, name2, name3])
        if (name !== '') known.add(cityKey(name.replace(MUNICIPALITY, '')))
  }
  return names
}

/** The distance to the nearest of `spots`; infinite without any. */
export function nearestKm({ lat, lon }: { lat: number; lon: number }, spots: readonly Spot[]): number {
  return Math.min(...spots.map(spot => distanceKm(lat, lon, ...spot)), Number.POSITIVE_INFINITY)
}

export class Adjudicator {
  readonly #checked: CheckedCountry
  readonly #placed: readonly CheckedCode[]
  readonly #others: readonly ReadonlyMap<string, readonly Spot[]>[]
  readonly #byName: ReadonlyMap<string, readonly City[]>
  /** The gazetteer's places by level-2 area. */
  readonly #byNumber: ReadonlyMap<string, readonly City[]>
  readonly #municipalities = new Map<string, City | null>([['', null]])
  readonly #at: ReadonlyMap<CheckedCode, number>
  readonly #witness: ReadonlyMap<string, readonly Spot[]>
  readonly #areas: OwnAreas
  /** Names that the witness, and registers of the country without positions, have for each code. */
  readonly #witnessNames: ReadonlyMap<string, ReadonlySet<string>>
  readonly #registered: readonly ReadonlyMap<string, ReadonlySet<string>>[]
  /** Of the codes that both have at different places: the names of all of their places. */
  #names: Map<string, string[]> | undefined

  /**
   * @param source the witness
   * @param witness its positions
   * @param others sources that are neither the witness nor what the index was made of
   * @param registers the same, which have names and no positions
   */
  constructor(
    checked: CheckedCountry,
    source: Source,
    witness: ReadonlyMap<string, readonly Spot[]>,
    others: readonly Source[],
    registers: readonly Source[],
  ) {
    const { cc, placed, cities } = checked
    this.#checked = checked
    this.#areas = new OwnAreas(checked, witness)
    this.#placed = placed
    this.#witness = witness
    this.#witnessNames = namesOf(source, cc)
    this.#registered = registers.map(register => namesOf(register, cc))
    this.#others = others.map(source => spotsOf(source, cc))
    this.#byName = groupBy(cities, ({ name }) => cityKey(name))
    this.#byNumber = groupBy(cities, numberOf)
    this.#at = new Map(placed.map((code, at) => [code, at]))
  }

  /**
   * By the first rule that decides; README.md explains them. Each is the same for both: who contradicts his own neighbours is set aside,
   * and a place that gave one of the two his position is no third.
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
      ['place', this.#only(code.city) ?? this.#areas.only(code, this.#byName.get(cityKey(code.city)) ?? [])],
      ['municipality', this.#municipality(code)],
    ] as const) {
      const third: Spot[] = place === null ? [] : [[place.lat, place.lon]]
      if (nearestOf(own, third) <= TAKEN_KM || nearestOf(spots, third) <= TAKEN_KM) continue
      const verdict = nearerOf(own, spots, third)
      if (verdict !== 'open') return { verdict, rule }
    }
    const byArea = this.#areas.decide(code, own, spots) ?? this.#byRegister(code, own, spots)
    if (byArea !== undefined) return { verdict: byArea, rule: 'area' }
    if (this.#areas.excludes(code, spots) || this.#isNamesake(code, own, spots))
      return { verdict: 'open', rule: 'nobody' }
    if (this.#isOtherPlace(code, own, spots)) return { verdict: 'extent', rule: 'places' }
    if (this.#areas.reaches(code)) return { verdict: 'extent', rule: 'reach' }
    const isRural = this.#checked.cc === 'CA' && RURAL.test(code.key)
    if (isRural && nearestKm(code, spots) <= RURAL_KM) return { verdict: 'extent', rule: 'rural' }
    return { verdict: 'open', rule: 'nobody' }
  }

  /** Whose name a register has for the code, where the other one has that of another town. */
  #byRegister(
    { key, city }: CheckedCode,
    own: readonly Spot[],
    spots: readonly Spot[],
  ): 'index' | 'witness' | undefined {
    const ownName = cityKey(city)
    const [witnessName = ''] = this.#witnessNames.get(key) ?? []
    const isTown = (name: string, at: readonly Spot[]) =>
      (this.#byName.get(name) ?? []).some(
        ({ lat, lon, population }) =>
          population >= TOWN_POPULATION || nearestOf(at, [[lat, lon]]) <= AGREES_KM,
      )
    for (const register of this.#registered) {
      const names = register.get(key)
      if (names === undefined || names.has(ownName) === names.has(witnessName)) continue
      if (names.has(ownName) && isTown(witnessName, spots)) return 'index'
      if (names.has(witnessName) && isTown(ownName, own)) return 'witness'
    }
    return undefined
  }

  /** Whether the witness is at a place of the code's name, and the index at none: nothing excuses that. */
  #isNamesake({ city }: CheckedCode, own: readonly Spot[], spots: readonly Spot[]): boolean {
    const named = (this.#byName.get(cityKey(city)) ?? []).map(({ lat, lon }): Spot => [lat, lon])
    return nearestOf(spots, named) <= AGREES_KM && nearestOf(own, named) > AGREES_KM
  }

  /** Whether the witness is at another place of the same code, as both the index and the gazetteer name it. */
  #isOtherPlace(code: CheckedCode, own: readonly Spot[], spots: readonly Spot[]): boolean {
    this.#names ??= placeNamesOf(this.#checked, new Set(this.#witness.keys()))
    const names = (this.#names.get(code.key) ?? []).filter(name => name !== code.city)
    const witnessNames = this.#witnessNames.get(code.key)
    if (names.some(name => witnessNames?.has(cityKey(name)))) return !this.#areas.excludes(code, own)
    const near = names
      .flatMap(name => this.#byName.get(cityKey(name)) ?? [])
      .map(({ lat, lon }): Spot => [lat, lon])
    return nearestOf(spots, near) <= PLACE_KM && !this.#areas.excludes(code, own)
  }

  /** The only place of the country with this name; null when there are more, or none. */
  #only(name: string): City | null {
    const [only, ...others] = this.#byName.get(cityKey(name)) ?? []
    return only === undefined || others.length > 0 ? null : only
  }

  /** The main place of the municipality that is the level-2 area of `code`; null where that is larger, or has no place of its name. */
  #municipality({ area2 }: CheckedCode): City | null {
    return kept(this.#municipalities, area2, () => {
      const main = this.#only(area2.slice(area2.indexOf(' / ') + 3).replace(MUNICIPALITY, ''))
      if (main === null) return null
      const places = this.#byNumber.get(numberOf(main)) ?? []
      const km = places.map(({ lat, lon }) => distanceKm(lat, lon, main.lat, main.lon))
      return median(km) <= MUNICIPALITY_KM ? main : null
    })
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
