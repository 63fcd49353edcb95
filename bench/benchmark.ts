/** A benchmark of `npm run bench` and its result. */
import type { Spread } from './measure.ts'

export interface Options {
  /** True for fewer and shorter rounds, a smoke test. */
  quick: boolean
  /** Logs progress. */
  log(text: string): void
  /** Folder of another compiled checkout, from `--against`. */
  against?: string
}

export interface Measure extends Spread {
  /** Load: `lookup, 64 connections`. */
  group: string
  /** Contender: `postrie`, `Fastify with a Map`. */
  name: string
  unit: string
}

export type Goal = { atLeast: number } | { atMost: number }

/** A ratio or another number that the report shows below the measures. */
export interface Finding {
  text: string
  value: number
  wanted?: Goal
}

/** Chart of the measures of one unit, of all groups or some. */
export interface ChartPlan {
  file: string
  title: string
  description: string
  unit: string
  groups?: readonly string[]
}

export interface Result {
  measures: Measure[]
  findings: Finding[]
  charts?: ChartPlan[]
  notes: string[]
}

export interface Benchmark {
  name: string
  /** What it measures, in a few words. */
  text: string
  /** True if it needs the packages of `bench/package.json`. */
  needsPackages: boolean
  /** True if it needs an option, so that it runs only by name. */
  isRunByName?: boolean
  run(options: Options): Promise<Result>
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
