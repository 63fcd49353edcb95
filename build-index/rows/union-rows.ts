import type { Row, Source } from '../../datasets/source.ts'
import type { BuildReport } from '../build-report.ts'
import { type NormalForm, normaliser } from './normal-form.ts'
import { membersOf, ownerOf } from './postal-unions.ts'

type FormedRow = readonly [row: Row, form: NormalForm]

/**
 * Rows of members that a source lists under the union's country, such as 97400 under FR. The few rows are kept, so
 * that the 1.7 million of GB are not read again for Jersey.
 */
export class UnionRows {
  readonly #report: BuildReport
  readonly #kept = new Map<string, Map<string, FormedRow[]>>()

  constructor(report: BuildReport) {
    this.#report = report
  }

  /** Yields the rows of `country` that `source` lists under `listedUnder`. */
  rows(source: Source, listedUnder: string, country: string): Iterable<FormedRow> {
    if (listedUnder === country) return this.#read(source, listedUnder)
    const id = `${source.id} ${listedUnder}`
    if (!this.#kept.has(id)) for (const _ of this.#read(source, listedUnder));
    return this.#kept.get(id)?.get(country) ?? []
  }

  *#read(source: Source, country: string): Iterable<FormedRow> {
    const id = `${source.id} ${country}`
    // Only the first reading counts rows.
    const isFirst = !this.#kept.has(id)
    const skip = (reason: string) => isFirst && this.#report.skip(source.id, reason)
    const kept = new Map<string, FormedRow[]>(membersOf(country).map(member => [member, []]))
    const normalise = normaliser(country)
    let rows = 0
    for (const row of source.rows(country, skip)) {
      rows++
      const form = normalise(row.code)
      if (form === null) {
        skip(`${country}: no postal code: ${JSON.stringify(row.code)}`)
        continue
      }
      const keptRows = kept.size === 0 ? undefined : kept.get(ownerOf(country, form.key))
      if (keptRows === undefined) yield [row, form]
      else keptRows.push([row, form])
    }
    if (isFirst) this.#report.addRows(source.id, rows)
    this.#kept.set(id, kept)
  }
}
