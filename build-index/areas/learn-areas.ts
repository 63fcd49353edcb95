/** Learns which areas of the gazetteer the areas of rows are. */
import { agree, getOrMake, incrementIn, mostFrequent, sumOf } from '../../datasets/maps.ts'
import { areaName } from '../../datasets/reference/area-gazetteer.ts'
import type { City } from '../../datasets/reference/cities-500.ts'
import { areaKey } from '../../src/postal/text/area.ts'
import { cityKey } from '../../src/postal/text/city.ts'
import { isPlaced } from '../distance.ts'
import type { AreaNumbers, Gazetteer } from '../gazetteer/gazetteer.ts'
import { type AnyCode, adminsOf, placesOf } from '../rows/code.ts'
import type { Areas } from '../rows/places.ts'
import {
  AGREEING_MIN,
  FEW_SHARE,
  FURTHER_AREA_SHARE,
  LEVEL_2_NAMES_SHARE,
  NEAREST_KM,
  ONLY_SHARE,
} from '../thresholds.ts'

/** Number of votes for areas of the gazetteer, by label of a level-1 or level-2 area. */
export type Votes = Map<string, Map<string, number>>

/** Areas of the gazetteer by labels of rows. */
export interface LearntAreas {
  level1: ReadonlyMap<string, AreaNumbers>
  /** Level-2 areas, where enough names agree. */
  level2: ReadonlyMap<string, AreaNumbers>
  /** Level-2 areas whose number and name are the gazetteer's, though few places confirm it. Not sure near borders. */
  numbered: ReadonlyMap<string, AreaNumbers>
}

/** Learns the areas of each label from positions and unique names. Costs about 2 us a position. */
export function learnAreas(country: string, codes: readonly AnyCode[], gazetteer: Gazetteer): LearntAreas {
  const votes = nameVotes(codes, gazetteer)
  const byPosition = positionVotes(codes, gazetteer)
  const labels = new Set(Array.from(adminsOf(codes), ({ level1 }) => level1).filter(label => label !== ''))
  const level1 = learnLevel1(votes, byPosition, labels, namesakeFinder(country, gazetteer, [...labels]))
  const level2 = learnLevel2(votes)
  const numbered = learnByName(country, codes, gazetteer, level1, votes, level2)
  return { level1, level2, numbered }
}

function learnLevel2(votes: Votes): Map<string, AreaNumbers> {
  const level2 = new Map<string, AreaNumbers>()
  for (const [label, counts] of votes) {
    if (!label.includes('\t')) continue
    const main = mostFrequent(counts) ?? ''
    const most = counts.get(main) ?? 0
    if (most < AGREEING_MIN || most < sumOf(counts) * LEVEL_2_NAMES_SHARE) continue
    // A further area with several names counts too: the label is a former larger district.
    const others = [...counts]
      .filter(([, count]) => count >= Math.max(AGREEING_MIN, most * FEW_SHARE))
      .map(([area]) => area)
    level2.set(label, new Set([main, ...others]))
  }
  return level2
}

/**
 * Adds the level-2 areas that have the same name in the gazetteer, where names of places are too few to tell. Returns the
 * areas that have the same number too.
 */
function learnByName(
  country: string,
  codes: readonly AnyCode[],
  gazetteer: Gazetteer,
  level1: ReadonlyMap<string, AreaNumbers>,
  votes: Votes,
  level2: Map<string, AreaNumbers>,
): Map<string, AreaNumbers> {
  const sure = new Map<string, AreaNumbers>()
  /** Number by area and name; null where two have the name. */
  const named = new Map<string, string | null>()
  const names = new Map(level2Names(country, gazetteer))
  for (const [number, name] of names) agree(named, `${number.split('\t')[0]}\t${areaKey(name)}`, number)
  for (const admin of adminsOf(codes)) {
    if (admin.name2 === '') continue
    const numbered = Array.from(level1.get(admin.level1) ?? [], area => `${area}\t${admin.code2}`)
    const own = numbered.find(number => areaKey(names.get(number) ?? '') === areaKey(admin.name2))
    if (own !== undefined) sure.set(admin.level2, new Set([own]))
    const isTold = sumOf(votes.get(admin.level2) ?? new Map()) >= AGREEING_MIN
    // Municipalities have the names of larger areas too: Lahti.
    const isSmall = gazetteer.numbered([admin.code2]) !== null
    if (isTold || isSmall || level2.has(admin.level2)) continue
    const known = [...(level1.get(admin.level1) ?? [])].flatMap(
      area => named.get(`${area}\t${areaKey(admin.name2)}`) ?? [],
    )
    if (known.length > 0) level2.set(admin.level2, new Set(known))
  }
  return sure
}

