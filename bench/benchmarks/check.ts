/** Measures the check of a whole file, from CSV to CSV. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createWriteStream, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Benchmark, measuresOf, type Options, type Result } from '../benchmark.ts'
import { absentCodes, sampleCodes } from '../input/samples.ts'
import { openWorld, worldFile } from '../input/worlds.ts'
import { draw, inTurn, randomFrom, ratioOf } from '../measure.ts'
import { compiledFile, ROOT_FOLDER } from '../paths.ts'
import { cliFile } from '../service.ts'

const CORES = 2
const WALL = 'records/s'
const PROCESSOR = `records/s of ${CORES} idle processors`
const OURS = `postrie check, ${CORES} threads`
const VERIFY = 'with --verify, city and state'
const SCRIPT = 'csv-parse and a Map'

export const check: Benchmark = {
  name: 'check',
  text: 'checking a CSV file of a million records, against a script with csv-parse and a Map',
  needsPackages: true,
  run: runCheck,
}

async function runCheck({ quick, log }: Options): Promise<Result> {
  const indexFile = worldFile('world')
  const folder = mkdtempSync(join(tmpdir(), 'postrie-bench-'))
  const [input, addresses, ours, theirs] = ['input', 'addresses', 'ours', 'theirs'].map(name =>
    join(folder, `${name}.csv`),
  )
  const count = quick ? 50_000 : 1_000_000
  const workers = ['--workers', String(CORES)]
  const checkOf = (file: string) => [
    cliFile(ROOT_FOLDER),
    'check',
    file,
    '--overwrite',
    ...workers,
    '-o',
    ours,
  ]
  const command = checkOf(input)
  const script = [compiledFile('./rivals/csv-script.ts'), indexFile, input, theirs]
  try {
    log(`writing ${count} records`)
    await writeRecords(input, count)
    await writeAddresses(addresses, count)
    await timed(command, indexFile, count)
    await timed(script, indexFile, count)
    // The script does not write `detail`, the last column.
    const results = readFileSync(ours, 'utf8').replace(/,\w*$/gm, '')
    if (results !== readFileSync(theirs, 'utf8')) throw new Error('the results differ')
    const contenders = {
      [OURS]: () => timed(command, indexFile, count),
      [VERIFY]: () => timed([...checkOf(addresses), '--verify'], indexFile, count),
      [SCRIPT]: () => timed(script, indexFile, count),
    }
    const taken = await inTurn(contenders, quick ? 1 : 3)
    return {
      measures: measuresOf(`${count} records`, taken),
      findings: [
        {
          text: 'records/s of two idle processors',
          value: taken[OURS][PROCESSOR].median,
          wanted: { atLeast: 2_000_000 },
        },
        {
          text: 'the same with city and state',
          value: taken[VERIFY][PROCESSOR].median,
          wanted: { atLeast: 500_000 },
        },
        { text: 'on the wall against the script', value: ratioOf(taken[OURS][WALL], taken[SCRIPT][WALL]) },
      ],
      notes: [
        'Results are equal, byte by byte, but for `detail`. The Map of the script is loaded before its clock starts.',
      ],
    }
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** Writes records from the whole world, one in seven with an absent code. */
async function writeRecords(file: string, count: number): Promise<void> {
  const index = openWorld()
  const codes = [...sampleCodes(index, 100_000, 1), ...absentCodes(index, 16_000, 2)]
  const drawn = draw(codes, count, randomFrom(3))
  await writeCsv(file, 'id,name,zip,country', count, i => {
    const { text, country } = drawn[i]
    return `${i},Customer ${i % 997},${text},${country}`
  })
}

/** Writes existing codes with city and state. One in twenty has the city of another. */
async function writeAddresses(file: string, count: number): Promise<void> {
  const index = openWorld()
  const places = sampleCodes(index, 100_000, 1).map(({ text, country }) => {
    const { city = '', state = '' } = index.lookup(text, country) ?? {}
    return { text, country, city, state }
  })
  const drawn = draw(places, count, randomFrom(4))
  await writeCsv(file, 'zip,country,city,state', count, i => {
    const { text, country, city, state } = drawn[i]
    const fields = [text, country, i % 20 === 0 ? drawn[i + 1].city : city, state]
    return fields.map(field => `"${field.replaceAll('"', '""')}"`).join(',')
  })
}

async function writeCsv(file: string, header: string, count: number, lineAt: (i: number) => string) {
  const stream = createWriteStream(file)
  stream.write(`${header}\n`)
  for (let i = 0; i < count; i++) if (!stream.write(`${lineAt(i)}\n`)) await once(stream, 'drain')
  stream.end()
  await once(stream, 'finish')
}

/** Runs a program and returns its rates by the wall clock and by processor time. */
async function timed(args: readonly string[], indexFile: string, count: number) {
  const hook = 'process.on("exit", () => process.send(process.cpuUsage()))'
  const child = spawn(
    process.execPath,
    ['--import', `data:text/javascript,${encodeURIComponent(hook)}`, ...args],
    { env: { ...process.env, INDEX_FILE: indexFile }, stdio: ['ignore', 'ignore', 2, 'ipc'] },
  )
  let startedMs = performance.now()
  let spent = 0
  child.on('message', (message: string | NodeJS.CpuUsage) => {
    if (message === 'loaded') startedMs = performance.now()
    else if (typeof message === 'object') spent = message.user + message.system
  })
  const [code] = await once(child, 'close')
  if (code !== 0) throw new Error(`${args.join(' ')} ended with ${code}`)
  const seconds = (performance.now() - startedMs) / 1000
  return { [WALL]: count / seconds, [PROCESSOR]: (count / (spent / 1e6)) * CORES }
}
