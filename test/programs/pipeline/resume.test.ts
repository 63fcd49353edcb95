import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  appendFileSync,
  existsSync,
  linkSync,
  readFileSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { writeIndex } from '../../support/fixture-index.ts'
import { CLI, command, finished, postrie } from '../../support/processes.ts'
import { seededRandom } from '../../support/random.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { until } from '../../support/until.ts'

/** CONTRIBUTING.md has the command for millions of records. */
const RECORDS = Number(process.env.CHECK_RECORDS ?? 30_000)
const CODES = ['90210', '"SW1A 1AA"', '00000', '62701', 'é']

function writeInput(folder: string, records = RECORDS): string {
  const random = seededRandom(5)
  const file = join(folder, 'input.csv')
  const lines = Array.from(
    { length: records },
    (_, i) => `${i},"a\n""${i}""",${CODES[random(CODES.length)]}\n`,
  )
  writeFileSync(file, `id,text,zip\n${lines.join('')}`)
  return file
}

// The tests check hundreds of thousands of records and start many processes.
t.setTimeout(300_000 + RECORDS)

const env = { PATH: process.env.PATH, INDEX_FILE: writeIndex(temporaryFolder(t)) }

t.test('a check that is killed at any moment resumes to the same results', async t => {
  const folder = t.testdir()
  // With fewer, a busy machine ends the check before the last kill.
  const input = writeInput(folder, 3 * RECORDS)
  const args = ['check', input, '--country', 'US', '--workers', '1', '-o']
  const [whole, output] = ['whole.csv', 'output.csv'].map(name => join(folder, name))
  t.equal((await postrie(folder, [...args, whole], env)).code, 0)
  t.notOk(existsSync(`${whole}.progress`), 'a whole check leaves no progress file')
  for (const share of [-1, 0.1, 0.6]) {
    const child = spawn(process.execPath, [CLI, ...args, output, '--resume'], { env })
    const exited = once(child, 'exit')
    const size = share * statSync(whole).size
    // The first process is killed between its note and its output.
    const isThere = () => existsSync(share < 0 ? `${output}.progress` : output)
    await until(() => child.exitCode !== null || (isThere() && sizeOf(output) > size))
    child.kill('SIGKILL')
    await exited
    // A kill may cut a record.
    if (existsSync(output)) appendFileSync(output, 'half a rec')
  }
  const last = await postrie(folder, [...args, output, '--resume'], env)
  t.same([last.code, last.stderr], [0, ''])
  t.ok(readFileSync(output).equals(readFileSync(whole)))
})

t.test('a check that was killed before its first note of progress resumes', async t => {
  const folder = t.testdir({ 'input.csv': 'zip\n90210\n', 'output.csv': '' })
  const output = join(folder, 'output.csv')
  const args = ['check', join(folder, 'input.csv'), '--country', 'US', '-o', output, '--resume']
  t.match(await command(folder, args, env), { code: 0, stderr: '' })
  t.equal(readFileSync(output, 'utf8'), 'zip,valid,normalized,reason,detail\n90210,true,90210,,\n')
  writeFileSync(output, 'something else')
  t.match(await command(folder, args, env), { code: 1, stderr: /output\.csv exists already/ })
})

t.test('an interrupted check says how to resume, and refuses changed files', async t => {
  const folder = t.testdir()
  // The input is long enough to interrupt the check.
  const input = writeInput(folder, 3 * RECORDS)
  const output = join(folder, 'output.csv')
  const args = ['check', input, '--country', 'US', '--workers', '1', '-o', output]
  const child = spawn(process.execPath, [CLI, ...args], { env })
  const closed = finished(child)
  await until(() => child.exitCode !== null || (existsSync(output) && statSync(output).size > 1000))
  child.kill('SIGINT')
  t.match(await closed, {
    code: 130,
    stderr: /input\.csv: interrupted after \d+ records; continue with --resume/,
  })

  const run = (...more: string[]) => command(folder, [...args, ...more], env)
  t.match(
    (await run()).stderr,
    /output\.csv exists already: continue it with --resume, or replace it with --overwrite/,
  )
  t.match(
    (await run('--resume', '--ragged')).stderr,
    /belongs to another check: its ragged was false, not true/,
  )
  const text = readFileSync(input, 'utf8')
  writeFileSync(input, text.replace('"a', '"b'))
  t.match((await run('--resume')).stderr, /input\.csv: its checked part has changed: .*--overwrite/)
  writeFileSync(input, text)
  truncateSync(output, 10)
  t.match(
    (await run('--resume')).stderr,
    /output\.csv has 10 bytes, expected \d+: begin again with --overwrite/,
  )
  writeFileSync(`${output}.progress`, '{')
  t.match((await run('--resume')).stderr, /progress cannot be read: begin again/)
  writeFileSync(input, 'id,text,zip\n1,short,90210\n')
  t.equal((await run('--overwrite')).code, 0)
  t.match(await run('--resume'), { code: 0, stderr: /output\.csv is complete already/ })
  t.match(await run('--resume', '--summary'), { code: 1, stderr: /count again with --overwrite/ })
})

