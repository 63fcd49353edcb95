/** Runs benchmarks in order and keeps the results: `npm run bench`. */
import { parseArgs } from 'node:util'
import { beside } from './benchmarks/beside.ts'
import { bulk } from './benchmarks/bulk.ts'
import { check } from './benchmarks/check.ts'
import { endpoints } from './benchmarks/endpoints.ts'
import { http } from './benchmarks/http.ts'
import { indexFile } from './benchmarks/index-file.ts'
import { ledger } from './benchmarks/ledger.ts'
import { pages } from './benchmarks/pages.ts'
import { start } from './benchmarks/start.ts'
import { threads } from './benchmarks/threads.ts'
import { versions } from './benchmarks/versions.ts'
import { installPackages } from './packages.ts'
import { keepResult, MACHINE, showResult } from './report.ts'

const BENCHMARKS = [http, endpoints, threads, beside, bulk, check, ledger, indexFile, start, pages, versions]
const WIDTH = Math.max(...BENCHMARKS.map(({ name }) => name.length))

const HELP = `npm run bench -- [benchmark …] [--quick] [--json] [--against=<checkout>]

Without a name, it runs every benchmark except versions. That takes about half an hour on an idle machine.

${BENCHMARKS.map(({ name, text }) => `  ${name.padEnd(WIDTH)}  ${text}`).join('\n')}

  --quick    fewer and shorter rounds, keeps no results; a smoke test
  --json     prints the results as JSON
  --against  folder of another compiled checkout, for the benchmark versions

Example: npm run bench -- http check --quick

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
      ? BENCHMARKS.filter(({ isRunByName }) => !isRunByName)
      : positionals.map(benchmarkOrExit)
  if (chosen.some(({ needsPackages }) => needsPackages)) installPackages()
  for (const benchmark of chosen) {
    const log = (text: string) => console.error(`${benchmark.name}: ${text}`)
    const result = await benchmark.run({ quick: values.quick, log, against: values.against })
    if (!values.quick && !benchmark.isRunByName) keepResult(benchmark, result)
    const { name } = benchmark
    console.log(
      values.json
        ? JSON.stringify({ benchmark: name, machine: MACHINE, ...result })
        : showResult(benchmark, result),
    )
  }
}

function benchmarkOrExit(name: string) {
  const found = BENCHMARKS.find(benchmark => benchmark.name === name)
  if (found !== undefined) return found
  console.error(`There is no benchmark ${name}. npm run bench -- --help lists the benchmarks.`)
  process.exit(2)
}
