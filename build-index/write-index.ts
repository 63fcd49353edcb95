/** The second half of a build: models of countries become a verified file. It runs in the builder's thread, or in one of its own. */
import { hasPostalCodes } from '../datasets/reference/code-shapes.ts'
import { countryCodes, SYNONYMS } from '../datasets/reference/country-codes.ts'
import { ENRICHMENTS } from '../datasets/registry.ts'
import type { Credit } from '../datasets/source.ts'
import { refuseLoss } from './check/loss.ts'
import { knownCities } from './enrich/known-cities.ts'
import type { CountryModel } from './model.ts'
import { type BuiltIndex, IndexBuilder } from './write/index-builder.ts'

export interface WriteOptions {
  output: string
  /** Every source that a country may name, in order of merit. */
  credits: readonly Credit[]
  acceptLoss: boolean
}

export interface WrittenIndex extends BuiltIndex {
  /** What the operator should check. */
  notes: string[]
}

/** `add` each country in ascending order, then `finish`. */
export interface CountryWriter {
  /** May return before the country has been written; the caller must not change the model any more. */
  add(model: CountryModel): Promise<void>
  /** Writes and verifies the file. @throws what `IndexBuilder.finish` throws, and LossError */
  finish(): Promise<WrittenIndex>
  /** Releases what it holds, whether it has finished or not. */
  close(): Promise<void>
}

/** Writes in the thread that it is called in. */
export class LocalWriter implements CountryWriter {
  readonly #options: WriteOptions
  readonly #builder: IndexBuilder

  constructor(options: WriteOptions) {
    this.#options = options
    this.#builder = new IndexBuilder(options.credits, ENRICHMENTS, knownCities())
  }

  async add(model: CountryModel): Promise<void> {
    this.#builder.add(model)
  }

  async finish(): Promise<WrittenIndex> {
    const { output, acceptLoss } = this.#options
    const notes: string[] = []
    const iso = countryCodes()
    const inspect = (written: string) => {
      notes.push(...refuseLoss(output, written, acceptLoss))
    }
    const coded = iso.filter(hasPostalCodes)
    return { ...this.#builder.finish(output, iso, SYNONYMS, inspect, coded), notes }
  }

  async close(): Promise<void> {}
}
