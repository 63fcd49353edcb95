import { execFileSync } from 'node:child_process'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { ServedIndex } from '../../../src/service/http/served-index.ts'
import { Workers } from '../../../src/service/workers/workers.ts'
import { startApp } from '../../support/app.ts'
import { namedIndex } from '../../support/fixture-index.ts'
import { createMemoryLog } from '../../support/kept-log.ts'
import { post } from '../../support/post.ts'
import { damaged } from '../../support/sealed-file.ts'

/** Only `reload` replaces the index here. */
const NEVER_MS = 86_400_000

t.setTimeout(180_000)

/** Records that need a batch worker. */
const RECORDS = Array.from({ length: 1000 }, () => ({ postalCode: '90210', countryCode: 'US' }))

async function serve(t: Test) {
  const folder = t.testdir({ next: {} })
  const path = namedIndex(folder, 'Name 0')
  const { log, lines } = createMemoryLog()
  const served = await ServedIndex.open(path, log)
  // Teardowns run in reverse order: this one runs after the app has closed.
  t.teardown(() => served.close())
  const app = await startApp(t, new Workers(2), { index: served.index })
  const { baseUrl, errors, context } = app
  const { key: apiKey } = await app.openAccount(10_000_000)
  served.watch(index => {
    context.replaceIndex(index)
  }, NEVER_MS)
  const lookup = async () => {
    const { status, json } = await post(baseUrl, '/api/lookup', { apiKey, zipcode: '90210' })
    return status === 200 ? json.city : `${status}`
  }
  const batch = async () => {
    const { status, json } = await post(baseUrl, '/api/validate-bulk', { apiKey, records: RECORDS })
    return status === 200 && json.results.every(({ valid }: { valid: boolean }) => valid)
  }
  return { folder, path, served, lines, errors, lookup, batch }
}

t.test('an index that is overwritten or truncated in place does not end the process', async t => {
  const { folder, path, served, lookup, batch, lines } = await serve(t)
  const other = namedIndex(join(folder, 'next'), 'Name 1')
  for (const command of [
    `cp ${other} ${path}`,
    `: > ${path}`,
    `head -c 5000 ${other} > ${path}`,
    `rm ${path}`,
  ]) {
    execFileSync('sh', ['-c', command])
    t.equal(await lookup(), 'Name 0', command.split(' ')[0])
    t.ok(await batch())
  }
  const { writtenMs } = served
  await served.reload()
  t.match(served, { writtenMs, problem: 'ENOENT' }, 'the served file and the reason')
  t.equal(await lookup(), 'Name 0', 'a file that is not an index is refused')
  t.match(
    lines.filter(({ level }) => level === 'error'),
    [{ fields: { err: { code: 'ENOENT' } } }],
  )
  writeFileSync(path, readFileSync(other))
  await served.reload()
  t.equal(await lookup(), 'Name 1', 'a whole index is loaded')
  t.equal(served.problem, null)
})

t.test('a sound copy replaces an index that was damaged at the start', async t => {
  const folder = t.testdir()
  const path = namedIndex(folder, 'Name 0')
  const sound = readFileSync(path)
  writeFileSync(path, damaged(sound, 'CODE'))
  const { log, lines } = createMemoryLog()
  const served = await ServedIndex.open(path, log)
  t.teardown(() => served.close())
  t.equal(served.state, 'opened')
  await served.verify()
  t.match(served, { state: 'damaged', problem: 'section CODE' })
  t.match(lines.at(-1), { level: 'error', fields: { err: { message: /section CODE has checksum/ } } })
  writeFileSync(path, sound)
  await served.reload()
  t.equal(served.state, 'verified')
})

t.test('a path that is not a file is refused at once', async t => {
  const folder = t.testdir()
  const pipe = join(folder, 'pipe')
  execFileSync('mkfifo', [pipe])
  await t.rejects(ServedIndex.open(pipe, createMemoryLog().log), /it is not a regular file/)
  rmSync(pipe)
})

t.test('a change during a replacement is noticed', async t => {
  const { folder, path, served, lookup } = await serve(t)
  writeFileSync(path, readFileSync(namedIndex(join(folder, 'next'), 'Name 1')))
  const first = served.reload()
  writeFileSync(path, readFileSync(namedIndex(join(folder, 'next'), 'Name 2')))
  await Promise.all([first, served.reload()])
  t.equal(await lookup(), 'Name 2')
})
