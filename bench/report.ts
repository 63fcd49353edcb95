/** Shows an answer as tables, and keeps it as JSON and charts. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { availableParallelism, cpus, totalmem } from 'node:os'
import { barChart } from './bar-chart.ts'
import { RESULTS_FOLDER } from './paths.ts'
import type { Answer, Measure, Question, Ratio } from './question.ts'

const [first] = cpus()
const DATE = new Date().toISOString().slice(0, 10)
export const MACHINE = `${first?.model.trim() ?? 'unknown'}, ${availableParallelism()} cores, ${Math.round(totalmem() / 2 ** 30)} GB, ${process.platform} ${process.arch}, Node.js ${process.version}, ${DATE}`

export function showAnswer(question: Question, answer: Answer): string {
  const lines = [`\n${question.name}: ${question.text}`, MACHINE]
  for (const group of new Set(answer.measures.map(({ group }) => group))) {
    const shown = answer.measures.filter(measure => measure.group === group)
    lines.push('', group, ...shown.map(each => `  ${showMeasure(each)}`))
  }
  if (answer.ratios.length > 0) lines.push('', ...answer.ratios.map(showRatio))
  return [...lines, '', ...answer.notes].join('\n')
}

/** Writes `bench/results/<question>.json` and the charts of the answer. */
export function keepAnswer({ name, text }: Question, { measures, ratios, notes, charts = [] }: Answer): void {
  mkdirSync(RESULTS_FOLDER, { recursive: true })
  const kept = { question: name, text, machine: MACHINE, measures, ratios, notes }
  // Four digits say all that a measurement can.
  const rounded = (_name: string, value: unknown) =>
    typeof value === 'number' ? Number(value.toPrecision(4)) : value
  writeFileSync(`${RESULTS_FOLDER}${name}.json`, `${JSON.stringify(kept, rounded, 2)}\n`)
  for (const plan of charts)
    writeFileSync(`${RESULTS_FOLDER}${plan.file}.svg`, barChart(plan, measures, MACHINE))
}

function showMeasure({ name, unit, median, min, max }: Measure): string {
  return `${name.padEnd(34)} ${number(median).padStart(12)} ${unit.padEnd(32)} ${number(min)} … ${number(max)}`
}

function showRatio({ text, value, wanted }: Ratio): string {
  const verdict = wanted === undefined ? '' : `  wanted ${wanted}: ${meets(value, wanted) ? 'met' : 'MISSED'}`
  return `${text.padEnd(80)} ${value.toPrecision(3).padStart(8)}${verdict}`
}

function meets(value: number, wanted: string): boolean {
  const [sign, bound] = wanted.split(' ')
  return sign === '>=' ? value >= Number(bound) : value <= Number(bound)
}

function number(value: number): string {
  return value.toLocaleString('en-US', {
    maximumSignificantDigits: value < 1000 ? 3 : Math.floor(Math.log10(value)) + 1,
  })
}
