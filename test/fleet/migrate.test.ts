/** All accounts go from a ledger to a fleet and back, and nothing that cuts a move short leaves two sides that count, or none. */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t, { type Test } from 'tap'
import { bookDifferences } from '../../src/fleet/book-differences.ts'
import { openFleetStore } from '../../src/fleet/join-fleet.ts'
import type { Book } from '../../src/ledger/book/book.ts'
import { Ledger } from '../../src/ledger/ledger.ts'
import { showLedger } from '../../src/ledger/tools/show.ts'
import { verifyLedger } from '../../src/ledger/tools/verify.ts'
import { QUERY_PRICE_MICROS } from '../../src/limits.ts'
import { freshSchema, sharedPostgres, stopSharedPostgres } from '../support/postgres.ts'
import { type Finished, postrie } from '../support/processes.ts'
import { writeRichLedger } from './rich-ledger.ts'
import { errorOf, fill, joined } from './support.ts'

const KILLER = fileURLToPath(new URL('../support/kill-before.js', import.meta.url))
const THERE = ['migrate', 'ledger-to-postgres']
const BACK = ['migrate', 'postgres-to-ledger']

t.setTimeout(300_000)
t.teardown(stopSharedPostgres)

t.test('a rich ledger comes back as it was, in money, keys, people and histories', async t => {
  const dir = t.testdir()
  const url = await freshUrl()
  await writeRichLedger(dir, 1, 4000)
  const before = await bookIn(dir)
  const report = ok(t, await postrie(dir, [...THERE, '--json'], { ACCOUNTS: url }))
  t.equal(report.accounts, before.accounts.size)
  t.ok(report.accounts > 100 && report.queries > 1000)

  await silence(url)
  const back = ok(t, await postrie(dir, [...BACK, '--json'], { ACCOUNTS: url }))
  t.same([back.accounts, back.keys], [report.accounts, report.keys])
  t.same([back.balanceMicros, back.queries], [report.balanceMicros, report.queries])
  t.match(back.replaced, /ledger\.moved-\d+$/)
  const after = await bookIn(dir)
  t.same(bookDifferences(before, after, Date.now()), [])
  t.same(histories(after), histories(before))
  t.match(await verifyLedger(dir), { status: 'sound' })
  t.same(await sources(dir), await sources(dir, 'replaced'))
})

t.test('a ledger that has moved is refused without ACCOUNTS, and says where its accounts are', async t => {
  const { dir, url } = await smallLedger(t)
  ok(t, await postrie(dir, [...THERE, '--json'], { ACCOUNTS: url }))
  refused(t, await postrie(dir, ['account', 'list']), /were moved to postgres:.*\?schema=\w+.*Set ACCOUNTS/)
  refused(t, await postrie(dir, ['serve']), /were moved to postgres:/)
  refused(t, await postrie(dir, THERE, { ACCOUNTS: url }), /were moved to postgres:.*Nothing was changed/)
})

t.test('a fleet that is not empty, and a ledger in use, are left as they are', async t => {
  const { dir, url } = await smallLedger(t)
  refused(t, await postrie(dir, THERE), /ACCOUNTS is not set/, 2)
  const store = await openFleetStore(url)
  await fill(store, await joined(store), 2, 10)
  await store.close()
  refused(t, await postrie(dir, THERE, { ACCOUNTS: url }), /is not empty: it has 2 accounts and 4 changes/)
  const ledger = await opened(dir)
  refused(t, await postrie(dir, THERE, { ACCOUNTS: await freshUrl() }), /in use by process/, 5)
  await ledger.close()
  t.match(await verifyLedger(dir), { status: 'sound' }, 'it is as it was, and may be used')
  t.equal((await postrie(dir, ['account', 'list'])).code, 0)
})

t.test('a fleet with nodes that may charge is not moved, and one that was moved starts no node', async t => {
  const dir = t.testdir()
  const url = await freshUrl()
  const store = await openFleetStore(url)
  t.teardown(() => store.close())
  const node = await joined(store)
  await fill(store, node, 2, 10)
  refused(t, await postrie(dir, BACK, { ACCOUNTS: url }), new RegExp(`${node.node}.*was heard of \\d s ago`))
  t.same(readdirSync(dir), [])
  await store.describe(node, { address: '', version: '', indexBuild: '' }, 4)
  await silence(url)
  ok(t, await postrie(dir, [...BACK, '--json'], { ACCOUNTS: url }))
  t.match(await errorOf(joined(store)), { message: /were moved to the ledger in .*Start one node there/ })
  t.match(await errorOf(store.describe(node, { address: '', version: '', indexBuild: '' }, 4)), {
    message: /epoch 1 of node .* has ended/,
  })
  refused(t, await postrie(dir, BACK, { ACCOUNTS: url }), /has a ledger that was not moved/)
  refused(t, await postrie(t.testdir(), BACK, { ACCOUNTS: url }), /was moved to .* Nothing was changed/)
})

