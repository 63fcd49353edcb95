/** A benchmark as the command sees it, and its answer. */
import type { Spread } from './statistics.ts'

export interface Options {
  /** Fewer and shorter rounds: shows that everything runs, not how fast. */
  quick: boolean
  /** Says what is being done. */
  log(text: string): void
}

export interface Measure extends Spread {
  /** What was measured: `lookup, 64 connections`. */
  group: string
  /** Who: `postrie`, `Fastify with a Map`. */
  name: string
  unit: string
}

/** A claim of the README with the number that it rests on. */
export interface Ratio {
  text: string
  value: number
  /** The goal, `>= 0.85` or `<= 1.3`; undefined: reported without a goal. */
  wanted?: string
}

/** A chart shows the measures of one unit, or some groups of them. */
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
  charts: ChartPlan[]
  notes: string[]
}

export interface Question {
  name: string
  /** What it asks, in a sentence. */
  text: string
  /** Whether it needs the packages of `bench/package.json`. */
  rivals: boolean
  run(options: Options): Promise<Answer>
}

export function measure(group: string, name: string, unit: string, spread: Spread): Measure {
  return { group, name, unit, ...spread }
}
