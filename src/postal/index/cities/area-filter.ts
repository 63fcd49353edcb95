/** State filters of a city search. Each distinct name and code is compared once. */
import { ADMIN_WORD, ADMIN_WORDS } from '../../format/admin-entry.ts'
import type { AreaNames } from '../../format/meta.ts'
import { areaKey } from '../../text/area.ts'
import { cityKey } from '../../text/city.ts'
import type { Country } from '../country.ts'
import { isListOf, isMapOf, isText, unpacked } from '../meta-section.ts'
import type { PostalIndex } from '../postal-index.ts'
import { placeAdmin } from '../read-place.ts'
import { plainText } from '../text-section.ts'

const LEVELS = 3

interface WantedArea {
  /** City keys and area keys of its names. */
  readonly names: readonly string[]
  /** Area keys of its names. */
  readonly bares: readonly string[]
  readonly codes: readonly string[]
  readonly levels: number
}

/**
 * Returns a function that accepts areas by their index in ADMN.
 * @param areas each must be a name or code of one of the three levels. Names are compared like city names, other
 * names and those without the kind of area too. Codes are compared without case, separators and country. The
 * country's own code means all of it: addresses in Guam have GU
 */
export function areaFilter(
  index: PostalIndex,
  country: Country,
  areas: readonly string[],
): (admin: number) => boolean {
  const isCountry = (area: string) =>
    plainCode(area) === country.cc && !knownAreas(index, country).stateCodes.has(country.cc)
  const wanted = areas
    .filter(area => !isCountry(area))
    .map((area): WantedArea => {
      const names = [area, ...otherNames(index, country, area)]
      // 31 states have a county named Washington. A town in Washington means the state.
      const isState = country.cc === 'US' && isStateOf(index, country, area, names)
      const codes = names.map(name => plainCode(name.replace(new RegExp(`^${country.cc}-`, 'i'), '')))
      const bares = names.map(areaKey)
      return { names: [...names.map(cityKey), ...bares], bares, codes, levels: isState ? 1 : LEVELS }
    })
  return admin => wanted.every(area => hasArea(index, area, admin * ADMIN_WORDS))
}

/** Returns true if one of the levels is wanted. Names and codes alternate from word `first` of ADMN on. */
function hasArea(index: PostalIndex, { names, bares, codes, levels }: WantedArea, first: number): boolean {
  const { admins } = index
  for (let level = 0; level < levels; level++) {
    const [name, code] = [admins[first + level * 2], admins[first + level * 2 + 1]]
    if (name !== 0) {
      const { full, bare } = keysAt(index, name)
      if (names.includes(full) || bares.includes(bare)) return true
    }
    if (code !== 0 && codes.includes(keysAt(index, code).code)) return true
  }
  return false
}

/** Returns true if `area`, or one of its `names`, is a level-1 area of the country. */
export function isStateOf(
  index: PostalIndex,
  country: Country,
  area: string,
  names: readonly string[],
): boolean {
  const { stateCodes, stateNames } = knownAreas(index, country)
  return stateCodes.has(plainCode(area)) || names.some(name => stateNames.has(cityKey(name)))
}

/** Names and codes of the areas of a country. */
interface KnownAreas {
  /** City keys of the names of level-1 areas. */
  readonly stateNames: ReadonlySet<string>
  /** Plain codes of level-1 areas. */
  readonly stateCodes: ReadonlySet<string>
  /** Other names of areas, by their city keys and area keys. */
  readonly otherNames: AreaNames
}

const areasByCountry = new WeakMap<Country, KnownAreas>()

/** Returns the areas of a country. Costs a millisecond for 40,000 places, once. */
function knownAreas(index: PostalIndex, country: Country): KnownAreas {
  const known = areasByCountry.get(country)
  if (known !== undefined) return known
  const { text, admins } = index
  const { cc, meta } = country
  const [names, codes] = [new Set<number>(), new Set<number>()]
  for (let place = meta.placeStart; place < meta.placeStart + meta.placeCount; place++) {
    const admin = placeAdmin(index, place) * ADMIN_WORDS
    names.add(admins[admin + ADMIN_WORD.name1])
    codes.add(admins[admin + ADMIN_WORD.code1])
  }
  const found = {
    stateNames: new Set(Array.from(names, offset => cityKey(plainText(text, offset)))),
    stateCodes: new Set(Array.from(codes, offset => plainCode(plainText(text, offset)))),
    otherNames: unpacked(meta.areaNames, `the other names of areas of ${cc}`, areNames),
  }
  areasByCountry.set(country, found)
  return found
}

function areNames(value: unknown): value is AreaNames {
  return isMapOf(value, (names): names is string[] => isListOf(names, isText))
}

function plainCode(code: string): string {
  return code.toUpperCase().replace(/[\s.-]/g, '')
}

function otherNames(index: PostalIndex, country: Country, area: string): readonly string[] {
  const { otherNames } = knownAreas(index, country)
  const key = [cityKey(area), areaKey(area)].find(each => Object.hasOwn(otherNames, each))
  return key === undefined ? [] : otherNames[key]
}

interface AreaKeys {
  readonly full: string
  readonly bare: string
  readonly code: string
}

/** Keys of compared names, by their offset in TEXT. */
const areaKeys = new WeakMap<PostalIndex, Map<number, AreaKeys>>()

function keysAt(index: PostalIndex, offset: number): AreaKeys {
  const all = areaKeys.get(index) ?? new Map<number, AreaKeys>()
  areaKeys.set(index, all)
  const known = all.get(offset)
  if (known !== undefined) return known
  const name = plainText(index.text, offset)
  const keys = { full: cityKey(name), bare: areaKey(name), code: plainCode(name) }
  all.set(offset, keys)
  return keys
}
