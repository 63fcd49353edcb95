import t from 'tap'
import type { FileSystem } from '../../../src/billing/ledger/disk/file-system.ts'
import { UNSYNCED_MS_MAX } from '../../../src/billing/ledger/log/segment-log.ts'
import { FLUSH_MS_DEFAULT } from '../../../src/platform/limits.ts'
import { AccountsFixture } from '../accounts/accounts-fixture.ts'
import { settleDisk } from './life.ts'
import { SimulatedProcess, withFiles } from './simulated-process.ts'

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
