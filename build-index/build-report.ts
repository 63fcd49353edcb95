import { getOrMake } from '../datasets/maps.ts'
import type { Source } from '../datasets/source.ts'
import { compareText } from '../src/platform/compare-text.ts'

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

/** Values of a report, as another thread sends them. */
export type PlainReport = Pick<BuildReport, 'countries' | 'skipped' | 'notes' | 'bySource'>

export class BuildReport {
  readonly countries: CountryReport[] = []
  /** At most SKIPPED_SHOWN_MAX. */
  readonly skipped: SkippedRow[] = []
  readonly notes: string[] = []
  readonly bySource = new Map<string, SourceRows>()

  constructor(sources: readonly Source[]) {
    for (const { id, lines = 0 } of sources) this.#of(id).lines = lines
  }

  /** Adds what a source has found before its rows. */
  addFaults({ id, notes = [], badLines = [] }: Source): void {
    this.notes.push(...notes)
    for (const reason of badLines) this.skip(id, reason)
  }

  addRows(source: string, rows: number): void {
    this.#of(source).rows += rows
  }

  get rowsBySource(): Record<string, number> {
    return Object.fromEntries([...this.bySource].map(([id, { rows }]) => [id, rows]))
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
    for (const source of this.bySource.keys()) this.#check(source)
  }

  get skippedCount(): number {
    let count = 0
    for (const { skipped } of this.bySource.values()) count += skipped
    return count
  }

  toJSON() {
    const { countries, rowsBySource, skipped, skippedCount, notes } = this
    return { countries, rowsBySource, skipped, skippedCount, notes }
  }

  /** Adds the report of some countries. @throws as `skip` */
  merge({ countries, skipped, notes, bySource }: PlainReport): void {
    this.countries.push(...countries)
    this.countries.sort((a, b) => compareText(a.country, b.country))
    this.notes.push(...notes)
    this.skipped.push(...skipped.slice(0, SKIPPED_SHOWN_MAX - this.skipped.length))
    for (const [id, { rows, skipped, reason }] of bySource) {
      const counts = this.#of(id)
      counts.rows += rows
      if (skipped > 0 && counts.skipped === 0) counts.reason = reason
      counts.skipped += skipped
      if (counts.lines > 0) this.#check(id)
    }
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
    return getOrMake(this.bySource, source, () => ({ rows: 0, lines: 0, skipped: 0, reason: '' }))
  }
}
