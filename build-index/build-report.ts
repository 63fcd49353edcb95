/** What the build saw on the way from rows to codes, for its summary. */
import { SOURCE_BAD_ROWS_MAX, SOURCE_BAD_ROWS_SHARE } from '../src/limits.ts'

/** A row that was left out. */
export interface SkippedRow {
  source: string
  /** What is wrong with it, with the line's number where the source has lines. */
  reason: string
}

export interface CountryReport {
  country: string
  /** Rows read from all sources. */
  rows: number
  codes: number
  /** Places of all codes together; a place with ten codes counts ten times. */
  places: number
  /** How many rows each quirk of the data met: `CEDEX`, `lost leading zero`, … */
  quirks: Record<string, number>
  /** How many codes each kind of enrichment gave something. */
  joins: Record<string, number>
}

/** Skipped rows that are kept to be shown; the rest are only counted. */
const SKIPPED_SHOWN_MAX = 100

export class BuildReport {
  readonly countries: CountryReport[] = []
  /** The first of the skipped rows. */
  readonly skipped: SkippedRow[] = []
  readonly #bySource = new Map<string, { rows: number; skipped: Set<string> }>()

  start(country: string): CountryReport {
    const report = { country, rows: 0, codes: 0, places: 0, quirks: {}, joins: {} }
    this.countries.push(report)
    return report
  }

  /** Counts `rows` that `source` gave. */
  read(source: string, rows: number): void {
    this.#of(source).rows += rows
  }

  /**
   * Notes a row that was left out; once, though a country that belongs to another's post is read for both.
   * @throws when the source has more bad rows than `SOURCE_BAD_ROWS_MAX` and `SOURCE_BAD_ROWS_SHARE` of all: something
   * is wrong with it as a whole, and an index without half of a country is worse than none.
   */
  skip(source: string, reason: string): void {
    const { rows, skipped } = this.#of(source)
    if (skipped.has(reason)) return
    skipped.add(reason)
    if (this.skipped.length < SKIPPED_SHOWN_MAX) this.skipped.push({ source, reason })
    if (skipped.size > SOURCE_BAD_ROWS_MAX && skipped.size > rows * SOURCE_BAD_ROWS_SHARE)
      throw new Error(
        `${source}: ${skipped.size} bad rows among the first ${rows}, the last of them ${reason}; ` +
          'the source is damaged or of another format',
      )
  }

  get skippedCount(): number {
    let count = 0
    for (const { skipped } of this.#bySource.values()) count += skipped.size
    return count
  }

  #of(source: string): { rows: number; skipped: Set<string> } {
    let counts = this.#bySource.get(source)
    if (counts === undefined) {
      counts = { rows: 0, skipped: new Set() }
      this.#bySource.set(source, counts)
    }
    return counts
  }
}

/** Adds one to `counts[name]`. */
export function count(counts: Record<string, number>, name: string, by = 1): void {
  counts[name] = (counts[name] ?? 0) + by
}