/**
 * Returns a function that finds the gazetteer's area with the name of a label. Counties of Taiwan are level 1 of rows, and
 * level 2 of the gazetteer.
 */
function namesakeFinder(
  country: string,
  gazetteer: Gazetteer,
  labels: readonly string[],
): (label: string) => string {
  const numbers = new Set(gazetteer.cities.map(({ admin1 }) => admin1))
  const level1 = new Map(Array.from(numbers, number => [cityKey(areaName(country, number)), number]))
  const level2 = new Map<string, string>()
  for (const [number, name] of level2Names(country, gazetteer)) {
    level2.set(cityKey(name), number)
    getOrMake(level2, areaKey(name), () => number)
  }
  const inLevel1 = (label: string) => level1.get(cityKey(label)) ?? ''
  const inLevel2 = (label: string) => level2.get(cityKey(label)) ?? level2.get(areaKey(label)) ?? ''
  const isLevel2 =
    labels.filter(inLevel2).length > Math.max(labels.filter(inLevel1).length, labels.length / 2)
  return isLevel2 ? inLevel2 : inLevel1
}

/** Returns the names of the gazetteer's level-2 areas by number. */
export function level2Names(country: string, gazetteer: Gazetteer): [number: string, name: string][] {
  const numbers = Array.from(new Set(gazetteer.cities.map(({ level2 }) => level2)), number =>
    number.split('\t'),
  )
  return numbers
    .filter(([, below]) => below !== undefined)
    .map(([area, below]) => [`${area}\t${below}`, areaName(country, area, below)])
}

function learnLevel1(
  byName: Votes,
  byPosition: Votes,
  labels: ReadonlySet<string>,
  namesakeOf: (label: string) => string,
): Map<string, AreaNumbers> {
  const areas = new Map<string, AreaNumbers>()
  const namesakes = new Set(Array.from(labels, namesakeOf))
  for (const label of labels) {
    const [names, positions] = [sharesOf(byName.get(label)), sharesOf(byPosition.get(label))]
    const namesake = namesakeOf(label)
    const known = positions.size > 0 ? positions : names
    const main = namesake || (mostFrequent(known) ?? '')
    const share = known.get(main) ?? 0
    // Contradicting names and positions are not believed.
    const isMost = names.has(main) && Math.max(...names.values()) === names.get(main)
    if (namesake === '' && share <= 0.5 && !isMost) continue
    // A single label may mean the whole country, as in Åland.
    if (labels.size === 1 && share < ONLY_SHARE) continue
    const isFurther = (area: string) =>
      (names.get(area) ?? 0) >= FURTHER_AREA_SHARE &&
      (positions.get(area) ?? 0) >= FURTHER_AREA_SHARE &&
      !namesakes.has(area)
    areas.set(label, new Set([main, ...[...known.keys()].filter(isFurther)]))
  }
  return areas
}

/** Counts areas by label, from names that one place of the gazetteer has. Each place votes once. */
function nameVotes(codes: readonly AnyCode[], gazetteer: Gazetteer): Votes {
  const votes: Votes = new Map()
  for (const { key, admin } of placesOf(codes)) {
    const [city, ...others] = key === '' ? [] : gazetteer.named(key)
    if (city !== undefined && others.length === 0) vote(votes, admin, city)
  }
  return votes
}

/** Counts areas of the places nearest to codes, by label. */
export function positionVotes(codes: readonly AnyCode[], gazetteer: Gazetteer): Votes {
  const votes: Votes = new Map()
  for (const { position, places } of codes) {
    if (!isPlaced(position)) continue
    const nearest = gazetteer.nearest(position.lat, position.lon, NEAREST_KM)
    if (nearest !== null) vote(votes, places[0].admin, nearest)
  }
  return votes
}

function vote(votes: Votes, admin: Areas, { admin1, level2 }: City): void {
  if (admin.level1 !== '' && admin1 !== '') incrementIn(votes, admin.level1, admin1)
  if (admin.level2 !== '' && level2 !== '') incrementIn(votes, admin.level2, level2)
}

function sharesOf(counts: ReadonlyMap<string, number> = new Map()): Map<string, number> {
  const all = sumOf(counts)
  return new Map([...counts].map(([area, count]) => [area, count / all]))
}
