/**
 * Names of areas: their own names, names in further fields of an answer, and other names for the filter of city search by
 * state, where `東京都` and `Tokio` mean `Tokyo`.
 */

import { addToSet, getOrMake, memoised } from '../../datasets/maps.ts'
import { areaSynonyms, ownAreas } from '../../datasets/reference/area-names.ts'
import { isoAreas as isoAreasOf } from '../../datasets/reference/iso-areas.ts'
import { ownScripts, withoutAccents } from '../../datasets/reference/scripts.ts'
import type { AreaNames } from '../../src/postal/format/meta.ts'
import { areaKey } from '../../src/postal/text/area.ts'
import { cityKey } from '../../src/postal/text/city.ts'
import type { Country } from '../areas/country.ts'
import { isAscii, isInCapitals } from '../places/spell-places.ts'
import { adminsOf, type GradedCode, replaceAreas, replacePlaces } from '../rows/code.ts'
import { parentOf } from '../rows/postal-unions.ts'

/** Levels of the city in countries with further fields. */
const CITY_FIELDS: Readonly<Record<string, 'name2' | 'name3'>> = { BR: 'name2', MX: 'name3' }

/** Sets further fields. Call after the areas are filled. */
export function setAreaFields(
  codes: readonly GradedCode[],
  { cc, pool, isoAreas }: Country,
): readonly GradedCode[] {
  const cityField = CITY_FIELDS[cc]
  if (cityField === undefined) return codes
  return replacePlaces(codes, place => {
    const { name } = place
    // Sectors of Brazil have the names of municipalities.
    const name2 = place.admin.name2 || (cc === 'BR' ? name : '')
    const admin = { ...place.admin, name2 }
    const state = isoAreas.find(admin.name1)?.names[0] ?? admin.name1
    const extra: Record<string, string> = { adminLevel1: state, adminLevel2: admin.name2 }
    if (state !== admin.name1) extra.state = state
    extra.municipality = admin.name2
    if (admin[cityField] !== name) extra.city = admin[cityField]
    const known = Object.entries(extra).filter(([, value]) => value !== '')
    return pool.moved(place, { ...admin, extra: Object.fromEntries(known) })
  })
}

/**
 * Gives level-1 areas the country's own names. Takes the spelling of ISO 3166-2 where a source lacks accents or has other
 * capitals. Runs after all steps that match areas by the names of sources.
 */
export function nameAreasNatively(
  codes: readonly GradedCode[],
  { cc, pool, isoAreas }: Country,
): readonly GradedCode[] {
  const areas = ownAreas(parentOf(cc) ?? cc)
  const names = synonymsOf(areas)
  // ISO romanises the names of other scripts with accents that few write: Tôkyô.
  const official = new Map(ownScripts(cc) ? [] : isoNames(cc))
  // The Turkish `ı` is an `i` that lost its dot, not its accent.
  const plain = (name: string) => withoutAccents(name).toLowerCase().replaceAll('ı', 'i')
  const spelled = (name: string) => {
    const iso = official.get(isoAreas.find(name)?.code ?? '') ?? ''
    const isSame = plain(iso) === plain(name)
    const gainsAccents = isAscii(name) && !isAscii(iso)
    return iso !== '' && (isSame || gainsAccents || isInCapitals(name)) ? iso : name
  }
  const named = replaceAreas(codes, pool, admin => {
    const { name1, code1 } = admin
    const [own] = [...names(name1), ...(areas.find(area => area.includes(code1)) ?? [])]
    return { ...admin, name1: own ?? spelled(name1) }
  })
  const kinds = new Set(Array.from(adminsOf(named), ({ name1 }) => kindOf(name1)))
  return replaceAreas(named, pool, admin => {
    const { name1 } = admin
    const kind = kindOf(name1)
    const small = kind.toLowerCase()
    return kind === small || !kinds.has(small)
      ? admin
      : { ...admin, name1: name1.slice(0, -kind.length) + small }
  })
}

/** Returns the last of several words. Most sources write `область`, some `Область`. */
function kindOf(name: string): string {
  return name.slice(name.lastIndexOf(' ') + 1 || name.length)
}

/** Returns codes and names of ISO's areas, without inverted and double names such as `Praha, Hlavní město`. */
function isoNames(country: string): [code: string, name: string][] {
  const areas = isoAreasOf(country).map(({ code, names: [name] }) => [code, name] as [string, string])
  return areas.filter(([, name]) => !/[,/([]/.test(name))
}

/**
 * Returns other names of areas by `cityKey`: `bavaria` means `Bayern`, the name in `codes`. If `codes` lack a name, the
 * area's code stands for it. Leaves out names that another area has as its own.
 */
export function otherAreaNames(codes: readonly GradedCode[], { cc, isoAreas }: Country): AreaNames {
  const level1 = new Set<string>()
  const below = new Set<string>()
  for (const { places } of codes)
    for (const { admin } of places) {
      level1.add(admin.name1 || admin.code1)
      below.add(admin.name2).add(admin.name3)
    }
  const synonyms = synonymsOf(areaSynonyms(cc))
  const [keys1, keysBelow] = [level1, below].map(names => new Set(Array.from(names, cityKey)))
  // Two names in rows may mean one area. If 東京都 is Tokyo, it names no other area.
  const isSame = (a: string, b: string) =>
    (isoAreas.find(a) !== undefined && isoAreas.find(a)?.code === isoAreas.find(b)?.code) ||
    (synonyms(a).length > 0 && synonyms(a) === synonyms(b))
  const others = new Map<string, Set<string>>()
  const learn = (name: string, other: string) => {
    for (const key of new Set([cityKey(other), areaKey(other)])) {
      if (key === '' || key === cityKey(name)) continue
      if ((keys1.has(key) || keysBelow.has(key)) && !isSame(other, name)) continue
      addToSet(others, key, name)
    }
  }
  for (const name of level1)
    for (const other of [...isoAreas.namesOf(name), ...synonyms(name)]) learn(name, other)
  for (const name of below) for (const other of synonyms(name)) learn(name, other)
  return Object.fromEntries(Array.from(others, ([key, names]) => [key, [...names]]))
}

/** Returns a function that finds all names of an area by one of them, as one shared list. */
function synonymsOf(areas: string[][]): (name: string) => readonly string[] {
  const byKey = new Map<string, readonly string[]>()
  for (const area of areas)
    for (const name of area)
      for (const key of [cityKey(name), areaKey(name)]) getOrMake(byKey, key, () => area)
  return memoised(name => (name === '' ? [] : (byKey.get(cityKey(name)) ?? byKey.get(areaKey(name)) ?? [])))
}
