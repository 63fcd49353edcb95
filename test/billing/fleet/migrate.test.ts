/** A cut move must never leave two sides that charge, or none. */
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import t from 'tap'
import { Replica } from '../../../src/billing/fleet/books.ts'
import { shownAddress } from '../../../src/billing/fleet/connections.ts'
import { openFleetDatabase } from '../../../src/billing/fleet/fleet-database.ts'
import { migrateToPostgres } from '../../../src/billing/fleet/migrate-to-postgres.ts'
import type { Book } from '../../../src/billing/ledger/book/book.ts'
import { type Ledger, openLedger } from '../../../src/billing/ledger/ledger.ts'
import { readMigrated, writeMigrated } from '../../../src/billing/ledger/presence.ts'
import { digestOf } from '../../../src/billing/ledger/snapshot/snapshot.ts'
import { verifyLedger } from '../../../src/billing/ledger/tools/verify-ledger.ts'
import { readConfig } from '../../../src/platform/settings/config.ts'
import { preflight } from '../../../src/programs/cli/preflight.ts'
import { writeIndex } from '../../support/fixture-index.ts'
import { freshSchema, sharedPostgres, stopSharedPostgres } from '../../support/postgres.ts'
import { command, killBefore, postrie, postrieJson, startFakeServer } from '../../support/processes.ts'
import { writeRichLedger } from './rich-ledger.ts'
import { errorOf, fill, joinFleet } from './support.ts'

const MIGRATE = ['migrate', 'ledger-to-postgres']

t.setTimeout(300_000)
t.teardown(stopSharedPostgres)

t.test('a fleet has the money, keys, people and usage of the migrated ledger', async t => {
  const dir = t.testdir()
  const url = await freshUrl()
  await writeRichLedger(dir, 120)
  const before = await bookIn(dir)
  const report = await postrieJson(dir, MIGRATE, { ACCOUNTS: url })
  t.equal(report.accounts, before.accounts.size)
  t.ok(report.accounts > 100 && report.queries > 1000)
  const store = await openFleetDatabase(url)
  const replica = await Replica.open(store)
  await store.close()
  t.same(digestOf(replica.book), digestOf(before))
})

t.test('a migrated ledger is refused without ACCOUNTS and names its fleet', async t => {
  const { dir, url } = await smallLedger(t.testdir())
  await postrieJson(dir, MIGRATE, { ACCOUNTS: url })
  const moved = /were moved to postgres:.*\?schema=\w+.*Set ACCOUNTS/
  t.match(await command(dir, ['account', 'list']), { code: 1, stderr: moved })
  t.match(await errorOf(startFakeServer(dir)), { message: /ended with 1: .*were moved to postgres:/s })
  const again = /were moved to postgres:.*Nothing was changed/
  t.match(await command(dir, MIGRATE, { ACCOUNTS: url }), { code: 1, stderr: again })
  t.match(await ledgerProblems(dir, {}), [/were moved to postgres:/])
})

t.test('a check of a node does not need the ledger from before the migration', async t => {
  const { dir, url } = await smallLedger(t.testdir())
  await migrateToPostgres(dir, url)
  t.same(await ledgerProblems(dir, { ACCOUNTS: url }), [])
  const lost = t.testdir({ 'dashboard.key': 'x' })
  t.same(await ledgerProblems(lost, { ACCOUNTS: url }), [])
  t.match(await ledgerProblems(lost, {}), [/the ledger was lost/])
})

t.test('a migration leaves a used fleet and an open ledger unchanged', async t => {
  const { dir, url } = await smallLedger(t.testdir())
  t.match(await command(dir, MIGRATE), { code: 2, stderr: /ACCOUNTS is not set/ })
  const store = await openFleetDatabase(url)
  await fill(store, await joinFleet(store), 2, 10)
  await store.close()
  const used = await command(dir, MIGRATE, { ACCOUNTS: url })
  t.match(used, { code: 1, stderr: /is not empty: it has 4 changes/ })
  const ledger = await openMoved(dir)
  const open = await command(dir, MIGRATE, { ACCOUNTS: await freshUrl() })
  t.match(open, { code: 5, stderr: /in use by process/ })
  await ledger.close()
  t.match(await verifyLedger(dir), { status: 'sound' }, 'it is as it was, and may be used')
  t.equal((await command(dir, ['account', 'list'])).code, 0)
})

