/** Asks questions in order and keeps the answers: `npm run bench`. */
import { parseArgs } from 'node:util'
import { installPackages } from './packages.ts'
import { beside } from './questions/beside.ts'
import { bulk } from './questions/bulk.ts'
import { check } from './questions/check.ts'
import { endpoints } from './questions/endpoints.ts'
import { http } from './questions/http.ts'
import { indexFile } from './questions/index-file.ts'
import { ledger } from './questions/ledger.ts'
import { library } from './questions/library.ts'
import { pages } from './questions/pages.ts'
import { start } from './questions/start.ts'
import { threads } from './questions/threads.ts'
import { versions } from './questions/versions.ts'
import { keepAnswer, MACHINE, showAnswer } from './report.ts'

const QUESTIONS = [
  http,
  endpoints,
  threads,
  beside,
  bulk,
  check,
  library,
  ledger,
  indexFile,
  start,
  pages,
  versions,
]
const WIDTH = Math.max(...QUESTIONS.map(({ name }) => name.length))

const HELP = `npm run bench -- [question …] [--quick] [--json] [--against=<checkout>]

Without a question, it asks every question except versions. That takes about half an hour on an idle machine.

${QUESTIONS.map(({ name, text }) => `  ${name.padEnd(WIDTH)}  ${text}`).join('\n')}

  --quick    fewer and shorter rounds, keeps no results; a smoke test
  --json     prints the results as JSON
  --against  folder of another compiled checkout, for the question versions

Example: npm run bench -- http library --quick

POSTRIE_BENCH_DATA names a folder with GeoNames' allCountries.zip and JP.zip. Otherwise the default data is measured.`

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    json: { type: 'boolean', default: false },
    quick: { type: 'boolean', default: false },
    against: { type: 'string' },
    help: { type: 'boolean', short: 'h' },
  },
})
if (values.help) console.log(HELP)
else {
  const chosen =
    positionals.length === 0
      ? QUESTIONS.filter(({ isAskedByName }) => !isAskedByName)
      : positionals.map(questionOrExit)
  if (chosen.some(({ needsPackages }) => needsPackages)) installPackages()
  for (const question of chosen) {
    const log = (text: string) => console.error(`${question.name}: ${text}`)
    const answer = await question.run({ quick: values.quick, log, against: values.against })
    if (!values.quick && !question.isAskedByName) keepAnswer(question, answer)
    const { name } = question
    console.log(
      values.json
        ? JSON.stringify({ question: name, machine: MACHINE, ...answer })
        : showAnswer(question, answer),
    )
  }
}

function questionOrExit(name: string) {
  const found = QUESTIONS.find(question => question.name === name)
  if (found !== undefined) return found
  console.error(`There is no question ${name}. npm run bench -- --help lists the questions.`)
  process.exit(2)
}
