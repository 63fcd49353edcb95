/** The state filters of a city search, answered once per distinct name and code. */
import { ADMIN_WORDS } from '../../format/admin-entry.ts'
import type { AreaNames } from '../../format/meta.ts'
import { cityKey } from '../../text/city.ts'
import { placeAdmin } from '../codes/code-view.ts'
import type { Country } from '../country.ts'
import type { PostalIndex } from '../postal-index.ts'
import { plainText } from '../text-section.ts'
import { isListOf, isMapOf, isText, unpacked } from '../unpacked.ts'
import { COMPARED_LENGTH_MAX } from './edit-distance.ts'
import { foldedKey, foldName, keyUnits } from './name-fold.ts'

export class AdminFilter {
  readonly #index: PostalIndex
  readonly #state: Wanted | undefined
  readonly #code: Wanted | undefined
  readonly #levels: number

  /**
   * @param state name that one of the first `levels` levels must have, compared as city names are; another name of a level-1
   *   area of `country` stands for it
   * @param code code that one of them must have, compared without case, spaces and hyphens
   */
  constructor(
    index: PostalIndex,
    country: Country,
    state: string | undefined,
    code: string | undefined,
    levels: 1 | 3,
  ) {
    this.#index = index
    this.#state =
      state === undefined ? undefined : new Wanted(anyTest(index, [state, ...namesFor(country, state)]))
    this.#code = code === undefined ? undefined : new Wanted(codeTest(index, code))
    this.#levels = levels
  }

  accepts(place: number): boolean {
    if (this.#state === undefined && this.#code === undefined) return true
    const admin = placeAdmin(this.#index, place) * ADMIN_WORDS
    return this.#has(this.#state, admin) && this.#has(this.#code, admin + 1)
  }

  /** Whether one of the levels, whose texts are every second word from `first` on, is what is wanted. */
  #has(wanted: Wanted | undefined, first: number): boolean {
    if (wanted === undefined) return true
    const { admins } = this.#index
    for (let level = 0; level < this.#levels; level++) {
      if (wanted.is(admins[first + level * 2])) return true
    }
    return false
  }
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
  const key = cityKey(state)
  return Object.hasOwn(names, key) ? names[key] : []
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

/** What the rules of each country hold, unpacked at its first state filter: some 20 microseconds, once. */
const areaNames = new WeakMap<Country, AreaNames>()

/** Whether the name at an offset is one of `names`. */
function anyTest(index: PostalIndex, names: readonly string[]): (offset: number) => boolean {
  const tests = names.map(name => nameTest(index, name))
  return offset => tests.some(test => test(offset))
}

/** Whether the name at an offset has the same city key as `name`. */
function nameTest({ text }: PostalIndex, name: string): (offset: number) => boolean {
  const key = cityKey(name)
  const wanted = new Uint16Array(COMPARED_LENGTH_MAX + 2)
  const length = keyUnits(key, wanted)
  return offset => {
    const folded = foldName(text, offset)
    // Either is longer than folding reaches.
    if (length < 0 || folded < 0) return cityKey(plainText(text, offset)) === key
    if (folded !== length) return false
    let at = 0
    while (at < length && foldedKey[at] === wanted[at]) at++
    return at === length
  }
}

function codeTest({ text }: PostalIndex, code: string): (offset: number) => boolean {
  const wanted = plainCode(code)
  return offset => plainCode(plainText(text, offset)) === wanted
}

function plainCode(code: string): string {
  return code.toUpperCase().replace(/[\s.-]/g, '')
}
