/** The state filters of a city search, answered once per distinct name and code. */
import { ADMIN_WORDS } from '../../format/admin-entry.ts'
import type { AreaNames } from '../../format/meta.ts'
import { areaKey } from '../../text/area.ts'
import { cityKey } from '../../text/city.ts'
import type { Country } from '../country.ts'
import { isListOf, isMapOf, isText, unpacked } from '../meta-section.ts'
import { placeAdmin } from '../places.ts'
import type { PostalIndex } from '../postal-index.ts'
import { plainText } from '../text-section.ts'
import { COMPARED_LENGTH_MAX } from './edit-distance.ts'
import { foldedKey, foldName, keyUnits } from './name-fold.ts'

/** Administrative levels of a place. */
const LEVELS = 3

export class AdminFilter {
  readonly #index: PostalIndex
  readonly #areas: readonly WantedArea[]

  /**
   * @param areas texts each of which must be the name or the code of one of a place's three levels. Names are compared as
   *   city names are, with and without the kind of area that they state, and another name of an area of `country` stands for it;
   *   codes without case, spaces and hyphens, and without the country that ISO 3166-2 puts before them
   */
  constructor(index: PostalIndex, country: Country, areas: readonly string[]) {
    this.#index = index
    this.#areas = areas.map(area => {
      const names = [area, ...namesFor(country, area)]
      // 31 states have a county named Washington; who asks for a town in Washington means the state.
      const isState = country.cc === 'US' && isStateOf(index, country, area, names)
      return {
        name: new Wanted(anyTest(index, names)),
        code: new Wanted(codeTest(index, country.cc, names)),
        levels: isState ? 1 : LEVELS,
      }
    })
  }

  accepts(place: number): boolean {
    return this.#areas.length === 0 || this.acceptsAdmin(placeAdmin(this.#index, place))
  }

  /** @param admin index into ADMN */
  acceptsAdmin(admin: number): boolean {
    return this.#areas.every(area => this.#has(area, admin * ADMIN_WORDS))
  }

  /** True if one of the levels is wanted. Their names and codes take turns from word `first` of ADMN on. */
  #has({ name, code, levels }: WantedArea, first: number): boolean {
    const { admins } = this.#index
    for (let level = 0; level < levels; level++) {
      const at = first + level * 2
      if (name.is(admins[at]) || code.is(admins[at + 1])) return true
    }
    return false
  }
}

interface WantedArea {
  readonly name: Wanted
  readonly code: Wanted
  readonly levels: number
}

/** True if `area`, or one of its `names`, is a level-1 area of the country. */
function isStateOf(index: PostalIndex, country: Country, area: string, names: readonly string[]): boolean {
  const known = statesOf(index, country)
  return known.codes.has(plainCode(area)) || names.some(name => known.names.has(cityKey(name)))
}

/** Keys of the names of a country's level-1 areas, and their plain codes. */
interface States {
  readonly names: ReadonlySet<string>
  readonly codes: ReadonlySet<string>
}

const states = new WeakMap<Country, States>()

/** The level-1 areas of `country`: a millisecond for 40,000 places, once. */
function statesOf(index: PostalIndex, country: Country): States {
  const known = states.get(country)
  if (known !== undefined) return known
  const { text, admins } = index
  const { placeStart, placeCount } = country.meta
  const [names, codes] = [new Set<number>(), new Set<number>()]
  for (let place = placeStart; place < placeStart + placeCount; place++) {
    const admin = placeAdmin(index, place) * ADMIN_WORDS
    names.add(admins[admin])
    codes.add(admins[admin + 1])
  }
  const found = {
    names: new Set(Array.from(names, offset => cityKey(plainText(text, offset)))),
    codes: new Set(Array.from(codes, offset => plainCode(plainText(text, offset)))),
  }
  states.set(country, found)
  return found
}