t.test('a malformed record ends a check, which resumes after the record is mended, or skips it', async t => {
  const folder = t.testdir()
  const input = writeInput(folder)
  const text = readFileSync(input, 'utf8')
  const [mended, whole] = ['mended.csv', 'whole.csv'].map(name => join(folder, name))
  const run = (output: string, ...more: string[]) =>
    command(folder, ['check', input, '--country', 'US', '-o', output, ...more], env)
  t.equal((await run(whole)).code, 0)
  for (const [treatment, lost] of [
    [[], 0],
    [['--malformed', 'skip'], 1],
  ] as const) {
    writeFileSync(input, `${text}1,2,3,4\n9,x,90210\n`)
    const malformed = new RegExp(`input.csv: record ${RECORDS + 1}: it has 4 fields, the header has 3`)
    t.match(await run(mended), { code: 1, stderr: malformed })
    if (lost === 0) writeFileSync(input, `${text}9,x,90210\n`)
    const last = await run(mended, '--resume', ...treatment)
    t.equal(last.code, 0, last.stderr)
    if (lost > 0) t.match(last.stderr, new RegExp(`${malformed.source}\n.*skipped 1 malformed record`))
    t.equal(readFileSync(mended, 'utf8'), `${readFileSync(whole, 'utf8')}9,x,90210,true,90210,,\n`)
    writeFileSync(mended, '')
  }
})

t.test('a pipeline learns of invalid records, and a name decides the form of the output', async t => {
  const folder = t.testdir({ 'in.ndjson': '{"zip":"90210","cc":"US"}\n{"zip":"x","cc":"US"}\n' })
  const output = join(folder, 'out.csv')
  const failed = await command(
    folder,
    ['check', join(folder, 'in.ndjson'), '-o', output, '--fail-on-invalid'],
    env,
  )
  t.match(failed, { code: 1, stderr: /in\.ndjson: 1 of 2 records are not valid/ })
  t.equal(
    readFileSync(output, 'utf8'),
    'zip,cc,valid,normalized,reason,detail\n90210,US,true,90210,,\nx,US,false,,not_found,wrong_format\n',
  )
})

t.test('a field that is named twice is added once', async t => {
  const folder = t.testdir({ 'in.csv': 'zip\n90210\n' })
  const args = ['check', join(folder, 'in.csv'), '--country', 'US', '--fields', 'city,city']
  const { stdout } = await command(folder, args, env)
  t.match(stdout, /^zip,valid,normalized,reason,detail,city\n/)
})

t.test('a folder as the input is named', async t => {
  const folder = t.testdir({ inputs: {} })
  const { code, stderr } = await command(folder, ['check', join(folder, 'inputs')], env)
  t.equal(code, 1)
  t.match(stderr, /^postrie: .*inputs: it is a folder, and a file is expected/)
})

t.test('results never overwrite the input', async t => {
  const folder = t.testdir({ 'input.csv': 'zip\n90210\n' })
  const input = join(folder, 'input.csv')
  const link = join(folder, 'link.csv')
  linkSync(input, link)
  for (const output of [input, link]) {
    const args = ['check', input, '--country', 'US', '--overwrite', '-o', output]
    t.match(await command(folder, args, env), { code: 1, stderr: /is the input: name another output/ })
  }
  t.equal(readFileSync(input, 'utf8'), 'zip\n90210\n')
})

t.test('a check reads from and writes to pipes, and stops when the reader ends', async t => {
  const folder = t.testdir()
  const input = writeInput(folder)
  const shell = async (command: string) => {
    // A checkout may be named like the command, so paths are removed.
    const own = command.replace(/(?<=^|\| )postrie /g, `"${process.execPath}" "${CLI}" `)
    return finished(spawn('sh', ['-c', own], { env }))
  }
  const piped = await shell(`cat ${input} | postrie check - --country US | tail -n 1`)
  t.match(piped.stdout, `"${RECORDS - 1}"`)
  const head = await shell(`postrie check ${input} --country US | head -n 2`)
  t.match(head, { code: 0, stderr: '', stdout: /^id,text,zip,valid,normalized,reason,detail\n0,"a\n$/ })
  const summary = await shell(`postrie check ${input} --country US --summary --json`)
  t.match(JSON.parse(summary.stdout), { records: RECORDS })
  const full = await shell(`postrie check ${input} --country US > /dev/full`)
  t.match(full, { code: 6, stderr: /^postrie: standard output cannot be written: ENOSPC/ })
  for (const wrong of ['check - --resume', 'check x --workers 0', 'check x --fields zip'])
    t.equal((await shell(`postrie ${wrong}`)).code, 2, wrong)
})

t.test('a check into a device ends with success', async t => {
  const folder = t.testdir()
  const input = join(folder, 'input.csv')
  writeFileSync(input, 'zip\n90210\n')
  const check = (...args: string[]) => command(folder, ['check', input, '--country', 'US', ...args], env)
  for (const args of [['--summary'], ['--overwrite']])
    t.match(await check('-o', '/dev/null', ...args), { code: 0, stderr: '' })
  t.notOk(existsSync('/dev/null.progress'))
  const pipe = join(folder, 'pipe')
  execFileSync('mkfifo', [pipe])
  const reading = readFile(pipe, 'utf8')
  t.match(await check('-o', pipe), { code: 0, stderr: '' })
  t.match(await reading, /^zip,.*\n90210,true,/)
  t.match(await check('-o', '/dev/null', '--resume'), { code: 1, stderr: /\/dev\/null is not a file/ })
  t.match(await check('-o', folder), { code: 1 })
})

function sizeOf(file: string): number {
  return existsSync(file) ? statSync(file).size : 0
}
