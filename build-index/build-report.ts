/** What the build saw on the way from rows to codes, for its summary. */

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
  /** The first of the skipped rows; `skippedCount` counts all. */
  readonly skipped: SkippedRow[] = []
  skippedCount = 0

  start(country: string): CountryReport {
    const report = { country, rows: 0, codes: 0, places: 0, quirks: {}, joins: {} }
    this.countries.push(report)
    return report
  }

  skip(source: string, reason: string): void {
    this.skippedCount++
    if (this.skipped.length < SKIPPED_SHOWN_MAX) this.skipped.push({ source, reason })
  }
}

/** Adds one to `counts[name]`. */
export function count(counts: Record<string, number>, name: string, by = 1): void {
  counts[name] = (counts[name] ?? 0) + by
}
