/** Learns which areas of the gazetteer the areas of rows are. */
import { addToSet, incrementIn, mostFrequent, sumOf } from '../../datasets/maps.ts'
import { areaName } from '../../datasets/reference/area-gazetteer.ts'
import type { City } from '../../datasets/reference/cities-500.ts'
import { cityKey } from '../../src/text/city.ts'
import type { AdminModel } from '../model.ts'
import { adminsOf, type CodeDraft, type PlaceDraft } from '../rows/drafts.ts'
import { type AreaNumbers, areaLabel, partLabel, partNumber } from './area-labels.ts'
import type { Gazetteer } from './gazetteer.ts'

/** Maximum distance to the place that tells in which area a position lies. */
export const NEAREST_KM = 10
const VOTES_MAX = 40_000
/** Share of names and of positions that makes a further area of the gazetteer a part of a label. */
const PART_SHARE = 0.25
/** Share of positions that the only label of a country needs to mean one area. */
const ONLY_SHARE = 0.65
/** Minimum number of unique names that tell where a level-2 area lies. */
const PART_NAMES_MIN = 3
const PART_NAMES_SHARE = 0.7
/** Minimum number of level-2 areas known by name that numbers are judged by. */
const NUMBERED_MIN = 5
const NUMBERED_SHARE = 0.9
type Votes = Map<string, Map<string, number>>

interface LearntAreas {
  areas: ReadonlyMap<string, AreaNumbers>
  /** Level-2 areas by label, where enough names agree. */
  parts: ReadonlyMap<string, AreaNumbers>
  /** Level-2 areas by the gazetteer's name for them, else by its number in rows. */
  numbered: ReadonlyMap<string, AreaNumbers>
}

/** Learns the areas of each label from positions and unique names. Costs about 2 us a position. */
export function learnAreas(country: string, codes: readonly CodeDraft[], gazetteer: Gazetteer): LearntAreas {
  const byName = nameVotes(codes, gazetteer, areaLabel, ({ admin1 }) => admin1)
  const areas = learn(byName, positionVotes(codes, gazetteer))
  const parts = learnParts(nameVotes(codes, gazetteer, partLabel, partNumber))
  const admins = adminsOf(codes)
  const named = namedParts(country, admins, areas, gazetteer)
  const numbered = numberedParts(admins, parts, areas, gazetteer)
  return { areas, parts, numbered: new Map([...numbered, ...named]) }
}

const AREA_KINDS =
  /^(municipality|municipio|province|provincia|provincie|partido|departamento|district|okres|powiat|city) (de |del |of )?|[ -](county|parish|district|rayon|raion|shi|ku|cho|machi|mura|son|municipality|ilcesi|city)$|s? (kommune?|kommun)$/

/** Returns level-2 areas by name, where the gazetteer has one of the name in the level-1 area. */
function namedParts(
  country: string,
  admins: Iterable<AdminModel>,
  areas: ReadonlyMap<string, AreaNumbers>,
  gazetteer: Gazetteer,
): Map<string, AreaNumbers> {
  const byName = new Map<string, Set<string>>()
  for (const numbers of new Set(gazetteer.cities.map(partNumber))) {
    if (numbers === '') continue
    const [area, part] = numbers.split('\t')
    addToSet(byName, `${area}\t${nameKey(areaName(country, area, part))}`, numbers)
  }
  const named = new Map<string, AreaNumbers>()
  for (const admin of admins)
    for (const area of areas.get(areaLabel(admin)) ?? []) {
      const found = admin.name2 === '' ? undefined : byName.get(`${area}\t${nameKey(admin.name2)}`)
      if (found?.size === 1) named.set(partLabel(admin), found)
    }
  return named
}

function nameKey(area: string): string {
  const plain = area.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase()
  return cityKey(plain.replace(AREA_KINDS, ''))
}

function learnParts(byName: Votes): Map<string, AreaNumbers> {
  const parts = new Map<string, AreaNumbers>()
  for (const [label, counts] of byName) {
    const main = mostFrequent(counts) ?? ''
    const most = counts.get(main) ?? 0
    if (most < PART_NAMES_MIN || most < sumOf(counts) * PART_NAMES_SHARE) continue
    // A second area with several names is a part too: the label is a former larger district.
    const others = [...counts].filter(([, count]) => count >= PART_NAMES_MIN).map(([area]) => area)
    parts.set(label, new Set([main, ...others]))
  }
  return parts
}

