/** Learns which areas of the gazetteer the areas of rows are. */
import { incrementIn, mostFrequent, sumOf } from '../../datasets/maps.ts'
import { areaName } from '../../datasets/reference/area-gazetteer.ts'
import type { City } from '../../datasets/reference/cities-500.ts'
import { cityKey } from '../../src/postal/text/city.ts'
import type { Areas, CodeDraft, PlaceDraft } from '../rows/drafts.ts'
import { NEAREST_KM, ONLY_SHARE, PART_NAMES_SHARE, PART_SHARE, WITNESSES_MIN } from '../thresholds.ts'
import { type AreaNumbers, type Gazetteer, partNumber } from './gazetteer.ts'

/** Level at which labels of rows are areas of the gazetteer. */
export interface Division {
  labelOf(admin: Areas): string
  /** Returns the number of a place's area. */
  areaOf(city: City): string
}
export const LEVEL_1: Division = { labelOf: ({ label }) => label, areaOf: ({ admin1 }) => admin1 }
export const LEVEL_2: Division = { labelOf: ({ part }) => part, areaOf: partNumber }

export type Votes = Map<string, Map<string, number>>

interface LearntAreas {
  areas: ReadonlyMap<string, AreaNumbers>
  /** Level-2 areas by label, where enough names agree. */
  parts: ReadonlyMap<string, AreaNumbers>
}

/** Learns the areas of each label from positions and unique names. Costs about 2 us a position. */
export function learnAreas(country: string, codes: readonly CodeDraft[], gazetteer: Gazetteer): LearntAreas {
  const byName = nameVotes(codes, gazetteer, LEVEL_1)
  const [byPosition] = positionVotes(codes, gazetteer, [LEVEL_1])
  const areas = learn(byName, byPosition, numbersByName(country, gazetteer))
  const parts = learnParts(nameVotes(codes, gazetteer, LEVEL_2))
  return { areas, parts }
}

function learnParts(byName: Votes): Map<string, AreaNumbers> {
  const parts = new Map<string, AreaNumbers>()
  for (const [label, counts] of byName) {
    const main = mostFrequent(counts) ?? ''
    const most = counts.get(main) ?? 0
    if (most < WITNESSES_MIN || most < sumOf(counts) * PART_NAMES_SHARE) continue
    // A second area with several names is a part too: the label is a former larger district.
    const others = [...counts].filter(([, count]) => count >= WITNESSES_MIN).map(([area]) => area)
    parts.set(label, new Set([main, ...others]))
  }
  return parts
}

/** Returns the gazetteer's numbers of level-1 areas by key of their name. */
function numbersByName(country: string, gazetteer: Gazetteer): Map<string, string> {
  const numbers = new Set(gazetteer.cities.map(({ admin1 }) => admin1))
  return new Map(Array.from(numbers, number => [cityKey(areaName(country, number)), number]))
}

/** @param called numbers of areas by key of their name */
function learn(
  byName: Votes,
  byPosition: Votes,
  called: ReadonlyMap<string, string>,
): Map<string, AreaNumbers> {
  const areas = new Map<string, AreaNumbers>()
  const labels = new Set([...byName.keys(), ...byPosition.keys()])
  const namesakes = new Set(Array.from(labels, label => called.get(cityKey(label))))
  for (const label of labels) {
    const [names, positions] = [sharesOf(byName.get(label)), sharesOf(byPosition.get(label))]
    const namesake = called.get(cityKey(label)) ?? ''
    const known = positions.size > 0 ? positions : names
    const main = namesake || (mostFrequent(known) ?? '')
    const share = known.get(main) ?? 0
    // Contradicting names and positions are not believed.
    if (namesake === '' && share <= 0.5 && !isMost(names, main)) continue
    // A single label may mean the whole country, as in Åland.
    if (labels.size === 1 && share < ONLY_SHARE) continue
    const isPart = (area: string) =>
      (names.get(area) ?? 0) >= PART_SHARE && (positions.get(area) ?? 0) >= PART_SHARE && !namesakes.has(area)
    areas.set(label, new Set([main, ...[...known.keys()].filter(isPart)]))
  }
  return areas
}

function isMost(shares: ReadonlyMap<string, number>, area: string): boolean {
  return shares.has(area) && Math.max(...shares.values()) === shares.get(area)
}

/** Counts areas by label, from names that one place of the gazetteer has. Each place votes once. */
function nameVotes(codes: readonly CodeDraft[], gazetteer: Gazetteer, { labelOf, areaOf }: Division): Votes {
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

/** Counts areas of the places nearest to codes, by label, at each level. */
export function positionVotes(
  codes: readonly CodeDraft[],
  gazetteer: Gazetteer,
  levels: readonly Division[],
): Votes[] {
  const votes = levels.map((): Votes => new Map())
  for (const { places, lat, lon } of codes) {
    const nearest = Number.isNaN(lat) ? null : gazetteer.nearest(lat, lon, NEAREST_KM)
    if (nearest === null) continue
    for (const [i, { labelOf, areaOf }] of levels.entries())
      vote(votes[i], labelOf(places[0].admin), areaOf(nearest))
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
