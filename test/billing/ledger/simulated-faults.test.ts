import t from 'tap'
import type { FileSystem } from '../../../src/billing/ledger/disk/file-system.ts'
import { listLedger } from '../../../src/billing/ledger/disk/files.ts'
import { UNSYNCED_MS_MAX } from '../../../src/billing/ledger/log/segment-log.ts'
import { compactLedger } from '../../../src/billing/ledger/tools/compact.ts'
import { NEW_ACCOUNT_CREDIT_MICROS, QUERY_PRICE_MICROS } from '../../../src/billing/money.ts'
import { FLUSH_MS_DEFAULT } from '../../../src/platform/limits.ts'
import { openAccounts } from '../../support/accounts.ts'
import { AccountsFixture } from '../accounts/accounts-fixture.ts'
import { settleDisk } from './life.ts'
import { Disk } from './simulated-disk.ts'
import { SimulatedProcess, withFiles } from './simulated-process.ts'

function systemError(code: string): NodeJS.ErrnoException {
  return Object.assign(new Error(`${code}: the disk says so`), { code })
}

for (const on of ['write', 'sync'] as const) {
  t.test(`a failed ${on} ends all acknowledging for good`, async t => {
    let failing: string | null = null
    const failIf = (call: string): void => {
      if (failing === call) throw systemError('EIO')
    }
    const errors: Error[] = []
    const fixture = await AccountsFixture.create()
    await fixture.accounts.close()
    const fs = withFiles(new SimulatedProcess(fixture.disk), file => ({
      async write(bytes, position) {
        failIf('write')
        return file.write(bytes, position)
      },
      async sync() {
        failIf('sync')
        return file.sync()
      },
    }))
    await fixture.open({ fs, onFatal: error => errors.push(error) })
    const { accounts, accountId } = fixture
    const key = fixture.key()
    t.equal(accounts.charging.charge(key, 0, 1), null)
    const payment = { account: accountId, micros: 1000, reference: 'payment', kind: 'payment' } as const

    failing = on
    const waiting: Promise<unknown>[] = [accounts.credit(payment), accounts.setLimits(accountId, null)]
    for (const command of waiting) await t.rejects(command, { name: 'AccountError', code: 'UNAVAILABLE' })
    t.match(errors, [{ code: 'EIO' }])
    t.equal(accounts.charging.healthy, false)

    failing = null
    t.equal(accounts.charging.charge(key, 0, 1), 'unavailable', 'nothing is charged any more')
    await t.rejects(accounts.credit(payment), { code: 'UNAVAILABLE' })
    fixture.clock.advance(100)
    await settleDisk()
    t.equal(errors.length, 1)
    await accounts.close()

    await fixture.restart()
    t.match(fixture.accounts.key(fixture.keyId), { queries: { lookup: 1 } }, 'earlier charges are there')
    await fixture.accounts.credit(payment)
    t.equal(
      fixture.accounts.account(accountId)?.balanceMicros,
      NEW_ACCOUNT_CREDIT_MICROS - QUERY_PRICE_MICROS + 1000,
      'credited once',
    )
  })
}

t.test('short writes are completed', async t => {
  const fixture = await AccountsFixture.create()
  await fixture.accounts.close()
  await fixture.open({
    fs: withFiles(new SimulatedProcess(fixture.disk), file => ({
      write: (bytes, position) => file.write(bytes.subarray(0, 7), position),
    })),
  })
  await fixture.accounts.credit({ account: fixture.accountId, micros: 1, reference: 'r', kind: 'test' })
  await fixture.restart()
  t.equal(fixture.accounts.account(fixture.accountId)?.balanceMicros, 28_001)
})

t.test('a meter that cannot grow refuses the command and harms nothing', async t => {
  const fixture = await AccountsFixture.create()
  fixture.disk.bytesMax = fixture.disk.usedBytes() + 200
  const created = await Promise.allSettled(
    Array.from({ length: 3 }, (_, index) =>
      fixture.accounts.createAccount({ email: `${index}@example.org` }),
    ),
  )
  t.ok(created.some(({ status }) => status === 'rejected'))
  fixture.disk.bytesMax = Number.POSITIVE_INFINITY
  await fixture.restart()
  t.match(fixture.accounts.account(fixture.accountId), { balanceMicros: NEW_ACCOUNT_CREDIT_MICROS })
  t.ok(await fixture.accounts.createAccount({ email: 'later@example.org' }))
})

t.test('a failure while opening has a remedy', async t => {
  const fixture = await AccountsFixture.create()
  fixture.disk.bytesMax = fixture.disk.usedBytes()
  const errors: Error[] = []
  fixture.disk.kill()
  const opened = fixture.open({ onFatal: error => errors.push(error) })
  await t.rejects(opened, { code: 'UNUSABLE', message: /ENOSPC.*Free some space and start again/ })
  t.same(errors, [])
})

