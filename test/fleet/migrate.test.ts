/** All accounts go from a ledger to a fleet, and nothing that cuts a move short leaves two sides that count, or none. */
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { preflight } from '../../src/cli/preflight.ts'
import { shownAddress } from '../../src/fleet/database.ts'
import { moveToPostgres } from '../../src/fleet/move-to-postgres.ts'
import { openPostgresStore } from '../../src/fleet/postgres-store.ts'
import { Replica } from '../../src/fleet/replica.ts'
import type { Book } from '../../src/ledger/book/book.ts'
import { Ledger, type LedgerOptions } from '../../src/ledger/ledger.ts'
import { readMoved, writeMoved } from '../../src/ledger/moved.ts'
import { digestOf } from '../../src/ledger/snapshot/snapshot-items.ts'
import { verifyLedger } from '../../src/ledger/tools/verify-ledger.ts'
import { QUERY_PRICE_MICROS } from '../../src/money.ts'
import { readConfig } from '../../src/settings/config.ts'
import { writeIndex } from '../support/fixture-index.ts'
import { freshSchema, sharedPostgres, stopSharedPostgres } from '../support/postgres.ts'
import { type Finished, killBefore, postrie, startFakeServer } from '../support/processes.ts'
import { writeRichLedger } from './rich-ledger.ts'
import { errorOf, fill, joined } from './support.ts'

const THERE = ['migrate', 'ledger-to-postgres']

t.setTimeout(300_000)
t.teardown(stopSharedPostgres)

t.test('a rich ledger becomes a fleet that says the same of money, keys, people and usage', async t => {
  const dir = t.testdir()
  const url = await freshUrl()
  await writeRichLedger(dir, 120)
  const before = await bookIn(dir)
  const report = ok(t, await postrie(dir, [...THERE, '--json'], { ACCOUNTS: url }))
  t.equal(report.accounts, before.accounts.size)
  t.ok(report.accounts > 100 && report.queries > 1000)
  const store = await openPostgresStore(url)
  const { replica } = await Replica.open(store)
  await store.close()
  t.same(digestOf(replica.book), digestOf(before))
})

t.test('a ledger that has moved is refused without ACCOUNTS, and says where its accounts are', async t => {
  const { dir, url } = await smallLedger(t.testdir())
  ok(t, await postrie(dir, [...THERE, '--json'], { ACCOUNTS: url }))
  refused(t, await postrie(dir, ['account', 'list']), /were moved to postgres:.*\?schema=\w+.*Set ACCOUNTS/)
  t.match(await errorOf(startFakeServer(dir)), { message: /ended with 1: .*were moved to postgres:/s })
  refused(t, await postrie(dir, THERE, { ACCOUNTS: url }), /were moved to postgres:.*Nothing was changed/)
  t.match(await ledgerProblems(dir, {}), [/were moved to postgres:/])
})

t.test('a check before the start of a node does not ask for the ledger of the time before', async t => {
  const { dir, url } = await smallLedger(t.testdir())
  await moveToPostgres(dir, url)
  t.same(await ledgerProblems(dir, { ACCOUNTS: url }), [])
  const lost = t.testdir({ 'dashboard.key': 'x' })
  t.same(await ledgerProblems(lost, { ACCOUNTS: url }), [])
  t.match(await ledgerProblems(lost, {}), [/the ledger was lost/])
})

t.test('a fleet that is not empty, and a ledger in use, are left as they are', async t => {
  const { dir, url } = await smallLedger(t.testdir())
  refused(t, await postrie(dir, THERE), /ACCOUNTS is not set/, 2)
  const store = await openPostgresStore(url)
  await fill(store, await joined(store), 2, 10)
  await store.close()
  refused(t, await postrie(dir, THERE, { ACCOUNTS: url }), /is not empty: it has 4 changes/)
  const ledger = await opened(dir)
  refused(t, await postrie(dir, THERE, { ACCOUNTS: await freshUrl() }), /in use by process/, 5)
  await ledger.close()
  t.match(await verifyLedger(dir), { status: 'sound' }, 'it is as it was, and may be used')
  t.equal((await postrie(dir, ['account', 'list'])).code, 0)
})

