/** The meter of an earlier version, and rows at the edge of what they hold. */
import { hash } from 'node:crypto'
import { crc32 } from 'node:zlib'
import t from 'tap'
import { Accounts } from '../../src/accounts/accounts.ts'
import { METER_VERSION } from '../../src/ledger/meter/meter-layout.ts'
import { verifyLedger } from '../../src/ledger/tools/verify.ts'
import { Bench } from '../accounts/support.ts'
import { idle } from './life.ts'
import { diskOf, type Files, filesOf } from './simulated-disk.ts'
import { SimulatedProcess } from './simulated-process.ts'

const METER = '/data/ledger/meter'

interface OldSlot {
  id: string
  /** The seven cells after the identity. */
  cells: number[]
}

/** A meter of format 1 with the ledger id of `files`, as FORMAT.md describes it. */
function oldMeter(files: Files, durableSequence: number, slots: readonly OldSlot[]): Uint8Array {
  const bytes = Buffer.alloc(4096 + 64 * 8)
  const present = Buffer.from(files.get(METER) ?? [])
  bytes.write('PTMETER1', 0, 'latin1')
  bytes.writeUInt32LE(1, 8)
  bytes.writeUInt32LE(64, 12)
  present.copy(bytes, 16, 16, 36)
  bytes.writeUInt32LE(crc32(bytes.subarray(0, 60)), 60)
  bytes.writeDoubleLE(durableSequence, 64)
  bytes.writeDoubleLE(present.readDoubleLE(128), 72)
  bytes.writeDoubleLE(slots.length, 80)
  for (const [slot, { id, cells }] of slots.entries()) {
    const identity = Number.parseInt(hash('sha256', id, 'hex').slice(0, 12), 16)
    for (const [cell, value] of [identity, ...cells].entries())
      bytes.writeDoubleLE(value, 4096 + slot * 64 + cell * 8)
  }
  return bytes
}

t.test('a meter of format 1 is read once, with its charges and windows, and replaced', async t => {
  const bench = await Bench.create()
  await bench.accounts.setLimits(bench.accountId, { perMinute: null, perHour: null, perDay: 10 })
  bench.accounts.charge(bench.key(), 2, 4)
  await bench.accounts.close()
  const files = filesOf(bench.disk)
  const day = Math.floor(bench.clock.wallMs() / 86_400_000)
  const slots = [
    { id: bench.accountId, cells: [day * 1440 + 720, 7, day * 24 + 12, 8, day, 9, 0] },
    { id: bench.keyId, cells: [3, 0, 4, 0, 1, 8, 0] },
  ]
  const upgraded = new Map(files).set(METER, oldMeter(files, 1, slots))
  const disk = diskOf(upgraded)
  t.match(await verifyLedger('/data', new SimulatedProcess(disk)), { status: 'sound' })
  const options = { dir: '/data', clock: bench.clock, slotsMin: 4 }
  const accounts = await Accounts.open({ ...options, fs: new SimulatedProcess(disk) })
  t.match(accounts.key(bench.keyId), { queries: { lookup: 3, validate: 4, bulk: 1 }, spentMicros: 8 * 28 })
  t.match(accounts.presentUse(bench.accountId), { minute: 7, hour: 8, day: 9 })
  await accounts.close()
  t.equal(filesOf(disk).get(METER)?.[8], METER_VERSION, 'the new one has the present format')
  const again = await Accounts.open({ ...options, fs: new SimulatedProcess(disk) })
  t.match(again.key(bench.keyId), { queries: { lookup: 3, validate: 4, bulk: 1 } })
  t.match(again.presentUse(bench.accountId), { day: 9 })
  await again.close()

  const wrongSum = oldMeter(files, 1, [slots[0], { id: bench.keyId, cells: [3, 0, 4, 0, 1, 9, 0] }])
  const damaged = diskOf(new Map(files).set(METER, wrongSum))
  await t.rejects(Accounts.open({ ...options, fs: new SimulatedProcess(damaged) }), { code: 'DAMAGED' })
  const stranger = oldMeter(files, 1, [slots[0], { ...slots[1], id: 'key_of another' }])
  const foreign = diskOf(new Map(files).set(METER, stranger))
  await t.rejects(Accounts.open({ ...options, fs: new SimulatedProcess(foreign) }), { code: 'DAMAGED' })
})

t.test('a row that is full is followed by another, and a start adds them up', async t => {
  const bench = await Bench.create()
  const { accounts, accountId, keyId } = bench
  await accounts.credit({ account: accountId, micros: 10 ** 12, reference: 'r', kind: 'test' })
  const key = bench.key()
  const most = 2 ** 30
  for (let count = 0; count < 5; count++) t.equal(accounts.charge(key, 4, most), true)
  t.equal(accounts.takeBack({ key, usage: 4, queries: most }), true)
  t.equal(accounts.key(keyId)?.queries.bulk, 4 * most, 'before any flush')
  await bench.restart()
  t.equal(bench.accounts.key(keyId)?.queries.bulk, 4 * most, 'from rows alone')
  t.equal(bench.accounts.charge(bench.key(), 0, 1), true)
  bench.clock.advance(1000)
  await idle()
  await bench.restart()
  t.match(bench.accounts.key(keyId), { queries: { bulk: 4 * most, lookup: 1 } }, 'from ledger, base and rows')
})

t.test('keys that are in use take rows, and the others none', async t => {
  const bench = await Bench.create()
  const { accounts, accountId } = bench
  for (let count = 0; count < 200; count++)
    await accounts.createKey(accountId).then(
      () => {},
      () => {},
    )
  await accounts.close()
  await bench.open()
  const { length } = filesOf(bench.disk).get(METER) ?? []
  t.ok(length <= 8192 + 256 * 64, `${length} bytes for ${accounts.listKeys(accountId).length} keys`)
})

t.test(
  'a ledger whose files are of the versions before rules of keys opens, and its meter is replaced',
  async t => {
    const bench = await Bench.create()
    await bench.accounts.setLimits(bench.accountId, { perMinute: null, perHour: null, perDay: 10 })
    bench.accounts.admit(bench.key(), 7)
    bench.accounts.charge(bench.key(), 2, 4)
    bench.disk.kill()
    const older = new Map(filesOf(bench.disk))
    for (const [path, content] of older) {
      const version = path === METER || path.endsWith('.segment') ? 2 : 3
      if (path !== METER && !/\.(segment|snapshot)$/.test(path)) continue
      const bytes = Buffer.from(content)
      bytes.writeUInt32LE(version, 8)
      bytes.writeUInt32LE(crc32(bytes.subarray(0, 60)), 60)
      older.set(path, bytes)
    }
    const disk = diskOf(older)
    const options = { dir: '/data', clock: bench.clock, slotsMin: 4, fs: new SimulatedProcess(disk) }
    const accounts = await Accounts.open(options)
    t.match(accounts.key(bench.keyId), { queries: { validate: 4 } })
    t.equal(accounts.presentUse(bench.accountId).day, 7)
    await accounts.rollKey(bench.keyId, 1000)
    await accounts.close()
    t.equal(filesOf(disk).get(METER)?.[8], METER_VERSION)
    t.match(await verifyLedger('/data', new SimulatedProcess(disk)), { status: 'sound' })
  },
)
