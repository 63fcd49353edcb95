import { agree } from '../../datasets/maps.ts'
import { areaName } from '../../datasets/reference/area-gazetteer.ts'
import { areasOfPost } from '../../datasets/reference/code-areas.ts'
import type { Gazetteer } from '../gazetteer/gazetteer.ts'
import type { AdminModel, Level } from '../model.ts'
import { type ListedCode, replaceAreas, withEachPlace } from '../rows/code.ts'
import type { PlacePool } from '../rows/places.ts'
import { USPS_OTHER_STATES } from '../rows/us-states.ts'
import { NEARLY_ALL_SHARE } from '../thresholds.ts'
import type { Country } from './country.ts'

const LEVELS = [1, 2, 3] as const
/** Next larger level. */
const ABOVE = { 2: 1, 3: 2 } as const

/**
 * Fills missing names, codes and parents of areas from rows of the country that agree on them. Where rows have only
 * the gazetteer's numbers of level 2, the gazetteer names the areas. Sets level 1 where the post tells it.
 */
export function completeAreas(
  codes: readonly ListedCode[],
  { cc, pool, gazetteer }: Pick<Country, 'cc' | 'pool' | 'gazetteer'>,
): readonly ListedCode[] {
  const known = learn(cc, pool)
  learnNumbered(cc, pool, gazetteer, known)
  const completed = replaceAreas(codes, pool, admin => {
    // `Vi` and `Gu` are the country, so that level 2 is level 1.
    if (admin.name1.toUpperCase() !== cc) return complete(admin, known)
    return complete({ ...admin, name1: admin.name2, code1: admin.code2, name2: '', code2: '' }, known)
  })
  return withAreasOfPost(cc, completed, pool)
}

/** Sets level 1 where the post tells it by the beginning of a code. */
function withAreasOfPost(
  country: string,
  codes: readonly ListedCode[],
  pool: PlacePool,
): readonly ListedCode[] {
  const areas = areasOfPost(country)
  if (areas.length === 0) return codes
  return codes.map(code => {
    const name1 = areas.find(({ beginning }) => beginning.test(code.key))?.name
    return withEachPlace(code, place =>
      name1 === undefined || place.admin.name1 === name1
        ? place
        : pool.moved(place, { ...place.admin, name1, code1: '' }),
    )
  })
}

interface Known {
  /** The code's name or the name's code, by level; `null` where rows disagree. */
  pairs: Map<string, string | null>
  /** Code of the level above, by level and code. */
  parents: Map<string, string | null>
}

function learn(country: string, pool: PlacePool): Known {
  const known: Known = { pairs: new Map(), parents: new Map() }
  if (country === 'US')
    for (const [code, name] of Object.entries(USPS_OTHER_STATES)) agree(known.pairs, `1c${code}`, name)
  for (const admin of pool.admins())
    for (const level of LEVELS) {
      const [name, code] = areaOf(admin, level)
      if (name !== '' && code !== '') {
        agree(known.pairs, `${level}c${code}`, name)
        agree(known.pairs, `${level}n${name}`, code)
      }
      if (level === 1 || code === '') continue
      const [, above] = areaOf(admin, ABOVE[level])
      if (above !== '') agree(known.parents, `${level}c${code}`, above)
    }
  return known
}

/** Adds the gazetteer's names where rows have only numbers: rows of Indonesia have numbers of its statistics office. */
function learnNumbered(country: string, pool: PlacePool, gazetteer: Gazetteer, { pairs }: Known): void {
  /** Number of the level-1 area by number of the level-2 area; null where it has several. */
  const above = new Map<string, string | null>()
  const admins = new Set<AdminModel>()
  for (const admin of pool.admins()) {
    if (admin.name1 !== '' || admin.name2 !== '') return
    if (admin.code2 !== '') admins.add(admin)
  }
  if (admins.size === 0) return
  for (const { admin1, admin2 } of gazetteer.cities) if (admin2 !== '') agree(above, admin2, admin1)
  const named = [...admins].filter(({ code2 }) => above.get(code2))
  if (named.length < admins.size * NEARLY_ALL_SHARE) return
  for (const { code1, code2 } of named) {
    const number = above.get(code2) ?? ''
    agree(pairs, `1c${code1}`, areaName(country, number))
    agree(pairs, `2c${code2}`, areaName(country, number, code2))
    agree(pairs, `2a${code2}`, areaName(country, number)) // a province that was divided has two names
  }
}

function areaOf(admin: AdminModel, level: Level): [name: string, code: string] {
  return [admin[`name${level}`], admin[`code${level}`]]
}

function complete(admin: AdminModel, { pairs, parents }: Known): AdminModel {
  const full = { ...admin }
  for (const level of [3, 2] as const) {
    const [name, code] = areaOf(full, ABOVE[level])
    const below = full[`code${level}`]
    if (name === '' && code === '' && below !== '')
      full[`code${ABOVE[level]}`] = parents.get(`${level}c${below}`) ?? ''
  }
  for (const level of LEVELS) {
    const [name, code] = areaOf(full, level)
    if (name === '' && code !== '')
      full[`name${level}`] = pairs.get(`${level}c${code}`) ?? pairs.get(`2a${full.code2}`) ?? ''
    else if (code === '' && name !== '') full[`code${level}`] = pairs.get(`${level}n${name}`) ?? ''
  }
  return full
}
