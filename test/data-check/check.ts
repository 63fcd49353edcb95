/** What a check is, and how its findings are counted. */
import type { Rule, Verdict } from './adjudicate.ts'
import type { CheckedCountry } from './codes.ts'

export interface Finding {
  /** How many of what is checked a country has, and how many of them are wrong. */
  of: number
  bad: number
  /** A few of the wrong ones, in words. */
  examples: string[]
  /** Against a witness: by `accuracy`, and by who decided between the two. */
  adjudged?: { grades: Map<string, Tally>; rules: Map<Rule, Record<Verdict, number>> }
}

/** How many positions a witness has, how many are far from his, and of these, for whom a third one is. */
export interface Tally extends Record<Verdict, number> {
  of: number
  bad: number
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
  adjudged?: Finding['adjudged']

  /** Counts one value; `problem` says what is wrong with it, and is asked for an example only. */
  add(isBad: boolean, problem: () => string): void {
    this.of++
    if (!isBad) return
    this.bad++
    if (this.examples.length < EXAMPLES_MAX) this.examples.push(problem())
  }
}
