/** Counts and notes of a build, for its summary. */
import { getOrMake } from '../datasets/maps.ts'
import type { Source } from '../datasets/source.ts'
import { SOURCE_BAD_ROWS_MAX } from '../src/limits.ts'

/** Share of a source's rows that may be malformed beyond SOURCE_BAD_ROWS_MAX. */
const SOURCE_BAD_ROWS_SHARE = 0.001

/** A row that was left out. */
export interface SkippedRow {
  source: string
  /** The fault, with the line's number where the source has lines. */
  reason: string
}

export interface CountryReport {
  country: string
  /** Rows read from all sources. */
  rows: number
  codes: number
  /** Places of all codes together; a place with ten codes counts ten times. */
  places: number
}

/** Skipped rows that are kept to be shown; the rest are only counted. */
const SKIPPED_SHOWN_MAX = 100

/** Counts of one source's rows. */
interface SourceRows {
  rows: number
  /** Lines of its files, 0 when it does not say. */
  lines: number
  skipped: number
}

export class BuildReport {
  readonly countries: CountryReport[] = []
  /** The first of the skipped rows. */
  readonly skipped: SkippedRow[] = []
  /** Notes that the operator should check: suspicious, but no error. */
  readonly notes: string[] = []
  readonly #bySource = new Map<string, SourceRows>()

  start(country: string): CountryReport {
    const report = { country, rows: 0, codes: 0, places: 0 }
    this.countries.push(report)
    return report
  }

  /** Notes what `source` says of itself before its rows are read. */
  open({ id, lines, notes, badLines }: Source): void {
    this.#of(id).lines = lines ?? 0
    this.notes.push(...(notes ?? []))
    for (const reason of badLines ?? []) this.skip(id, reason)
  }

  /** Counts `rows` that `source` gave. */
  read(source: string, rows: number): void {
    this.#of(source).rows += rows
  }

  /** Rows that each source gave, those that were left out included. */
  get rowsBySource(): Record<string, number> {
    return Object.fromEntries([...this.#bySource].map(([id, { rows }]) => [id, rows]))
  }

  /**
   * Notes a row that was left out.
   * @throws when there are too many, as `check` does, if the source has said how many lines it has
   */
  skip(source: string, reason: string): void {
    const counts = this.#of(source)
    counts.skipped++
    if (this.skipped.length < SKIPPED_SHOWN_MAX) this.skipped.push({ source, reason })
    if (counts.lines > 0) this.#check(source)
  }

  /**
   * To be called when all rows have been read.
   * @throws when a source has more bad rows than `SOURCE_BAD_ROWS_MAX` and `SOURCE_BAD_ROWS_SHARE` of all: something
   * is wrong with it as a whole, and an index without half of a country is worse than none.
   */
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
    const { rows, lines, skipped } = this.#of(source)
    const all = Math.max(rows, lines)
    if (skipped <= SOURCE_BAD_ROWS_MAX || skipped <= all * SOURCE_BAD_ROWS_SHARE) return
    throw new Error(
      `${source}: ${skipped} bad rows among ${all} found, such as ${this.skipped.find(row => row.source === source)?.reason}; at most ` +
        `${SOURCE_BAD_ROWS_MAX} or ${SOURCE_BAD_ROWS_SHARE * 100} percent expected. The source is damaged or of another ` +
        'format: fetch it again, or build without it',
    )
  }

  #of(source: string): SourceRows {
    return getOrMake(this.#bySource, source, () => ({ rows: 0, lines: 0, skipped: 0 }))
  }
}
