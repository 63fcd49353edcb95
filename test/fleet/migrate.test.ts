/** All accounts go from a ledger to a fleet and back, and nothing that cuts a move short leaves two sides that count, or none. */
import { randomUUID } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { bookDifferences } from '../../src/fleet/book-differences.ts'
import { shownAddress } from '../../src/fleet/fleet-address.ts'
import { openFleetStore } from '../../src/fleet/join-fleet.ts'
import { moveToLedger } from '../../src/fleet/move-to-ledger.ts'
import { moveToPostgres } from '../../src/fleet/move-to-postgres.ts'
import { balanceMicros } from '../../src/ledger/book/record.ts'
import { readMoved, writeMoved } from '../../src/ledger/moved.ts'
import { verifyLedger } from '../../src/ledger/tools/verify.ts'
import { QUERY_PRICE_MICROS } from '../../src/limits.ts'
import { sharedPostgres, stopSharedPostgres } from '../support/postgres.ts'
import { postrie, startFakeServer } from '../support/processes.ts'
import {
  bookIn,
  eventsIn,
  failCommits,
  freshUrl,
  histories,
  isMoved,
  killBefore,
  ledgerProblems,
  ok,
  opened,
  refused,
  schemaOf,
  silence,
  smallLedger,
  sources,
  whyRefused,
} from './moves.ts'
import { writeRichLedger } from './rich-ledger.ts'
import { credit, errorOf, exchangeOf, fill, joined, usedOf, wantOf } from './support.ts'

const THERE = ['migrate', 'ledger-to-postgres']
const BACK = ['migrate', 'postgres-to-ledger']

t.setTimeout(300_000)
t.teardown(stopSharedPostgres)

t.test('a rich ledger comes back as it was, in money, keys, people and histories', async t => {
  const dir = t.testdir()
  const url = await freshUrl()
  await writeRichLedger(dir, 1, 2500)
  const before = await bookIn(dir)
  const givers = await sources(dir)
  const report = ok(t, await postrie(dir, [...THERE, '--json'], { ACCOUNTS: url }))
  t.equal(report.accounts, before.accounts.size)
  t.ok(report.accounts > 100 && report.queries > 1000)

  await silence(url)
  const back = ok(t, await postrie(dir, [...BACK, '--json'], { ACCOUNTS: url }))
  t.same([back.accounts, back.keys], [report.accounts, report.keys])
  t.same([back.balanceMicros, back.queries], [report.balanceMicros, report.queries])
  t.match(back.replaced, /ledger\.moved-\d+$/)
  const status = await postrie(dir, ['fleet', 'status'], { ACCOUNTS: url })
  t.ok(status.stdout.startsWith('moved away: '), 'the status of the fleet says where its accounts are')
  t.ok(status.stdout.includes(`in ${dir} since`), status.stdout)
  const after = await bookIn(dir)
  t.same(bookDifferences(before, after, Date.now()), [])
  t.same(histories(after), histories(before))
  t.match(await verifyLedger(dir), { status: 'sound' })
  t.ok([...givers.values()].includes('ada@example.com'))
  t.same(await sources(dir), givers)
})

