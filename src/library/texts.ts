import type { PostalIndex } from '../index/postal-index.ts'
import { plainText } from '../index/text-section.ts'

/** Strings kept; the world has some 60,000 names and codes of areas. Beyond it they are forgotten and decoded again. */
const KEPT_MAX = 100_000

export class IndexTexts {
  readonly #index: PostalIndex
  readonly #kept = new Map<number, string>([[0, '']])

  constructor(index: PostalIndex) {
    this.#index = index
  }

  /** The string at `offset`, such as the name of a place: one of very many, and decoded for every answer. */
  once(offset: number): string {
    return plainText(this.#index.text, offset)
  }

  /** Name and code of level 1 of the areas that begin at word `admin` of ADMN. */
  level1(admin: number): { state: string; ST: string } {
    const { admins } = this.#index
    return { state: this.repeated(admins[admin]), ST: this.repeated(admins[admin + 1]) }
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
