/** Shows an answer as tables, and keeps it as JSON and charts. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { barChart } from './chart/bar-chart.ts'
import { type Machine, machineLine } from './machine.ts'
import { RESULTS_FOLDER } from './paths.ts'
import type { Answer, Measure, Question, Ratio } from './question.ts'

export function showAnswer(question: Question, answer: Answer, machine: Machine): string {
  const lines = [`\n${question.name}: ${question.text}`, machineLine(machine)]
  for (const group of new Set(answer.measures.map(({ group }) => group))) {
    lines.push('', group)
    for (const each of answer.measures.filter(measure => measure.group === group))
      lines.push(`  ${showMeasure(each)}`)
  }
  if (answer.ratios.length > 0) lines.push('', ...answer.ratios.map(showRatio))
  return [...lines, '', ...answer.notes].join('\n')
}

/** Writes `bench/results/<question>.json` and the charts of the answer. */
export function keepAnswer(question: Question, answer: Answer, machine: Machine): void {
  mkdirSync(RESULTS_FOLDER, { recursive: true })
  const { measures, ratios, notes } = answer
  const kept = { question: question.name, text: question.text, machine, measures, ratios, notes }
  writeFileSync(`${RESULTS_FOLDER}${question.name}.json`, `${JSON.stringify(kept, roundedNumber, 2)}\n`)
  for (const plan of answer.charts) {
    writeFileSync(`${RESULTS_FOLDER}${plan.file}.svg`, barChart(plan, measures, machineLine(machine)))
  }
}

/** Four digits say all that a measurement can; more would only make every result file differ in every line. */
function roundedNumber(_name: string, value: unknown): unknown {
  return typeof value === 'number' ? Number(value.toPrecision(4)) : value
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

export function number(value: number): string {
  return value.toLocaleString('en-US', {
    maximumSignificantDigits: value < 1000 ? 3 : Math.floor(Math.log10(value)) + 1,
  })
}