t.test('what the nodes of the fleet charge and change after a move comes back too', async t => {
  const { dir, url } = await smallLedger(t.testdir())
  const before = await bookIn(dir)
  const key = [...before.keys.values()].find(
    ({ account, revokedMs }) => balanceMicros(account) > 2800 && revokedMs === 0,
  )
  if (key === undefined) throw new Error('no key can pay')
  const account = key.account.slot
  await moveToPostgres(dir, url)
  const store = await openFleetStore(url, 'upgrade')
  const node = await joined(store)
  const { sequence } = await store.status()
  await store.commit(node, sequence, [credit(account, 5_000_000, 'in the fleet')])
  await store.exchange(node, exchangeOf(1, { wants: [wantOf(account, 100)] }))
  await store.exchange(node, exchangeOf(2, { reports: [usedOf(key.slot, 60)] }))
  await silence(url)
  t.match(await errorOf(moveToLedger(dir, url)), { message: new RegExp(`${node.node} .*holds \\$0.0011`) })
  const returned = { account, micros: 40 * QUERY_PRICE_MICROS, admissions: 0, caps: [] }
  await store.exchange(node, exchangeOf(3, { returns: [returned] }))
  await store.close()
  await silence(url)
  t.match(await moveToLedger(dir, url), { isFinished: false })
  const after = await bookIn(dir)
  const [charged, paid] = [after.key(key.slot), after.account(account)]
  t.equal(charged.queriesSum(), key.queriesSum() + 60)
  t.equal(balanceMicros(paid), balanceMicros(key.account) + 5_000_000 - 60 * QUERY_PRICE_MICROS)
  t.match(paid.entries.at(-1), { reference: 'in the fleet', balanceMicros: 5_000_000 })
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
  const store = await openFleetStore(url, 'upgrade')
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
  const store = await openFleetStore(url, 'upgrade')
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
  const root = t.testdir()
  const seen = new Set<string>()
  const killedBefore = async (at: number) => {
    const { dir, url } = await smallLedger(join(root, `${at}`))
    const before = await bookIn(dir)
    const killed = await postrie(dir, THERE, { ACCOUNTS: url, ...killBefore(at, 'rename', dir) })
    // What follows the last mark belongs to the ledger's end.
    if (killed.code !== null || (await readMoved(dir))?.isDone) return
    const refusal = await whyRefused(dir)
    const isFilled = (await eventsIn(url)) > 0
    if (refusal === null) t.notOk(isFilled, 'the ledger still counts, so the fleet is empty')
    else t.match(refusal, /was cut short.*migrate ledger-to-postgres` again/)
    seen.add(`${refusal === null} ${isFilled}`)
    const report = await moveToPostgres(dir, url)
    t.same([report.accounts, report.isFinished], [before.accounts.size, isFilled], `killed at ${at}`)
    t.match(await whyRefused(dir), /were moved to postgres/)
    t.ok((await eventsIn(url)) > 0)
  }
  await Promise.all([1, 2, 3, 4, 5].map(killedBefore))
  t.same([...seen].sort(), ['false true', 'true false'])
})

t.test('a ledger whose move was cut short before the commit neither counts nor is lost', async t => {
  const { dir, url } = await smallLedger(t.testdir())
  const mark = {
    move: randomUUID(),
    to: 'postgres',
    isDone: false,
    database: 'postgres://other/db',
    time: '2026',
  } as const
  await writeMoved(dir, mark)
  t.match(await errorOf(moveToPostgres(dir, url)), {
    message: /was cut short.*ACCOUNTS names .* Nothing was changed/,
  })
  await writeMoved(dir, { ...mark, to: 'ledger' })
  t.match(await errorOf(moveToLedger(dir, url)), { message: /was cut short.*Nothing was changed/ })
  await writeMoved(dir, { ...mark, database: shownAddress(url) })
  t.match(await whyRefused(dir), /was cut short.*To stay with this ledger instead/)
  t.match(await errorOf(moveToLedger(dir, url)), { message: /was cut short.*Nothing was changed/ })
  t.match(await moveToPostgres(dir, url), { isFinished: false })
  t.match(await whyRefused(dir), /were moved to postgres/)
})

t.test('a database that does not keep what it is given is found out, and nothing is changed', async t => {
  const { dir, url } = await smallLedger(t.testdir())
  const server = await sharedPostgres()
  await (await openFleetStore(url, 'upgrade')).close()
  await server.query(
    `create function ${schemaOf(url)}.lose() returns trigger language plpgsql as 'begin new.queries[1] := new.queries[1] + 1; return new; end';
     create trigger lose before insert on ${schemaOf(url)}.key_usage for each row execute function ${schemaOf(url)}.lose()`,
  )
  t.match(await errorOf(moveToPostgres(dir, url)), {
    message: /What was written is not what was read, and nothing was changed: the usage of key key_\d+/,
  })
  t.equal(await eventsIn(url), 0)
  t.equal(await whyRefused(dir), null)
})

t.test('a commit that fails leaves one side whole, in both directions, and the next run goes on', async t => {
  const { dir, url } = await smallLedger(t.testdir())
  const before = await bookIn(dir)
  await (await openFleetStore(url, 'upgrade')).close()
  const mend = await failCommits(schemaOf(url))
  t.match(await errorOf(moveToPostgres(dir, url)), { message: /no commits today/ })
  t.match(await whyRefused(dir), /was cut short/)
  t.equal(await eventsIn(url), 0)
  await mend()
  t.match(await moveToPostgres(dir, url), { isFinished: false, accounts: before.accounts.size })

  const mendAgain = await failCommits(schemaOf(url))
  t.match(await errorOf(moveToLedger(dir, url)), { message: /no commits today/ })
  t.match(await whyRefused(dir), /was cut short/)
  t.equal(await isMoved(url), false)
  await mendAgain()
  t.match(await moveToLedger(dir, url), { isFinished: false, accounts: before.accounts.size })
  t.same(bookDifferences(before, await bookIn(dir), Date.now()), [])
  t.same(
    readdirSync(dir).filter(name => name.startsWith('migrate-')),
    [],
  )
})

t.test('a move to a ledger that is killed anywhere is finished by the next one', async t => {
  const points: [string, number][] = [
    ...[7, 8, 9].map((at): [string, number] => ['rename', at]),
    ...[2, 3].map((at): [string, number] => ['unlink', at]),
  ]
  const states = [/were moved to postgres/, /there is no ledger/, /was cut short/]
  const root = t.testdir()
  const seen = new Set<string>()
  const killedBefore = async ([operation, at]: [string, number]) => {
    const { dir, url } = await smallLedger(join(root, `${operation}-${at}`))
    const before = await bookIn(dir)
    await moveToPostgres(dir, url)
    const killed = await postrie(dir, BACK, { ACCOUNTS: url, ...killBefore(at, operation, dir) })
    if (killed.code !== null) return
    const refusal = await whyRefused(dir)
    t.match(refusal, /postrie migrate postgres-to-ledger/)
    for (const state of states) if (state.test(refusal ?? '')) seen.add(`${state} ${await isMoved(url)}`)
    await moveToLedger(dir, url)
    t.same(bookDifferences(before, await bookIn(dir), Date.now()), [], `killed before ${operation} ${at}`)
    t.equal(await whyRefused(dir), null)
  }
  await Promise.all(points.map(killedBefore))
  // Before the renames, between them, after them, and after the commit.
  const expected = ['0 false', '1 false', '2 false', '2 true']
  t.same([...seen].sort(), expected.map(text => text.replace(/^\d/, at => `${states[Number(at)]}`)).sort())
})
