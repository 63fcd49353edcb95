/** Strings of an index as JavaScript strings. */
import type { PostalIndex } from '../index/postal-index.ts'
import { plainText } from '../index/text-section.ts'

/** Strings kept; the world has some 60,000 names and codes of areas. Beyond it they are forgotten and decoded again. */
const KEPT_MAX = 100_000

interface Level1 {
  readonly state: string
  readonly ST: string
}

export class IndexTexts {
  readonly #index: PostalIndex
  readonly #level1 = new Map<number, Level1>()
  readonly #kept = new Map<number, string>([[0, '']])

  constructor(index: PostalIndex) {
    this.#index = index
  }

  /** The string at `offset`, such as the name of a place: one of very many, and decoded for every answer. */
  once(offset: number): string {
    return plainText(this.#index.text, offset)
  }

  /** Name and code of level 1 of the areas that begin at word `admin` of ADMN. One look-up instead of two. */
  level1(admin: number): Level1 {
    const known = this.#level1.get(admin)
    if (known !== undefined) return known
    if (this.#level1.size === KEPT_MAX) this.#level1.clear()
    const { admins } = this.#index
    const level1 = { state: this.repeated(admins[admin]), ST: this.repeated(admins[admin + 1]) }
    this.#level1.set(admin, level1)
    return level1
  }

  /** The string at `offset`, such as the name of a state: many codes share it, and it is decoded once. */
  repeated(offset: number): string {
    const known = this.#kept.get(offset)
    if (known !== undefined) return known
    if (this.#kept.size === KEPT_MAX) this.#kept.clear()
    const text = plainText(this.#index.text, offset)
    this.#kept.set(offset, text)
    return text
  }
}
