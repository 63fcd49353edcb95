import {
  appendFileSync,
  chmodSync,
  copyFileSync,
  existsSync,
  readFileSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import * as z from 'zod'
import { FencedError } from '../../src/billing/fleet/database-errors.ts'
import type { DashboardRows } from '../../src/billing/fleet/open-fleet-accounts.ts'
import { type KeyedStore, openKeyedStore } from '../../src/console/store/keyed-store.ts'
import { openStoreFile } from '../../src/console/store/store-file.ts'
import { createLog } from '../../src/platform/log.ts'
import { errorOf, freshStore, joinFleet, openNode } from '../billing/fleet/support.ts'
import { sharedPostgres, stopSharedPostgres } from '../support/postgres.ts'
import { seededChoices } from '../support/random.ts'

const log = createLog('silent')

t.setTimeout(120_000)
t.teardown(stopSharedPostgres)

/** Creates the rows of a fleet whose only node has the dashboard. */
async function createRows(t: Test) {
  const { store, schema } = await freshStore()
  const failures: Error[] = []
  const onFatal = (error: Error) => failures.push(error)
  const { accounts, rows, dashboardElsewhere } = await openNode({
    dir: t.testdir(),
    database: store,
    onFatal,
  })
  t.teardown(() => accounts.close())
  await dashboardElsewhere()
  return { store, schema, rows, failures }
}

const MEDIA: Record<string, (t: Test) => Promise<() => Promise<KeyedStore<string>>>> = {
  async 'a file'(t) {
    const dataDir = t.testdir()
    return () => openKeyedStore({ dataDir, log }, 'alerts', z.string())
  },
  async 'rows of a database'(t) {
    const dataDir = t.testdir()
    const { rows: sharedRows } = await createRows(t)
    return () => openKeyedStore({ dataDir, sharedRows, log }, 'alerts', z.string())
  },
}

t.test('a store under the name of another is refused, even an empty one', async t => {
  const dataDir = t.testdir()
  const outbox = await openKeyedStore({ dataDir, log }, 'alerts-outbox', z.string())
  await outbox.set('a', 'one')
  await outbox.delete('a')
  copyFileSync(join(dataDir, 'alerts-outbox.jsonl'), join(dataDir, 'alerts.jsonl'))
  await t.rejects(
    openKeyedStore({ dataDir, log }, 'alerts', z.string()),
    /damaged or of another file.*move it away/,
  )
})

for (const [where, prepare] of Object.entries(MEDIA)) {
  t.test(`changes in ${where} survive a restart`, async t => {
    const open = await prepare(t)
    const random = seededChoices(7)
    const expected = new Map<string, string>()
    const keys = ['a', 'b', 'acct_1 key.created', '__proto__', 'ä\u{1f600}', '']
    for (let start = 0; start < 5; start++) {
      const map = await open()
      t.same(new Map(map.entries()), expected)
      t.same(new Set(map.keys()), new Set(expected.keys()))
      t.equal([...map.keys()].length, expected.size)
      const changes: Promise<void>[] = []
      for (let change = 0; change < 40; change++) {
        const key = random.pick(keys)
        if (random.below(3) === 0) {
          expected.delete(key)
          changes.push(map.delete(key))
        } else {
          const value = `${random.below(1000)} "\\\u2028\u0000\ud800`
          expected.set(key, value)
          changes.push(map.set(key, value))
        }
        t.equal(map.get(key), expected.get(key), 'at once')
        // Some changes are concurrent, others sequential.
        if (random.below(4) === 0) await map.untilWritten()
      }
      await Promise.all(changes)
      await map.close()
    }
  })
}

t.test('a change that the database missed is written with the next one or later', async t => {
  const { rows } = await createRows(t)
  let isAway = false
  const failing: DashboardRows = {
    read: name => rows.read(name),
    write: (name, changes) => (isAway ? Promise.reject(new Error('away')) : rows.write(name, changes)),
  }
  const map = await openKeyedStore({ dataDir: t.testdir(), sharedRows: failing, log }, 'alerts', z.string())
  await map.set('gone', 'soon')
  isAway = true
  await t.rejects(map.set('a', 'one'), { message: 'away' })
  await t.rejects(map.delete('gone'), { message: 'away' })
  t.equal(map.get('a'), 'one', 'the value stays')
  isAway = false
  await map.set('b', 'two')
  t.same(await rows.read('alerts'), [
    ['a', '"one"'],
    ['b', '"two"'],
  ])
  isAway = true
  await t.rejects(map.set('a', 'three'), { message: 'away' })
  isAway = false
  while ((await rows.read('alerts'))[0][1] !== '"three"')
    await new Promise(resolve => setTimeout(resolve, 10))
  isAway = true
  await t.rejects(map.set('a', 'four'), { message: 'away' })
  isAway = false
  await map.close()
  t.same((await rows.read('alerts'))[0], ['a', '"four"'], 'at the end')
})

t.test('a malformed row is refused with a remedy', async t => {
  const { rows: sharedRows } = await createRows(t)
  await sharedRows.write('alerts', [
    ['a', '5'],
    ['c', '"three"'],
  ])
  const remedy = /dashboard_row: found a malformed value of "a"\. .*Restore it .*or move it away/
  await t.rejects(openKeyedStore({ dataDir: t.testdir(), sharedRows, log }, 'alerts', z.string()), remedy)
})

t.test('stale lines are removed by writes and by a start', async t => {
  const dataDir = t.testdir()
  const open = () => openKeyedStore({ dataDir, log }, 'alerts', z.string())
  const lines = () => readFileSync(join(dataDir, 'alerts.jsonl'), 'utf8').split('\n').length - 2
  const store = await open()
  await store.set('e', 'first')
  for (let n = 0; n < 3000; n++) await store.set('a', String(n))
  t.ok(lines() < 1000, `${lines()} lines`)
  t.equal((await open()).get('a'), '2999')
  t.equal(lines(), 2)
})

t.test('a stopped node that lost the dashboard restores nothing', async t => {
  const { store, schema, rows, failures } = await createRows(t)
  await rows.write('recharges', [['acct_1', '{"card":"old"}']])
  const next = await joinFleet(store)
  const server = await sharedPostgres()
  await server.query(`update ${schema}.fleet set dashboard_node = $1`, [next.node])
  await store.writeRows(next, 'recharges', [['acct_1', null]])
  t.type(await errorOf(rows.write('recharges', [['acct_1', '{"card":"old"}']])), FencedError)
  t.equal(failures.length, 1, 'the node ends')
  const earlier = store.writeRows({ ...next, epoch: next.epoch - 1 }, 'recharges', [['acct_1', '{}']])
  t.type(await errorOf(earlier), FencedError, 'an earlier epoch')
  t.same(await rows.read('recharges'), [])
})

const open = (path: string) => openStoreFile(path, 'nothing is lost')
const LINES = ['["a",1]\n', '["b",2]\n', '["a"]\n']

/** Creates a file with LINES, each appended by itself. */
async function create(path: string): Promise<Buffer> {
  const { file } = await open(path)
  for (const line of LINES) await file.append(Buffer.from(line))
  return readFileSync(path)
}

t.test('a file that was cut anywhere, or has a wrong byte, is refused with a remedy', async t => {
  const path = join(t.testdir(), 'store.jsonl')
  const whole = await create(path)
  t.equal(whole.toString('utf8', 64), LINES.join(''))
  const refused = {
    message: /found .*\. Records that were stored are lost\. Restore .*or move it away.*: nothing is lost\./,
  }
  for (let length = whole.length - 1; length >= 0; length--) {
    truncateSync(path, length)
    await t.rejects(open(path), refused, `${length} bytes`)
  }
  for (let at = 0; at < whole.length; at++) {
    // Spaces at the end of the header say nothing.
    if (whole[at] === 0x20) continue
    writeFileSync(path, whole.with(at, whole[at] ^ 1))
    await t.rejects(open(path), refused, `byte ${at}`)
  }
})

t.test('an append that was cut off by a crash is overwritten', async t => {
  const path = join(t.testdir(), 'store.jsonl')
  await create(path)
  appendFileSync(path, '["torn and never acknowledged"')
  for (const line of ['["c",3]\n', '["d",4]\n']) {
    const { file } = await open(path)
    await file.append(Buffer.from(line))
  }
  const { lines, file } = await open(path)
  t.equal(lines.toString(), `${LINES.join('')}["c",3]\n["d",4]\n`)
  t.same(await file.read(), lines)
})

t.test('a failed append leaves the file as it was, and the next one succeeds', async t => {
  const path = join(t.testdir(), 'store.jsonl')
  await create(path)
  const { file } = await open(path)
  chmodSync(path, 0o644)
  await t.rejects(file.append(Buffer.from('["lost"]\n')), /found mode 0644/)
  chmodSync(path, 0o600)
  await file.append(Buffer.from('["kept"]\n'))
  t.equal((await open(path)).lines.toString(), `${LINES.join('')}["kept"]\n`)
})

t.test('a new file exists only with its first lines', async t => {
  const path = join(t.testdir(), 'store.jsonl')
  const { file, isNew } = await open(path)
  t.ok(isNew)
  t.notOk(existsSync(path))
  await file.append(Buffer.from(LINES[0]))
  t.equal((await open(path)).isNew, false)
})
