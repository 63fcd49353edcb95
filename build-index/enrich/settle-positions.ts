/** Positions: those of sources that cannot be true are withdrawn, and those that are missing are found or left out. */
import { distanceKm } from '../distance.ts'
import type { CodeDraft } from '../rows/drafts.ts'
import type { AreaExtents } from './area-extents.ts'
import type { Point } from './cell-grid.ts'
import { type Gazetteer, SAME_PLACE_KM } from './gazetteer.ts'
import { AT_PLACE_KM } from './grade-positions.ts'
import { misplacedRuns } from './misplaced-runs.ts'
import {
  isNotContradicted,
  isOutOf,
  middlesByArea,
  PositionEvidence,
  verdict,
  type Witnesses,
} from './position-evidence.ts'
import { kmTo, PossiblePlaces } from './possible-places.ts'
import { agreedMunicipality, agreedPlace, isContested, placeAmongNeighbours } from './second-witness.ts'
import { ACCURACY_ESTIMATED, ACCURACY_PLACE, SharedPoints } from './shared-points.ts'
import type { Towns } from './towns.ts'

/** What the second round finds to be improbable is judged by the positions that the first has found. */
const ROUNDS = 2

export interface PositionCounts {
  /** Positions of sources that were withdrawn. */
  withdrawn: number
  /** By what gave a position: another source, the place, its municipality, codes of the same areas, the region's main place. */
  'by source': number
  'by place': number
  'by municipality': number
  'by neighbours': number
  'by region': number
  /** By the gazetteer and another source, against the source of the code. */
  'by two witnesses': number
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
  // A source that calls every position an estimate, as GeoLite2 is taken to, does not say which ones are.
  const hasScale = codes.some(({ accuracy }) => accuracy > ACCURACY_ESTIMATED)
  for (const code of codes) settler.fillUnmistakable(code)
  settler.shared.leave(codes, hasScale)
  const ordered = [...codes].sort((a, b) => (a.key < b.key ? -1 : 1))
  settler.leaveNamesakes(ordered)
  for (let round = 0; round < ROUNDS; round++) if (settler.settle(ordered) === 0) break
  settler.doubtEstimates(codes)
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
    'by two witnesses': 0,
  }
  readonly #gazetteer: Gazetteer
  readonly #extents: AreaExtents
  readonly #places: PossiblePlaces
  readonly shared: SharedPoints
  /** Codes whose name means a namesake, and where that is. */
  #misplaced: ReadonlyMap<CodeDraft, Point> = new Map()
  /** Codes that have their position by name alone. */
  readonly #named = new Set<CodeDraft>()

  constructor(codes: readonly CodeDraft[], gazetteer: Gazetteer, extents: AreaExtents, towns: Towns) {
    this.#gazetteer = gazetteer
    this.#extents = extents
    this.#places = new PossiblePlaces(codes, gazetteer, extents, towns)
    this.shared = new SharedPoints(this.#places, extents, (code, point, accuracy, by) => {
      this.counts.withdrawn++
      this.#set(code, point, accuracy, by)
    })
  }

  /** Gives a code without a position that of its place, where the gazetteer has only one of the name in its level-1 area. */
  fillUnmistakable(code: CodeDraft): void {
    if (!Number.isNaN(code.lat)) return
    const city = this.#places.only(code)
    if (city === null) return
    this.#set(code, city, ACCURACY_PLACE, 'by place')
    this.#named.add(code)
  }

  /** Withdraws positions that codes next to each other have by the name that they share, where those around them lie elsewhere. */
  leaveNamesakes(codes: readonly CodeDraft[]): void {
    this.#misplaced = misplacedRuns(codes, code => this.#named.has(code))
    for (const code of this.#misplaced.keys()) {
      this.counts.withdrawn++
      code.setPosition(Number.NaN, Number.NaN, 0)
      this.#named.delete(code)
    }
  }

  /** One round over codes in the order of keys; returns how many codes have got another position. */
  settle(codes: readonly CodeDraft[]): number {
    const evidence = new PositionEvidence(codes, this.#extents)
    const open: [code: CodeDraft, witnesses: Witnesses][] = []
    let found = 0
    codes.forEach((code, i) => {
      const region = evidence.ofRegion(code)
      // Codes with the name of one place are neighbours at its namesake too.
      const isNamesake = this.#named.has(code) && isOutOf(region, code.lat, code.lon)
      const contested = isContested(code)
      if (!isNamesake && !contested && evidence.isAmongNeighbours(i) && !this.#isEstimate(code)) return
      const isKnown = !Number.isNaN(code.lat)
      const witnesses = {
        neighbours: evidence.ofNeighbours(i),
        area: evidence.ofArea(code),
        isSmallArea: evidence.isSmallArea(code),
        region,
        isOnIsland: isKnown && evidence.isOnIsland(i),
      }
      if (this.#takeAgreed(code, witnesses)) {
        found++
        return
      }
      if (isKnown && !this.#isDoubtful(code, evidence.isSure(i), witnesses)) return
      open.push([code, witnesses])
    })
    for (const [code, witnesses] of open) {
      if (!Number.isNaN(code.lat)) this.counts.withdrawn++
      code.setPosition(Number.NaN, Number.NaN, 0)
      if (this.#find(code, witnesses, evidence)) found++
    }
    return found
  }

  /**
   * An estimate may be as far off as another source has the code from it, unless only the estimate is in the level-2 area. Where that is too
   * far, the position is left out in the end.
   */
  doubtEstimates(codes: readonly CodeDraft[]): void {
    for (const code of codes) {
      const { lat, lon, other, places } = code
      if (Number.isNaN(lat) || other === undefined || !this.#isWeak(code)) continue
      const [{ admin }] = places
      const isOnlyOne = this.#extents.isInPart(admin, lat, lon) && !this.#extents.isInPart(admin, ...other)
      if (!isOnlyOne) code.reachKm = Math.max(code.reachKm, distanceKm(lat, lon, ...other))
    }
  }

  /** Whether a position is an estimate, or the middle of a district, and not where the gazetteer has the place. */
  #isWeak(code: CodeDraft): boolean {
    const { lat, lon, places } = code
    if (!this.#isEstimate(code) && !this.shared.codes.has(code)) return false
    return places[0].city == null || kmTo(places[0].city, lat, lon) > AT_PLACE_KM
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

  /** Moves a code to where the gazetteer agrees with another source, or with the codes next to it; false where they do not. */
  #takeAgreed(code: CodeDraft, witnesses: Witnesses): boolean {
    const isEstimate = this.#isEstimate(code) || this.shared.codes.has(code)
    const contested = isContested(code)
    const place =
      (contested ? agreedPlace(code, this.#places, this.#extents, witnesses, isEstimate) : null) ??
      placeAmongNeighbours(code, this.#places, witnesses)
    const town =
      place ?? (contested ? agreedMunicipality(code, this.#places, this.#extents, witnesses) : null)
    if (town === null) return false
    if (!Number.isNaN(code.lat)) this.counts.withdrawn++
    return this.#set(code, town, place === null ? ACCURACY_ESTIMATED : ACCURACY_PLACE, 'by two witnesses')
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
    const namesake = this.#misplaced.get(code)
    const isNamesake = ({ lat, lon }: Point) =>
      namesake !== undefined && kmTo(namesake, lat, lon) <= SAME_PLACE_KM
    const city = this.#places.meant(code, witnesses)
    if (city !== null && !isNamesake(city)) return this.#set(code, city, ACCURACY_PLACE, 'by place')
    const other = code.other && { lat: code.other[0], lon: code.other[1] }
    if (other && this.#extents.holds(admin, other.lat, other.lon) && isNotContradicted(other, witnesses))
      return this.#set(code, other, ACCURACY_ESTIMATED, 'by source')
    const main = this.#places.municipality(admin)
    // Where little is known of a municipality, its main place says more of where it lies than the codes of the next one do.
    if (main !== null && !isNamesake(main) && (witnesses.isSmallArea || isNotContradicted(main, witnesses))) {
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