/** A code as it is compared: without case, spaces, hyphens and dots. */
function plainCode(code: string): string {
  return code.toUpperCase().replace(/[\s.-]/g, '')
}

/**
 * A test of texts, by their offset. TEXT holds every string once, so the thousands of places called Centro have a few dozen
 * states between them, and each is compared once.
 */
class Wanted {
  readonly #test: (offset: number) => boolean
  readonly #answers = new Map<number, boolean>()

  constructor(test: (offset: number) => boolean) {
    this.#test = test
  }

  is(offset: number): boolean {
    if (offset === 0) return false
    let answer = this.#answers.get(offset)
    if (answer === undefined) {
      answer = this.#test(offset)
      this.#answers.set(offset, answer)
    }
    return answer
  }
}

/** Names in the index that `state` is another name of; mostly none. */
function namesFor(country: Country, state: string): readonly string[] {
  let names = areaNames.get(country)
  if (names === undefined) {
    names = unpackNames(country)
    areaNames.set(country, names)
  }
  for (const key of [cityKey(state), areaKey(state)]) if (Object.hasOwn(names, key)) return names[key]
  return []
}

/** @throws DamagedIndexError */
function unpackNames({ cc, meta }: Country): AreaNames {
  return unpacked(
    meta.areaNames,
    `the other names of areas of ${cc}`,
    (value): value is Record<string, string[]> =>
      isMapOf(value, (names): names is string[] => isListOf(names, isText)),
  )
}

/** Other names of areas by country, unpacked at its first state filter: some 20 microseconds, once. */
const areaNames = new WeakMap<Country, AreaNames>()

/** Returns a test: true if the name at an offset is one of `names`. */
function anyTest(index: PostalIndex, names: readonly string[]): (offset: number) => boolean {
  const tests = names.map(name => nameTest(index, name))
  return offset => tests.some(test => test(offset))
}

/** Returns a test: true if the name at an offset has the city key or the area key of `name`. */
function nameTest({ text }: PostalIndex, name: string): (offset: number) => boolean {
  const [full, bare] = [wantedKey(cityKey(name)), wantedKey(areaKey(name))]
  return offset => {
    const folded = foldName(text, offset)
    // Longer than folding reaches.
    if (folded < 0) return areaKey(plainText(text, offset)) === bare.key
    if (isFolded(full, folded) || isFolded(bare, folded)) return true
    // Only a name that begins or ends with the wanted one can be that and a kind of area.
    return mayHoldFolded(bare, folded) && areaKey(plainText(text, offset)) === bare.key
  }
}

interface WantedKey {
  readonly key: string
  readonly units: Uint16Array
  /** -1 when it is longer than any that is folded. */
  readonly length: number
}

function wantedKey(key: string): WantedKey {
  const units = new Uint16Array(COMPARED_LENGTH_MAX + 2)
  return { key, units, length: keyUnits(key, units) }
}

/** True if `foldedKey[0, folded)` is the key. */
function isFolded(wanted: WantedKey, folded: number): boolean {
  return wanted.length === folded && hasFoldedAt(wanted, 0)
}

/** True if `foldedKey[0, folded)` is longer than the key, and begins with it or ends with its last unit. */
function mayHoldFolded(wanted: WantedKey, folded: number): boolean {
  const { length, units } = wanted
  if (length <= 0 || length >= folded) return false
  return hasFoldedAt(wanted, 0) || foldedKey[folded - 1] === units[length - 1]
}

function hasFoldedAt({ units, length }: WantedKey, start: number): boolean {
  let at = 0
  while (at < length && foldedKey[start + at] === units[at]) at++
  return at === length
}

function codeTest({ text }: PostalIndex, cc: string, codes: readonly string[]): (offset: number) => boolean {
  const wanted = new Set(codes.map(code => plainCode(code.replace(new RegExp(`^${cc}-`, 'i'), ''))))
  return offset => wanted.has(plainCode(plainText(text, offset)))
}
