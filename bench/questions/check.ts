/** How fast is a whole file checked, from CSV to CSV? */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createWriteStream, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openIndex } from '../../src/index/open-index.ts'
import { absentCodes, sampleCodes } from '../input/samples.ts'
import { worldFile } from '../input/worlds.ts'
import { CLI_FILE, compiledFile } from '../paths.ts'
import { type Answer, measure, type Options, type Question } from '../question.ts'
import { draw, randomFrom } from '../random.ts'
import { inTurn } from '../rounds.ts'
import { percentile, ratioOf } from '../statistics.ts'

const CORES = 2
const RATE = 'records/s'
const FULL = 'postrie check, two threads'
const PART = 'postrie check, two threads, the part'
const SCRIPT = 'csv-parse and a Map, the part'
/** One in so many codes does not exist. */
const ABSENT_SHARE = 6

export const check: Question = {
  name: 'check',
  text: 'checking a CSV file of 5 million records, against a script with csv-parse and a Map',
  rivals: true,
  run: runCheck,
}

async function runCheck({ quick, log }: Options): Promise<Answer> {
  const indexFile = worldFile('world') as string
  const folder = mkdtempSync(join(tmpdir(), 'postrie-bench-'))
  const [full, part, ours, theirs] = ['full', 'part', 'ours', 'theirs'].map(name =>
    join(folder, `${name}.csv`),
  )
  const [count, partCount] = quick ? [200_000, 50_000] : [5_000_000, 1_000_000]
  try {
    log(`writing ${count} records`)
    await writeRecords(indexFile, full, count)
    await writeRecords(indexFile, part, partCount)
    const command = (input: string) => [
      CLI_FILE,
      'check',
      input,
      '--overwrite',
      '--workers',
      String(CORES),
      '-o',
      ours,
    ]
    const script = [compiledFile('./library/csv-script.ts'), indexFile, part, theirs]
    await timed(command(part), indexFile, partCount)
    await timed(script, indexFile, partCount)
    if (readFileSync(ours, 'utf8') !== readFileSync(theirs, 'utf8')) throw new Error('the results differ')
    const taken = await inTurn(
      {
        [FULL]: () => timed(command(full), indexFile, count),
        [PART]: () => timed(command(part), indexFile, partCount),
        [SCRIPT]: () => timed(script, indexFile, partCount),
      },
      quick ? 1 : 3,
    )
    return {
      measures: Object.entries(taken).flatMap(([name, { wall, processor }]) => [
        measure('on the wall', name, RATE, wall),
        measure(`when ${CORES} processors do nothing else`, name, RATE, processor),
      ]),
      ratios: [
        {
          text: `records/s of ${count.toLocaleString('en-US')} on ${CORES} processors that do nothing else`,
          value: percentile(taken[FULL].processor.rounds, 0.5),
          wanted: '>= 2000000',
        },
        {
          text: 'records/s on the wall, against csv-parse and a Map',
          value: ratioOf(taken[PART].wall, taken[SCRIPT].wall),
        },
      ],
      charts: [],
      notes: [
        `Results of both are equal, byte by byte. The rate of ${CORES} processors is records over processor time, user and system, of the whole process, times ${CORES}; starting included. The script's Map is loaded before its clock starts.`,
      ],
    }
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** Writes `count` records of customers all over the world, `id,name,zip,country`. */
async function writeRecords(indexFile: string, file: string, count: number): Promise<void> {
  const index = openIndex(indexFile)
  const random = randomFrom(3)
  const codes = sampleCodes(index, 100_000, 1).concat(
    absentCodes(index, Math.floor(100_000 / ABSENT_SHARE), 2),
  )
  const stream = createWriteStream(file)
  stream.write('id,name,zip,country\n')
  for (let first = 0; first < count; first += 10_000) {
    const drawn = draw(codes, Math.min(10_000, count - first), random)
    const lines = drawn.map(({ text, country }, i) => `${first + i},Customer ${i % 997},${text},${country}\n`)
    if (!stream.write(lines.join(''))) await once(stream, 'drain')
  }
  stream.end()
  await once(stream, 'finish')
}

/** Runs a program to its end. @returns its rates by the clock on the wall and by processor time */
async function timed(args: readonly string[], indexFile: string, count: number) {
  const hook = 'process.on("exit", () => process.send(process.cpuUsage()))'
  const child = spawn(
    process.execPath,
    ['--import', `data:text/javascript,${encodeURIComponent(hook)}`, ...args],
    {
      env: { ...process.env, INDEX_FILE: indexFile },
      stdio: ['ignore', 'ignore', 2, 'ipc'],
    },
  )
  let startedMs = performance.now()
  let spent = 0
  child.on('message', (message: string | NodeJS.CpuUsage) => {
    if (message === 'loaded') startedMs = performance.now()
    else if (typeof message === 'object') spent = message.user + message.system
  })
  const [code] = await once(child, 'exit')
  if (code !== 0) throw new Error(`${args.join(' ')} ended with ${code}`)
  const seconds = (performance.now() - startedMs) / 1000
  return { wall: count / seconds, processor: (count / (spent / 1e6)) * CORES }
}
