/** A ledger with so many accounts that its snapshot would hold up the end of a service. */
import { readdirSync } from 'node:fs'
import t from 'tap'
import { Ledger } from '../../src/ledger/ledger.ts'
import { CLOSING_SNAPSHOT_SLOTS_MAX, QUERY_PRICE_MICROS } from '../../src/limits.ts'

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
  for (let slot = 0; slot < CLOSING_SNAPSHOT_SLOTS_MAX; slot++) append(slot)
  await ledger.settled()
  // The segment that is complete now is replayed by a worker, which the end of the service does not wait for.
  const sequence = append(CLOSING_SNAPSHOT_SLOTS_MAX)
  await ledger.settled()
  await ledger.close()
  t.notOk(closing().includes(`${String(sequence).padStart(16, '0')}.snapshot`))

  const again = await open()
  t.equal(again.book.accounts.size, CLOSING_SNAPSHOT_SLOTS_MAX + 1)
  await again.close(async () => {})
  t.ok(closing().includes(`${String(sequence + 1).padStart(16, '0')}.snapshot`), 'asked for')

  const last = await open()
  t.equal(last.book.accounts.size, CLOSING_SNAPSHOT_SLOTS_MAX + 1)
  await last.close()
})
