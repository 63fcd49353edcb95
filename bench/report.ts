/** Shows a result as tables, and keeps it as JSON and charts. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { availableParallelism, cpus, totalmem } from 'node:os'
import { barChart, formatNumber } from './bar-chart.ts'
import type { Benchmark, Finding, Goal, Measure, Result } from './benchmark.ts'
import { RESULTS_FOLDER } from './paths.ts'

const [cpu] = cpus()
const DATE = new Date().toISOString().slice(0, 10)
export const MACHINE = `${cpu?.model.trim() ?? 'unknown'}, ${availableParallelism()} cores, ${Math.round(totalmem() / 2 ** 30)} GB, ${process.platform} ${process.arch}, Node.js ${process.version}, ${DATE}`

export function showResult(benchmark: Benchmark, result: Result): string {
  const lines = [`\n${benchmark.name}: ${benchmark.text}`, MACHINE]
  for (const group of new Set(result.measures.map(({ group }) => group))) {
    const shown = result.measures.filter(measure => measure.group === group)
    lines.push('', group, ...shown.map(each => `  ${showMeasure(each)}`))
  }
  if (result.findings.length > 0) lines.push('', ...result.findings.map(showFinding))
  return [...lines, '', ...result.notes].join('\n')
}

/** Writes `bench/results/<benchmark>.json` and the charts of the result. */
export function keepResult(
  { name, text }: Benchmark,
  { measures, findings, notes, charts = [] }: Result,
): void {
  mkdirSync(RESULTS_FOLDER, { recursive: true })
  const kept = { benchmark: name, text, machine: MACHINE, measures, findings, notes }
  // Further digits are noise.
  const rounded = (_name: string, value: unknown) =>
    typeof value === 'number' ? Number(value.toPrecision(4)) : value
  writeFileSync(`${RESULTS_FOLDER}${name}.json`, `${JSON.stringify(kept, rounded, 2)}\n`)
  for (const plan of charts)
    writeFileSync(`${RESULTS_FOLDER}${plan.file}.svg`, barChart(plan, measures, MACHINE))
}

function showMeasure({ name, unit, median, min, max }: Measure): string {
  return `${name.padEnd(34)} ${formatNumber(median).padStart(12)} ${unit.padEnd(32)} ${formatNumber(min)} … ${formatNumber(max)}`
}

function showFinding({ text, value, wanted }: Finding): string {
  const verdict = wanted === undefined ? '' : `  ${describeGoal(value, wanted)}`
  return `${text.padEnd(80)} ${formatNumber(value).padStart(8)}${verdict}`
}

function describeGoal(value: number, wanted: Goal): string {
  const [text, isMet] =
    'atLeast' in wanted
      ? [`at least ${wanted.atLeast}`, value >= wanted.atLeast]
      : [`at most ${wanted.atMost}`, value <= wanted.atMost]
  return `wanted ${text}: ${isMet ? 'met' : 'MISSED'}`
}
