/** The writer's bounds: how much one write takes, and what happens when no next segment can be opened. */
import t from 'tap'
import { Accounts } from '../../src/accounts/accounts.ts'
import type { FileSystem } from '../../src/ledger/disk/file-system.ts'
import { listLedger } from '../../src/ledger/disk/files.ts'
import { readFrames } from '../../src/ledger/log/frame.ts'
import { SegmentLog, type SegmentLogOptions } from '../../src/ledger/log/segment-log.ts'
import { compactLedger } from '../../src/ledger/tools/compact.ts'
import { BATCH_BYTES_MAX } from '../../src/limits.ts'
import { systemError } from './faulty-file-system.ts'
import { Disk } from './simulated-disk.ts'
import { SimulatedProcess } from './simulated-process.ts'

function options(fs: FileSystem, more: Partial<SegmentLogOptions> = {}): SegmentLogOptions {
  const chain = { sequence: 0, crc: 0, epoch: 1 }
  const ledgerId = Buffer.alloc(16, 1)
  const fixed = { nowMs: () => 0, onDurable: () => {}, onFail: () => {} }
  return { fs, folder: '/ledger', ledgerId, chain, last: null, ...fixed, ...more }
}

t.test('whatever gathers at once is written in batches of a bounded size, in order', async t => {
  const disk = new Disk()
  const fs = new SimulatedProcess(disk)
  const durable: number[] = []
  const log = await SegmentLog.open(options(fs, { onDurable: sequence => durable.push(sequence) }))
  const MB = 1024 * 1024
  for (let index = 0; index < 40; index++) log.append(new Uint8Array(MB).fill(index + 1))
  await log.settled()
  t.same(durable, [16, 32, 40], `each takes ${BATCH_BYTES_MAX / MB} MB`)
  await log.close()
  const [segment] = (await listLedger(fs, '/ledger')).segments
  const bytes = Buffer.from(disk.names.get(segment?.path ?? '')?.content() ?? [])
  const found: number[] = []
  t.equal(
    readFrames(bytes, 64, { sequence: 0, crc: 0, epoch: 1 }, (_, start) => found.push(bytes[start])),
    null,
  )
  t.same(
    found,
    Array.from({ length: 40 }, (_, index) => index + 1),
  )
})

t.test(
  'without a file descriptor for the next segment, the present one grows on, up to its limit',
  async t => {
    const process = new SimulatedProcess(new Disk())
    let isExhausted = false
    const fs: FileSystem = {
      ...process,
      create: async path => {
        if (isExhausted) throw systemError('EMFILE')
        return process.create(path)
      },
    }
    const sealed: number[] = []
    const bounds = { segmentBytesMax: 100, segmentBytesLimit: 1000 }
    const log = await SegmentLog.open(options(fs, { ...bounds, onSealed: sequence => sealed.push(sequence) }))
    const write = async (count: number): Promise<void> => {
      for (let index = 0; index < count; index++) {
        log.append(new Uint8Array(72).fill(1))
        await log.settled()
      }
    }
    isExhausted = true
    await write(2)
    t.same(sealed, [1], 'the next segment was open already')
    await write(3)
    t.same(sealed, [1])
    isExhausted = false
    await write(1)
    t.same(sealed, [1, 5], 'and the one after it begins once there are descriptors again')
    isExhausted = true
    await t.rejects(write(30), /no file descriptor is left for the next segment/)
  },
)

t.test('compact says so when its snapshot cannot be written, and removes nothing', async t => {
  const disk = new Disk()
  const dir = '/data'
  const accounts = await Accounts.open({
    dir,
    fs: new SimulatedProcess(disk),
    segmentBytesMax: 300,
    slotsMin: 4,
  })
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
  await t.rejects(compactLedger(dir, fs), {
    code: 'UNUSABLE',
    message: /was not compacted, and nothing that is needed was removed: .*ENOSPC/,
  })
  t.same((await listLedger(new SimulatedProcess(disk), '/data/ledger')).segments, before.segments)
})