/**
 * Returns level-2 areas by their number in rows, if these are the gazetteer's numbers where names tell. India has the
 * gazetteer's numbers; many countries have those of an older reform.
 */
function numberedParts(
  admins: Iterable<AdminModel>,
  parts: ReadonlyMap<string, AreaNumbers>,
  areas: ReadonlyMap<string, AreaNumbers>,
  gazetteer: Gazetteer,
): Map<string, AreaNumbers> {
  const known = new Set(gazetteer.cities.map(partNumber))
  const numbered = new Map<string, Set<string>>()
  for (const admin of admins) {
    const label = partLabel(admin)
    if (label === '' || admin.code2 === '') continue
    for (const area of areas.get(areaLabel(admin)) ?? []) {
      const number = `${area}\t${admin.code2}`
      if (known.has(number)) addToSet(numbered, label, number)
    }
  }
  let [same, all] = [0, 0]
  for (const [label, numbers] of numbered) {
    const byName = parts.get(label)
    if (byName === undefined) continue
    all++
    if ([...numbers].some(number => byName.has(number))) same++
  }
  return all >= NUMBERED_MIN && same >= all * NUMBERED_SHARE ? numbered : new Map()
}

function learn(byName: Votes, byPosition: Votes): Map<string, AreaNumbers> {
  const areas = new Map<string, AreaNumbers>()
  const labels = new Set([...byName.keys(), ...byPosition.keys()])
  for (const label of labels) {
    const [names, positions] = [sharesOf(byName.get(label)), sharesOf(byPosition.get(label))]
    const known = positions.size > 0 ? positions : names
    const main = mostFrequent(known) ?? ''
    // Contradicting names and positions are not believed.
    if ((known.get(main) ?? 0) <= 0.5 && !isMost(names, main)) continue
    // A single label may mean the whole country, as in Åland.
    if (labels.size === 1 && (known.get(main) ?? 0) < ONLY_SHARE) continue
    const isPart = (area: string) =>
      (names.get(area) ?? 0) >= PART_SHARE && (positions.get(area) ?? 0) >= PART_SHARE
    areas.set(label, new Set([main, ...[...known.keys()].filter(isPart)]))
  }
  return areas
}

function isMost(shares: ReadonlyMap<string, number>, area: string): boolean {
  return shares.has(area) && Math.max(...shares.values()) === shares.get(area)
}

/** Counts areas by label, from names that one place of the gazetteer has. Each place votes once. */
function nameVotes(
  codes: readonly CodeDraft[],
  gazetteer: Gazetteer,
  labelOf: (admin: AdminModel) => string,
  areaOf: (city: City) => string,
): Votes {
  const votes: Votes = new Map()
  const seen = new Set<PlaceDraft>()
  for (const code of codes)
    for (const place of code.places) {
      if (seen.has(place)) continue
      seen.add(place)
      const named = place.key === '' ? [] : gazetteer.named(place.key)
      if (named.length === 1) vote(votes, labelOf(place.admin), areaOf(named[0]))
    }
  return votes
}

function positionVotes(codes: readonly CodeDraft[], gazetteer: Gazetteer): Votes {
  const votes: Votes = new Map()
  const step = Math.ceil(codes.length / VOTES_MAX)
  for (let at = 0; at < codes.length; at += step) {
    const { places, lat, lon } = codes[at]
    if (Number.isNaN(lat)) continue
    const nearest = gazetteer.nearest(lat, lon, NEAREST_KM)
    if (nearest !== null) vote(votes, areaLabel(places[0].admin), nearest.admin1)
  }
  return votes
}

function vote(votes: Votes, label: string, area: string): void {
  if (label !== '' && area !== '') incrementIn(votes, label, area)
}

function sharesOf(counts: ReadonlyMap<string, number> = new Map()): Map<string, number> {
  const all = sumOf(counts)
  return new Map([...counts].map(([area, count]) => [area, count / all]))
}