t.test('compact fails and removes nothing if its snapshot cannot be written', async t => {
  const disk = new Disk()
  const options = { dir: '/data', segmentBytesMax: 300 }
  const accounts = await openAccounts({ ...options, fs: new SimulatedProcess(disk) })
  const { id } = await accounts.createAccount({ email: 'ada@example.org' })
  for (let count = 0; count < 30; count++)
    await accounts.credit({ account: id, micros: 1, reference: `r-${count}`, kind: 'test' })
  await accounts.close()
  const before = await listLedger(new SimulatedProcess(disk), '/data/ledger')
  const process = new SimulatedProcess(disk)
  const fs: FileSystem = {
    ...process,
    create: async path => {
      if (path.endsWith('.snapshot.new')) throw systemError('ENOSPC')
      return process.create(path)
    },
  }
  await t.rejects(compactLedger('/data', fs), {
    code: 'UNUSABLE',
    message: /was not compacted, and no needed file was removed: .*ENOSPC/,
  })
  t.same((await listLedger(new SimulatedProcess(disk), '/data/ledger')).segments, before.segments)
})

/** A disk whose syncs wait while `isHanging`. */
class HangingDisk {
  isHanging = false
  readonly fs: FileSystem
  #held: (() => void)[] = []

  constructor(fs: FileSystem) {
    this.fs = withFiles(fs, file => ({
      sync: async () => {
        if (this.isHanging) await new Promise<void>(resolve => this.#held.push(resolve))
        return file.sync()
      },
    }))
  }

  async release(): Promise<void> {
    this.isHanging = false
    for (const resolve of this.#held.splice(0)) resolve()
    await settleDisk()
  }
}

async function startBench(): Promise<{ fixture: AccountsFixture; disk: HangingDisk; notices: string[] }> {
  const fixture = await AccountsFixture.create()
  await fixture.accounts.close()
  const disk = new HangingDisk(new SimulatedProcess(fixture.disk))
  const notices: string[] = []
  await fixture.open({ fs: disk.fs, onNotice: notice => notices.push(notice) })
  return { fixture, disk, notices }
}

t.test('a hanging sync stops charging, and charging resumes when it returns', async t => {
  const { fixture, disk, notices } = await startBench()
  disk.isHanging = true
  t.equal(fixture.accounts.charging.charge(fixture.key(), 0, 1), null)
  await fixture.clock.pass(FLUSH_MS_DEFAULT)
  for (let ms = 0; ms < UNSYNCED_MS_MAX - 100; ms += 100) {
    t.equal(fixture.accounts.charging.charge(fixture.key(), 0, 1), null, 'a slow disk does not hang')
    await fixture.clock.pass(100)
  }
  const { availableMicros } = fixture.key().account
  await fixture.clock.pass(100)
  t.equal(fixture.accounts.charging.healthy, false)
  t.equal(fixture.accounts.charging.charge(fixture.key(), 0, 1), 'unavailable')
  t.equal(fixture.key().account.availableMicros, availableMicros)
  t.match(notices, [/has not confirmed a write for \d+ ms. Nothing is charged until it does/])
  t.match(fixture.accounts.syncState(), { isStalled: true, unsyncedMs: UNSYNCED_MS_MAX })
  await fixture.clock.pass(60_000)
  t.equal(notices.length, 1, 'said once')

  await disk.release()
  t.equal(fixture.accounts.charging.healthy, true)
  t.match(notices[1], /has confirmed its writes after 6\d{4} ms/)
  t.equal(fixture.accounts.charging.charge(fixture.key(), 0, 1), null)
  await fixture.clock.pass(FLUSH_MS_DEFAULT)
  t.match(fixture.accounts.syncState(), { isStalled: false, unsyncedMs: 0 })
  t.ok(fixture.accounts.syncState().syncMsMax >= 60_000)

  disk.isHanging = true
  t.equal(fixture.accounts.charging.charge(fixture.key(), 0, 1), null)
  await fixture.clock.pass(FLUSH_MS_DEFAULT)
  await fixture.clock.pass(UNSYNCED_MS_MAX)
  t.equal(fixture.accounts.charging.healthy, false, 'the second time')
  await disk.release()
  t.equal(fixture.accounts.charging.healthy, true)
  await fixture.accounts.close()
})

t.test('a slow disk under a steady load does not stop charging', async t => {
  const { fixture, disk } = await startBench()
  for (let round = 0; round < 20; round++) {
    disk.isHanging = true
    t.equal(fixture.accounts.charging.charge(fixture.key(), 0, 1), null)
    await fixture.clock.pass(UNSYNCED_MS_MAX / 2)
    await disk.release()
  }
  t.equal(fixture.accounts.charging.healthy, true)
})