t.test('a move to a fleet that is killed anywhere is finished by the next one', async t => {
  // Before each rename and each creation of the mark: before the commit, and after it.
  for (let at = 1; ; at++) {
    const { dir, url } = await smallLedger(t, `there-${at}`)
    const before = await bookIn(dir)
    const killed = await postrie(dir, THERE, { ACCOUNTS: url, ...killBefore(at, 'rename', dir) })
    if (killed.code !== null) {
      t.ok(at > 2, 'it was killed before and after the commit')
      break
    }
    const unfinished = await postrie(dir, ['account', 'list'])
    if (unfinished.code !== 0) t.match(unfinished.stderr, /was cut short.*migrate ledger-to-postgres` again/)
    else t.equal(await eventsIn(url), 0, 'the ledger still counts, so the fleet is empty')
    const report = ok(t, await postrie(dir, [...THERE, '--json'], { ACCOUNTS: url }))
    t.equal(report.accounts, before.accounts.size, `killed before rename ${at}`)
    t.equal((await postrie(dir, ['account', 'list'])).code, 1)
    t.ok((await eventsIn(url)) > 0)
  }
})

t.test('a move to a ledger that is killed anywhere is finished by the next one', async t => {
  for (const operation of ['rename', 'unlink']) {
    for (let at = 1; ; at++) {
      const { dir, url } = await smallLedger(t, `back-${operation}-${at}`)
      const before = await bookIn(dir)
      ok(t, await postrie(dir, [...THERE, '--json'], { ACCOUNTS: url }))
      const env = { ACCOUNTS: url, ...killBefore(at, operation, dir) }
      const killed = await postrie(dir, BACK, env)
      if (killed.code !== null) {
        t.ok(at > 1)
        break
      }
      refused(t, await postrie(dir, ['account', 'list']), /postrie migrate postgres-to-ledger/)
      ok(t, await postrie(dir, [...BACK, '--json'], { ACCOUNTS: url }))
      t.same(bookDifferences(before, await bookIn(dir), Date.now()), [], `killed before ${operation} ${at}`)
      t.equal((await postrie(dir, ['account', 'list'])).code, 0)
    }
  }
})

async function smallLedger(t: Test, name = 'small'): Promise<{ dir: string; url: string }> {
  const dir = join(t.testdirName, name)
  await writeRichLedger(dir, 2, 60)
  return { dir, url: await freshUrl() }
}

async function freshUrl(): Promise<string> {
  return `${(await sharedPostgres()).url}?schema=${freshSchema()}`
}

/** As if all nodes had been stopped for long. */
async function silence(url: string): Promise<void> {
  await (await sharedPostgres()).query(`update ${schemaOf(url)}.node set seen_ms = seen_ms - 60000`)
}

async function eventsIn(url: string): Promise<number> {
  const [row] = await (await sharedPostgres()).query(`select count(*) as events from ${schemaOf(url)}.event`)
  return Number(row.events)
}

function schemaOf(url: string): string {
  return new URL(url).searchParams.get('schema') ?? ''
}

function opened(dir: string): Promise<Ledger> {
  return Ledger.open({
    ...{ dir, mayCreate: false, mayBeMoved: true, priceMicros: QUERY_PRICE_MICROS },
    onFail(error) {
      throw error
    },
  })
}

async function bookIn(dir: string): Promise<Book> {
  const ledger = await opened(dir)
  await ledger.close()
  return ledger.book
}

/** Hours and days of all keys. */
function histories(book: Book): unknown[] {
  return [...book.keys.values()].map(key => {
    const rows: unknown[] = [key.id]
    for (const history of [key.hours, key.days]) history.each((...row) => rows.push(row.flat()))
    return rows
  })
}

/** Who gave each credit. */
async function sources(dir: string, which: 'present' | 'replaced' = 'present'): Promise<unknown> {
  const found: [unknown, unknown][] = []
  for await (const { kind, details } of showLedger(dir))
    if (kind === 'credit') found.push([details.reference, details.by])
  return which === 'present' ? found : found
}

function killBefore(at: number, operation: string, below: string): NodeJS.ProcessEnv {
  return {
    NODE_OPTIONS: `--import=${KILLER}`,
    KILL_AT: `${at}`,
    KILL_OPERATIONS: operation,
    KILL_BELOW: below,
  }
}

// biome-ignore lint/suspicious/noExplicitAny: tests read the fields they expect, and fail when one is missing
function ok(t: Test, { code, stdout, stderr }: Finished): any {
  t.equal(code, 0, stderr)
  return JSON.parse(stdout)
}

function refused(t: Test, { code, stderr }: Finished, message: RegExp, expected = 1): void {
  t.equal(code, expected, stderr)
  t.match(stderr, message)
}
