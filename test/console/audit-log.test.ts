import { appendFile, readdir, rm, stat, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import t from 'tap'
import { actingAs } from '../../src/billing/accounts/actor.ts'
import {
  AUDIT_ENTRIES_PER_HOUR_MAX,
  AUDIT_ENTRIES_PER_PAGE,
  AUDIT_WAITING_MAX,
  type AuditEntry,
  type AuditLog,
  LINE_BYTES_MAX,
  openAuditLog,
} from '../../src/console/audit/audit-log.ts'

const quiet = { error: () => {} }
const entry = (n: number, account: string | null = `acct_${n % 3}`) =>
  ({ what: 'credit', account, details: { n } }) as const
const numbers = (entries: readonly { details: Readonly<Record<string, unknown>> }[]) =>
  entries.map(({ details }) => details.n)

async function exported(log: AuditLog, account: string | null) {
  const entries = []
  for await (const some of log.export(account)) entries.push(...some)
  return entries
}

t.test('entries are found by account, newest first, also after a restart', async t => {
  const dir = t.testdir()
  let log = await openAuditLog(dir, quiet)
  for (let n = 0; n < 300; n++) log.record(entry(n))
  actingAs({ kind: 'operator', name: 'ops@example.org', from: '203.0.113.9' }, () =>
    log.record(entry(300, null)),
  )
  const check = async () => {
    const all = await log.page(null, 1)
    t.match(all, { matches: 301, page: 1, pages: 7 })
    t.same(
      numbers(all.rows),
      Array.from({ length: AUDIT_ENTRIES_PER_PAGE }, (_, at) => 300 - at),
    )
    t.match(all.rows[0], {
      account: null,
      actor: { kind: 'operator', name: 'ops@example.org', from: '203.0.113.9' },
    })
    t.same(numbers((await log.page('acct_1', 2)).rows).at(-1), 1)
    t.match(await log.page('acct_1', 99), { page: 2, pages: 2, matches: 100 })
    const isTenth = ({ details: { n } }: AuditEntry) => Number(n) % 10 === 0
    t.match(await log.page('acct_1', 1, isTenth), { matches: 10, pages: 1 })
    t.same(numbers((await log.page('acct_1', 1, isTenth)).rows).slice(0, 3), [280, 250, 220])
    t.same(await log.page('acct_nobody', 1), { rows: [], matches: 0, page: 1, pages: 1 })
    t.same(
      numbers(await exported(log, 'acct_2')),
      Array.from({ length: 100 }, (_, at) => 2 + 3 * at),
    )
  }
  await check()
  t.equal((await stat(join(dir, 'audit', '00000001.jsonl'))).mode & 0o777, 0o600)
  await log.untilWritten()
  log = await openAuditLog(dir, quiet)
  await check()
  await log.untilWritten()
})

t.test('the oldest files are removed with their entries', async t => {
  const dir = t.testdir()
  let log = await openAuditLog(dir, quiet, 2000, 3)
  for (let n = 0; n < 200; n++) {
    log.record(entry(n))
    await log.untilWritten()
  }
  const found = await log.page('acct_1', 1)
  const kept = await exported(log, null)
  t.equal((await readdir(join(dir, 'audit'))).length, 3)
  t.ok(kept.length > 10 && kept.length < 60, `${kept.length} are kept`)
  t.equal(kept.at(-1)?.details.n, 199)
  t.equal(found.rows.length, kept.filter(({ account }) => account === 'acct_1').length)
  await log.untilWritten()
  log = await openAuditLog(dir, quiet, 2000, 3)
  t.match(await log.page(null, 1), { matches: kept.length })
  await log.untilWritten()
})

t.test('a torn tail is cut, a lost entry reported, and a long line shortened', async t => {
  const dir = t.testdir()
  let log = await openAuditLog(dir, quiet)
  log.record(entry(1))
  log.record({ ...entry(2), details: { text: 'x'.repeat(LINE_BYTES_MAX) } })
  await log.untilWritten()
  const path = join(dir, 'audit', '00000001.jsonl')
  await appendFile(path, '{"account":"acct_1","ti')
  log = await openAuditLog(dir, quiet)
  log.record(entry(3))
  const details = (await log.page(null, 1)).rows.map(({ details }) => details)
  t.same(details, [{ n: 3 }, { left_out: true }, { n: 1 }])
  await log.untilWritten()
  await truncate(path, 64)
  await t.rejects(openAuditLog(dir, quiet), /found 0 bytes of lines; expected \d+/)
  await rm(join(dir, 'audit'), { recursive: true })
  await writeFile(join(dir, 'audit'), '')
  await t.rejects(
    openAuditLog(dir, quiet),
    /audit: found a file; expected a folder\. Move it away and restart/,
  )
})

t.test('entries that cannot be written are counted, and the service goes on', async t => {
  const log = await openAuditLog(t.testdir(), quiet)
  const rounds = 5
  for (let round = 0; round < rounds; round++) {
    for (let n = 0; n < AUDIT_WAITING_MAX + 5; n++) log.record(entry(n))
    // Later rounds come while an earlier one is being written.
    await setImmediate()
  }
  await log.untilWritten()
  log.record(entry(0))
  const all = await exported(log, null)
  const lost = all.filter(({ what }) => what === 'lost')
  t.ok(lost.length > 0)
  const counted = lost.reduce((sum, { details }) => sum + Number(details.entries), 0)
  t.equal(all.length - lost.length + counted, rounds * (AUDIT_WAITING_MAX + 5) + 1)
  const errors: unknown[] = []
  const folder = t.testdir({ failing: {} })
  const failing = await openAuditLog(folder, { error: details => errors.push(details) })
  await failing.untilWritten()
  await rm(join(folder, 'audit'), { recursive: true })
  failing.record(entry(1))
  failing.record(entry(2))
  await failing.untilWritten()
  t.equal(errors.length, 1, 'said once')
})

t.test('one account cannot displace the history of others', async t => {
  const clock = { nowMs: Date.UTC(2026, 1, 3) }
  const audit = await openAuditLog(t.testdir(), console, undefined, undefined, () => clock.nowMs)
  t.teardown(() => audit.untilWritten())
  const eve = { kind: 'customer', name: 'eve@example.com', from: '' } as const
  for (let n = 0; n < AUDIT_ENTRIES_PER_HOUR_MAX + 50; n++)
    audit.record({ what: 'rename', account: 'acct_eve', actor: eve, details: { n } })
  audit.record({ what: 'rename', account: 'acct_ada', actor: { ...eve, name: 'ada@example.com' } })
  audit.record({ what: 'suspended', account: 'acct_eve', actor: { ...eve, kind: 'operator', name: 'root' } })
  const { rows: entries, matches } = await audit.page('acct_eve', 1)
  t.equal(matches, AUDIT_ENTRIES_PER_HOUR_MAX + 2, "the notice and the operator's entries stay")
  t.match(entries.slice(0, 2), [{ what: 'suspended' }, { what: 'lost', details: { by: 'eve@example.com' } }])
  t.equal((await audit.page('acct_ada', 1)).matches, 1)
  clock.nowMs += 3_600_000
  audit.record({ what: 'rename', account: 'acct_eve', actor: eve })
  t.equal((await audit.page('acct_eve', 1)).matches, matches + 1, 'the next hour begins at zero')
})
