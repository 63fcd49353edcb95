/** What would hold up the end of a service: the snapshot of a large book, and one that is being taken. */
import { readdirSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { Ledger } from '../../src/ledger/ledger.ts'
import { CLOSING_SNAPSHOT_RECORDS_MAX, QUERY_PRICE_MICROS } from '../../src/limits.ts'

t.test('a large book is closed without a snapshot, unless one is asked for', async t => {
  const dir = t.testdir()
  const open = (): Promise<Ledger> =>
    Ledger.open({
      dir,
      priceMicros: QUERY_PRICE_MICROS,
      segmentBytesMax: 100_000,
      onFail: error => t.fail(error.message),
      onNotice: notice => t.fail(notice),
    })
  const closing = (): string[] => readdirSync(`${dir}/ledger`).filter(name => name.endsWith('.snapshot'))
  const ledger = await open()
  const append = (slot: number): number =>
    ledger.append([{ kind: 'account', slot, id: `acct_${slot}`, email: `${slot}@example.org` }])
  for (let slot = 0; slot < CLOSING_SNAPSHOT_RECORDS_MAX; slot++) append(slot)
  await ledger.settled()
  // The segment that is complete now is replayed by a worker, which the end of the service does not wait for.
  const sequence = append(CLOSING_SNAPSHOT_RECORDS_MAX)
  await ledger.settled()
  await ledger.close()
  t.notOk(closing().includes(`${String(sequence).padStart(16, '0')}.snapshot`))

  const again = await open()
  t.equal(again.book.accounts.size, CLOSING_SNAPSHOT_RECORDS_MAX + 1)
  await again.close(async () => {})
  t.ok(closing().includes(`${String(sequence + 1).padStart(16, '0')}.snapshot`), 'asked for')

  const last = await open()
  t.equal(last.book.accounts.size, CLOSING_SNAPSHOT_RECORDS_MAX + 1)
  await last.close()
})

t.test('an account with many credits is closed without a snapshot, like many accounts', async t => {
  const dir = t.testdir()
  const ledger = await Ledger.open({ dir, priceMicros: QUERY_PRICE_MICROS, onFail: t.fail, onNotice: t.fail })
  ledger.append([{ kind: 'account', slot: 0, id: 'acct_0', email: 'ada@example.org' }])
  const credit = { account: 0, micros: 1, debtPaidMicros: 0, credit: 'test', note: '' } as const
  for (let index = 0; index < CLOSING_SNAPSHOT_RECORDS_MAX; index++) {
    ledger.append([{ kind: 'credit', ...credit, reference: `r ${index}` }])
  }
  await ledger.settled()
  await ledger.close()
  t.same(
    readdirSync(`${dir}/ledger`).filter(name => name.endsWith('.snapshot')),
    [],
  )
})

t.test('the end of a service does not wait for a snapshot in progress', async t => {
  const dir = t.testdir()
  const notices: string[] = []
  const ledger = await Ledger.open({
    dir,
    priceMicros: QUERY_PRICE_MICROS,
    segmentBytesMax: 1000,
    onFail: t.fail,
    onNotice: notice => notices.push(notice),
  })
  // A hole after the end of the segment keeps the worker busy that reads it.
  const [segment = ''] = readdirSync(`${dir}/ledger`).filter(name => name.endsWith('.segment'))
  truncateSync(join(dir, 'ledger', segment), 500_000_000)
  for (let slot = 0; ; slot++) {
    await ledger.record({ kind: 'account', slot, id: `acct_${slot}`, email: `${slot}@example.org` })
    if (readdirSync(`${dir}/ledger`).filter(name => name.endsWith('.segment')).length > 1) break
  }
  await ledger.close()
  const snapshots = readdirSync(`${dir}/ledger`).filter(name => name.endsWith('.snapshot'))
  t.equal(snapshots.length, 1, 'only that of the end was taken')
  t.same(notices, [])
})
