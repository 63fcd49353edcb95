/** A question of `npm run bench` and its answer. */
import type { Spread } from './measure.ts'

export interface Options {
  /** Fewer and shorter rounds: shows that everything runs, not how fast. */
  quick: boolean
  /** Says what is being done. */
  log(text: string): void
  /** Folder of another compiled checkout, from `--against`. */
  against?: string
}

export interface Measure extends Spread {
  /** The load: `lookup, 64 connections`. */
  group: string
  /** The contender: `postrie`, `Fastify with a Map`. */
  name: string
  unit: string
}

export interface Ratio {
  text: string
  value: number
  /** Goal, `>= 0.85` or `<= 1.3`; undefined: reported without one. */
  wanted?: string
}

/** A chart of the measures of one unit, or of some groups of them. */
export interface ChartPlan {
  file: string
  title: string
  description: string
  unit: string
  groups?: readonly string[]
  lessIsBetter: boolean
}

export interface Answer {
  measures: Measure[]
  ratios: Ratio[]
  charts?: ChartPlan[]
  notes: string[]
}

export interface Question {
  name: string
  /** The question in a sentence. */
  text: string
  /** True if it needs the packages of `bench/package.json`. */
  rivals: boolean
  /** True if it needs an option, so that it is left out unless it is named. */
  isAskedByName?: boolean
  run(options: Options): Promise<Answer>
}

/** Returns one measure for each unit of each contender. */
export function measuresOf(
  group: string,
  taken: Readonly<Record<string, Readonly<Record<string, Spread>>>>,
  titles: Readonly<Record<string, string>> = {},
): Measure[] {
  return Object.entries(taken).flatMap(([name, spreads]) =>
    Object.entries(spreads).map(([unit, spread]) => ({ group, name: titles[name] ?? name, unit, ...spread })),
  )
}
