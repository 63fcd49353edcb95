/** The state filters of a city search, answered once per administrative entry. */
import { LOW_24_BITS, PLACE_WORDS } from '../format/layout.ts'
import { cityKey } from '../text/city.ts'
import { adminField } from './code-view.ts'
import type { PostalIndex } from './postal-index.ts'

export class AdminFilter {
  readonly #index: PostalIndex
  readonly #state: string | undefined
  readonly #code: string | undefined
  readonly #levels: number
  /** Places of one state share few entries, so the answers are kept for the length of one search. */
  readonly #answers = new Map<number, boolean>()

  /**
   * @param state name that one of the first `levels` levels must have, compared as city names are
   * @param code code that one of them must have, compared without case, spaces and hyphens
   */
  constructor(index: PostalIndex, state: string | undefined, code: string | undefined, levels: 1 | 3) {
    this.#index = index
    this.#state = state === undefined ? undefined : cityKey(state)
    this.#code = code === undefined ? undefined : plainCode(code)
    this.#levels = levels
  }

  accepts(place: number): boolean {
    if (this.#state === undefined && this.#code === undefined) return true
    const admin = this.#index.places[place * PLACE_WORDS + 1] & LOW_24_BITS
    let answer = this.#answers.get(admin)
    if (answer === undefined) {
      answer = this.#matches(admin)
      this.#answers.set(admin, answer)
    }
    return answer
  }

  #matches(admin: number): boolean {
    const has = (field: 0 | 1, wanted: string, canonical: (text: string) => string) => {
      for (let level = 0; level < this.#levels; level++) {
        const text = adminField(this.#index, admin, level * 2 + field)
        if (text !== '' && canonical(text) === wanted) return true
      }
      return false
    }
    return (
      (this.#state === undefined || has(0, this.#state, cityKey)) &&
      (this.#code === undefined || has(1, this.#code, plainCode))
    )
  }
}

function plainCode(code: string): string {
  return code.toUpperCase().replace(/[\s.-]/g, '')
}
