/** `npm run bench`: asks one question after another and keeps the answers. */
import { readArguments, usage } from './arguments.ts'
import { thisMachine } from './machine.ts'
import { installPackages } from './packages.ts'
import { allocation } from './questions/allocation.ts'
import { bodies } from './questions/bodies.ts'
import { bulk } from './questions/bulk.ts'
import { check } from './questions/check.ts'
import { city } from './questions/city.ts'
import { cityQuality } from './questions/city-quality.ts'
import { cores } from './questions/cores.ts'
import { dashboard } from './questions/dashboard.ts'
import { endpoints } from './questions/endpoints.ts'
import { http } from './questions/http.ts'
import { indexCodes } from './questions/index-codes.ts'
import { ledger } from './questions/ledger.ts'
import { library } from './questions/library.ts'
import { memory } from './questions/memory.ts'
import { mixed } from './questions/mixed.ts'
import { observe } from './questions/observe.ts'
import { packed } from './questions/packed.ts'
import { scale } from './questions/scale.ts'
import { start } from './questions/start.ts'
import { steps } from './questions/steps.ts'
import { versions } from './questions/versions.ts'
import { keepAnswer, showAnswer } from './report.ts'

const QUESTIONS = [
  http,
  scale,
  cores,
  steps,
  endpoints,
  indexCodes,
  city,
  cityQuality,
  bodies,
  bulk,
  packed,
  start,
  memory,
  ledger,
  mixed,
  observe,
  dashboard,
  allocation,
  library,
  check,
  versions,
]

const chosen = readArguments(QUESTIONS, process.argv.slice(2))
if (chosen === undefined) console.log(usage(QUESTIONS))
else {
  const { questions, json, quick, against } = chosen
  if (questions.some(({ rivals }) => rivals)) installPackages()
  const machine = thisMachine()
  for (const question of questions) {
    const log = (text: string) => console.error(`${question.name}: ${text}`)
    const answer = await question.run({ quick, log, against })
    // The answer of a comparison holds on one machine only, whose folder it names.
    if (!quick && question.isAskedByName !== true) keepAnswer(question, answer, machine)
    console.log(
      json
        ? JSON.stringify({ question: question.name, machine, ...answer })
        : showAnswer(question, answer, machine),
    )
  }
}
