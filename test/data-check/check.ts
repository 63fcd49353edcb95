/** What a check is, and how its findings are counted. */
import type { CheckedCountry } from './codes.ts'

export interface Finding {
  /** How many of what is checked a country has, and how many of them are wrong. */
  of: number
  bad: number
  /** A few of the wrong ones, in words. */
  examples: string[]
  /** How many of the wrong ones have which reason, where a check knows reasons. */
  reasons: Record<string, number>
}

export interface Check {
  /** What it counts, as the table names it. */
  name: string
  run(country: CheckedCountry): Finding
}

const EXAMPLES_MAX = 5

export class Count implements Finding {
  of = 0
  bad = 0
  readonly examples: string[] = []
  readonly reasons: Record<string, number> = {}

  /** Counts one value; `problem` says what is wrong with it, and is asked for an example only. */
  add(isBad: boolean, problem: () => string, reason: () => string = () => ''): void {
    this.of++
    if (!isBad) return
    this.bad++
    if (reason() !== '') this.reasons[reason()] = (this.reasons[reason()] ?? 0) + 1
    if (this.examples.length < EXAMPLES_MAX) this.examples.push(problem())
  }
}