t.test('a move to a fleet that is killed anywhere is finished by the next one', async t => {
  const root = t.testdir()
  const seen = new Set<string>()
  const killedBefore = async (at: number) => {
    const { dir, url } = await smallLedger(join(root, `${at}`))
    const before = await bookIn(dir)
    const killed = await postrie(dir, THERE, { ACCOUNTS: url, ...killBefore(at, ['rename'], dir) })
    // The renames after the last mark belong to the ledger's end.
    if (killed.code !== null || (await readMoved(dir))?.isDone) return
    const refusal = await whyRefused(dir)
    const isCommitted = await isFilled(url)
    if (refusal === null) t.notOk(isCommitted, 'the ledger still counts, so the fleet is empty')
    else t.match(refusal, /was cut short.*migrate ledger-to-postgres` again/)
    seen.add(`${refusal === null} ${isCommitted}`)
    const report = await moveToPostgres(dir, url)
    t.same([report.accounts, report.isFinished], [before.accounts.size, isCommitted], `killed at ${at}`)
    t.match(await whyRefused(dir), /were moved to postgres/)
    t.ok(await isFilled(url))
  }
  await Promise.all([1, 2, 3, 4, 5].map(killedBefore))
  t.same([...seen].sort(), ['false true', 'true false'])
})

t.test('a ledger whose move was cut short before the commit neither counts nor is lost', async t => {
  const { dir, url } = await smallLedger(t.testdir())
  const mark = {
    move: randomUUID(),
    isDone: false,
    database: 'postgres://other/db',
    time: '2026',
  } as const
  await writeMoved(dir, mark)
  t.match(await errorOf(moveToPostgres(dir, url)), {
    message: /was cut short.*ACCOUNTS names .* Nothing was changed/,
  })
  await writeMoved(dir, { ...mark, database: shownAddress(url) })
  t.match(await whyRefused(dir), /was cut short.*To stay with this ledger instead/)
  t.match(await moveToPostgres(dir, url), { isFinished: false })
  t.match(await whyRefused(dir), /were moved to postgres/)
})

t.test('a database that does not keep what it is given is found out, and nothing is changed', async t => {
  const { dir, url } = await smallLedger(t.testdir())
  const server = await sharedPostgres()
  await (await openPostgresStore(url)).close()
  await server.query(
    `create function ${schemaOf(url)}.lose() returns trigger language plpgsql as 'begin new.queries[1] := new.queries[1] + 1; return new; end';
     create trigger lose before insert on ${schemaOf(url)}.key_usage for each row execute function ${schemaOf(url)}.lose()`,
  )
  t.match(await errorOf(moveToPostgres(dir, url)), {
    message:
      /The database returned other rows than were written, and nothing was changed: usage: \[\d+,.* became/,
  })
  t.notOk(await isFilled(url))
  t.equal(await whyRefused(dir), null)
})

t.test('a commit that fails leaves the ledger whole, and the next run goes on', async t => {
  const { dir, url } = await smallLedger(t.testdir())
  const before = await bookIn(dir)
  await (await openPostgresStore(url)).close()
  const mend = await failCommits(schemaOf(url))
  t.match(await errorOf(moveToPostgres(dir, url)), { message: /no commits today/ })
  t.match(await whyRefused(dir), /was cut short/)
  t.notOk(await isFilled(url))
  await mend()
  t.match(await moveToPostgres(dir, url), { isFinished: false, accounts: before.accounts.size })
})

async function smallLedger(dir: string): Promise<{ dir: string; url: string }> {
  await writeRichLedger(dir, 3)
  return { dir, url: await freshUrl() }
}

async function freshUrl(): Promise<string> {
  return `${(await sharedPostgres()).url}?schema=${freshSchema()}`
}

async function isFilled(url: string): Promise<boolean> {
  const server = await sharedPostgres()
  const [{ table }] = await server.query(`select to_regclass('${schemaOf(url)}.snapshot') as table`)
  return table !== null && (await server.query(`select from ${table}`)).length > 0
}

/** Has every transaction that changes the fleet fail at its commit, until the function that is returned has run. */
async function failCommits(schema: string): Promise<() => Promise<void>> {
  const server = await sharedPostgres()
  await server.query(
    `create function ${schema}.fail() returns trigger language plpgsql as 'begin raise exception ''no commits today''; end';
     create constraint trigger fail after update on ${schema}.fleet deferrable initially deferred for each row
       execute function ${schema}.fail()`,
  )
  return async () => {
    await server.query(`drop function ${schema}.fail() cascade`)
  }
}

/** Why a start without ACCOUNTS is refused, or null. */
async function whyRefused(dir: string): Promise<string | null> {
  const error = await errorOf(Ledger.open(options(dir)).then(ledger => ledger.close()))
  return error instanceof Error ? error.message : null
}

/** Returns what `postrie serve --check` says besides what every start needs. */
async function ledgerProblems(dir: string, env: NodeJS.ProcessEnv): Promise<string[]> {
  const own = { DATA_DIR: dir, INDEX_FILE: writeIndex(dir), PORT: '0', CONTROL_PORT: '0' }
  const { problems } = await preflight(readConfig({ ...own, ...env }))
  return problems.map(({ message }) => message)
}

function schemaOf(url: string): string {
  return new URL(url).searchParams.get('schema') ?? ''
}

function opened(dir: string): Promise<Ledger> {
  return Ledger.open({ ...options(dir), mayBeMoved: true })
}

function options(dir: string): LedgerOptions {
  return {
    ...{ dir, mayCreate: false, priceMicros: QUERY_PRICE_MICROS },
    onFail(error) {
      throw error
    },
  }
}

async function bookIn(dir: string): Promise<Book> {
  const ledger = await opened(dir)
  await ledger.close()
  return ledger.book
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
