/** The command line of `npm run bench`. */
import { parseArgs } from 'node:util'
import type { Question } from './question.ts'

export interface Arguments {
  questions: Question[]
  json: boolean
  quick: boolean
  against?: string
}

export function usage(questions: readonly Question[]): string {
  const width = Math.max(...questions.map(({ name }) => name.length))
  return `npm run bench -- [question …] [--quick] [--json] [--against=<checkout>]

Without a question all are asked, which takes about half an hour on an otherwise idle machine.

${questions.map(({ name, text }) => `  ${name.padEnd(width)}  ${text}`).join('\n')}

  --quick  fewer and shorter rounds, nothing kept: shows that everything runs
  --json   prints the results as JSON instead of tables
  --against=<checkout>
           for the questions versions and start: folder of another checkout, compiled, that this one is compared with
  --help   this text

POSTRIE_BENCH_DATA names a folder with GeoNames' allCountries.zip, GB_full.csv.zip and JP.zip for the sizes that the
default data does not have. Results are kept in bench/results as JSON and as the charts that the README shows.`
}

/** Undefined when help was asked for. @throws Error when something is not understood */
export function readArguments(all: readonly Question[], args: string[]): Arguments | undefined {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      json: { type: 'boolean' },
      quick: { type: 'boolean' },
      against: { type: 'string' },
      help: { type: 'boolean', short: 'h' },
    },
  })
  if (values.help) return undefined
  const questions = positionals.map(name => {
    const found = all.find(question => question.name === name)
    if (found === undefined) throw new Error(`no question is named ${name}; --help lists them`)
    return found
  })
  return {
    questions: questions.length === 0 ? all.filter(({ isAskedByName }) => isAskedByName !== true) : questions,
    json: values.json ?? false,
    quick: values.quick ?? false,
    against: values.against,
  }
}
