/**
 * A large file: killed again and again and gone on with, it has the results of one run, and those are what the API answers. Small here;
 * CONTRIBUTING.md has the command for millions of records.
 */
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createReadStream, createWriteStream, existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { pipeline } from 'node:stream/promises'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { absentCodes, type SampleCode, sampleCodes } from '../../bench/input/samples.ts'
import { draw, randomFrom } from '../../bench/measure.ts'
import { PostrieClient } from '../../src/client/main.ts'
import { openIndex as openPostal } from '../../src/library/main.ts'
import { startApp } from '../support/app.ts'
import { postrie } from '../support/processes.ts'
import { questionFile, questionIndex } from '../support/question-index.ts'
import { until } from '../support/until.ts'

const CLI = fileURLToPath(new URL('../../src/cli.js', import.meta.url))
const RECORDS = Number(process.env.CHECK_RECORDS ?? 60_000)
/** Records compared with the API: as many as a new account may ask. */
const COMPARED = 1_000
/** Shares of the results after which the process is killed. */
const KILLED_AT = [0.1, 0.4, 0.7]

t.setTimeout(3_600_000)

t.test(`${RECORDS} records, killed and gone on with, against the API`, async t => {
  const folder = t.testdir()
  const index = questionIndex()
  const postal = openPostal(questionFile())
  const input = join(folder, 'input.csv')
  const codes = [
    ...sampleCodes(postal, 5_000, 1),
    ...absentCodes(postal, 1_000, 2),
    { text: 'é', country: 'ZZ' },
  ]
  await pipeline(lines(codes), createWriteStream(input))
  const env = { PATH: process.env.PATH, INDEX_FILE: questionFile() }
  const [whole, output] = ['whole.csv', 'output.csv'].map(name => join(folder, name))
  const started = performance.now()
  t.equal((await postrie(folder, ['check', input, '-o', whole], env)).code, 0)
  t.comment(`${Math.round(RECORDS / ((performance.now() - started) / 1000))} records/s, starting included`)

  for (const share of KILLED_AT) {
    const child = spawn(process.execPath, [CLI, 'check', input, '-o', output, '--resume'], { env })
    const exited = once(child, 'exit')
    const size = share * statSync(whole).size
    await until(() => child.exitCode !== null || (existsSync(output) && statSync(output).size > size))
    child.kill('SIGKILL')
    await exited
  }
  const last = await postrie(folder, ['check', input, '-o', output, '--resume'], env)
  t.same([last.code, last.stderr], [0, ''])
  t.equal(await digestOf(output), await digestOf(whole), 'the results are those of one run')

  const { baseUrl, key } = await startApp(t, undefined, { index })
  const client = new PostrieClient({ baseUrl, apiKey: key })
  const rows = await sampleRows(output)
  const { results } = await client.validateBulk(
    rows.map(([, postalCode, countryCode]) => ({ postalCode, countryCode })),
  )
  const answers = results.map(({ valid, normalized, reason, detail }) => [
    `${valid}`,
    normalized ?? '',
    reason ?? '',
    detail ?? '',
  ])
  t.same(
    rows.map(row => row.slice(3)),
    answers,
    'row by row',
  )
})

function* lines(codes: readonly SampleCode[]): Generator<string> {
  const random = randomFrom(3)
  yield 'id,zip,country\n'
  for (let first = 0; first < RECORDS; first += 1_000) {
    const drawn = draw(codes, Math.min(1_000, RECORDS - first), random)
    yield drawn.map(({ text, country }, i) => `${first + i},${text},${country}\n`).join('')
  }
}

async function digestOf(file: string): Promise<string> {
  const hash = createHash('sha256')
  await pipeline(createReadStream(file), hash)
  return hash.digest('hex')
}

/** Rows from all over the file, which has neither quotes nor line ends in its fields. */
async function sampleRows(file: string): Promise<string[][]> {
  const every = Math.floor(RECORDS / COMPARED)
  const rows: string[][] = []
  let number = -1
  for await (const line of createInterface({ input: createReadStream(file) })) {
    if (number >= 0 && number % every === 0 && rows.length < COMPARED) rows.push(line.split(','))
    number++
  }
  return rows
}
