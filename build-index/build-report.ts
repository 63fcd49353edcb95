import { getOrMake } from '../datasets/maps.ts'
import type { Source } from '../datasets/source.ts'

/** Number of bad rows that a build skips in any source. */
const SOURCE_BAD_ROWS_MAX = 100
/** Share of bad rows that a build skips in a large source. */
const SOURCE_BAD_ROWS_SHARE = 0.001

interface SkippedRow {
  source: string
  reason: string
}

export interface CountryReport {
  country: string
  rows: number
  codes: number
  /** Sum over all codes: a place with ten codes counts ten times. */
  places: number
}

/** Maximum number of skipped rows that a report shows. */
const SKIPPED_SHOWN_MAX = 100

interface SourceRows {
  rows: number
  /** 0 when the source does not say. */
  lines: number
  skipped: number
  /** Reason of the first skipped row. */
  reason: string
}

export class BuildReport {
  readonly countries: CountryReport[] = []
  /** At most SKIPPED_SHOWN_MAX. */
  readonly skipped: SkippedRow[] = []
  readonly notes: string[] = []
  readonly #bySource = new Map<string, SourceRows>()

  addCountry(country: string): CountryReport {
    const report = { country, rows: 0, codes: 0, places: 0 }
    this.countries.push(report)
    return report
  }

  addSource({ id, lines, notes, badLines }: Source): void {
    this.#of(id).lines = lines ?? 0
    this.notes.push(...(notes ?? []))
    for (const reason of badLines ?? []) this.skip(id, reason)
  }

  addRows(source: string, rows: number): void {
    this.#of(source).rows += rows
  }

  get rowsBySource(): Record<string, number> {
    return Object.fromEntries([...this.#bySource].map(([id, { rows }]) => [id, rows]))
  }

  /** Counts a skipped row. @throws as `check`, if the source states its number of lines */
  skip(source: string, reason: string): void {
    const counts = this.#of(source)
    if (counts.skipped++ === 0) counts.reason = reason
    if (this.skipped.length < SKIPPED_SHOWN_MAX) this.skipped.push({ source, reason })
    if (counts.lines > 0) this.#check(source)
  }

  /** @throws when a source has too many bad rows: an index without half of a country is worse than none */
  check(): void {
    for (const source of this.#bySource.keys()) this.#check(source)
  }

  get skippedCount(): number {
    let count = 0
    for (const { skipped } of this.#bySource.values()) count += skipped
    return count
  }

  toJSON() {
    const { countries, rowsBySource, skipped, skippedCount, notes } = this
    return { countries, rowsBySource, skipped, skippedCount, notes }
  }

  #check(source: string): void {
    const { rows, lines, skipped, reason } = this.#of(source)
    const all = Math.max(rows, lines)
    if (skipped <= SOURCE_BAD_ROWS_MAX || skipped <= all * SOURCE_BAD_ROWS_SHARE) return
    throw new Error(
      `${source}: ${skipped} bad rows among ${all} found, such as ${reason}; at most ` +
        `${SOURCE_BAD_ROWS_MAX} or ${SOURCE_BAD_ROWS_SHARE * 100} percent expected. The source is damaged or of another ` +
        'format: fetch it again, or build without it',
    )
  }

  #of(source: string): SourceRows {
    return getOrMake(this.#bySource, source, () => ({ rows: 0, lines: 0, skipped: 0, reason: '' }))
  }
}