t.test('a killed migration is completed by the next one', async t => {
  const root = t.testdir()
  const starts = new Set<boolean>()
  const killedBefore = async (at: number) => {
    const { dir, url } = await smallLedger(join(root, `${at}`))
    const before = await bookIn(dir)
    const killed = await postrie(dir, MIGRATE, { ACCOUNTS: url, ...killBefore(at, ['rename'], dir) })
    // The renames after the last mark belong to the end of the ledger.
    if (killed.code !== null || (await readMigrated(dir))?.isDone) return
    const refusal = await startRefusal(dir)
    const isCommitted = await isFilled(url)
    if (refusal !== null) t.match(refusal, /was cut short.*migrate ledger-to-postgres` again/)
    t.equal(isCommitted, refusal !== null, 'either the ledger still counts, or the fleet has everything')
    starts.add(refusal === null)
    const report = await migrateToPostgres(dir, url)
    t.same([report.accounts, report.isFinished], [before.accounts.size, isCommitted], `killed at ${at}`)
    t.match(await startRefusal(dir), /were moved to postgres/)
    t.ok(await isFilled(url))
  }
  await Promise.all([1, 2, 3, 4, 5].map(killedBefore))
  t.same(starts, new Set([true, false]), 'kills before and after the commit')
})

t.test('a ledger whose migration stopped before the commit does not charge and is not lost', async t => {
  const { dir, url } = await smallLedger(t.testdir())
  const mark = { move: randomUUID(), isDone: false, database: 'postgres://other/db', time: '2026' } as const
  await writeMigrated(dir, mark)
  t.match(await errorOf(migrateToPostgres(dir, url)), {
    message: /was cut short.*ACCOUNTS names .* Nothing was changed/,
  })
  await writeMigrated(dir, { ...mark, database: shownAddress(url) })
  t.match(await startRefusal(dir), /was cut short.*To stay with this ledger instead/)
  t.match(await migrateToPostgres(dir, url), { isFinished: false })
  t.match(await startRefusal(dir), /were moved to postgres/)
})

t.test('a migration detects a database that does not store its data, and changes nothing', async t => {
  const { dir, url } = await smallLedger(t.testdir())
  const server = await sharedPostgres()
  await (await openFleetDatabase(url)).close()
  await server.query(
    `create function ${schemaOf(url)}.lose() returns trigger language plpgsql as 'begin new.queries := new.queries + 1; return new; end';
     create trigger lose before insert on ${schemaOf(url)}.key_usage for each row execute function ${schemaOf(url)}.lose()`,
  )
  t.match(await errorOf(migrateToPostgres(dir, url)), {
    message:
      /The database returned other rows than were written, and nothing was changed: usage: \[\d+,.* became/,
  })
  t.notOk(await isFilled(url))
  t.equal(await startRefusal(dir), null)
})

async function smallLedger(dir: string) {
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

/** Returns the reason why a start without ACCOUNTS is refused, or null. */
async function startRefusal(dir: string): Promise<string | null> {
  const error = await errorOf(openLedger({ dir, mayCreate: false }).then(ledger => ledger.close()))
  return error instanceof Error ? error.message : null
}

/** Returns the output of `postrie serve --check` without the requirements of every start. */
async function ledgerProblems(dir: string, env: NodeJS.ProcessEnv): Promise<string[]> {
  const own = { DATA_DIR: dir, INDEX_FILE: writeIndex(dir), PORT: '0', CONTROL_PORT: '0' }
  const { problems } = await preflight(readConfig({ ...own, ...env }))
  return problems.map(({ message }) => message)
}

function schemaOf(url: string): string {
  return new URL(url).searchParams.get('schema') ?? ''
}

function openMoved(dir: string): Promise<Ledger> {
  return openLedger({ dir, mayCreate: false, mayBeMigrated: true })
}

async function bookIn(dir: string): Promise<Book> {
  const ledger = await openMoved(dir)
  await ledger.close()
  return ledger.book
}
