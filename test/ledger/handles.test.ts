/** Every call to the disk fails once, and whatever that ends leaves no file, folder, mapping or lock open. */
import t from 'tap'
import { Ledger } from '../../src/ledger/ledger.ts'
import { compactLedger } from '../../src/ledger/tools/compact.ts'
import { copyLedger } from '../../src/ledger/tools/copy.ts'
import { showLedger } from '../../src/ledger/tools/show.ts'
import { verifyLedger } from '../../src/ledger/tools/verify.ts'
import { QUERY_PRICE_MICROS } from '../../src/limits.ts'
import { CountedHandles } from './counted-handles.ts'
import { Disk } from './simulated-disk.ts'
import { SimulatedProcess } from './simulated-process.ts'

const DIR = '/data'

/** Opens the ledger on `fs`, writes until several segments are full, and closes it. */
async function live(fs: SimulatedProcess | CountedHandles['fs'], credits: number): Promise<void> {
  const ledger = await Ledger.open({
    dir: DIR,
    fs,
    priceMicros: QUERY_PRICE_MICROS,
    segmentBytesMax: 200,
    segmentsKept: 1,
    slotsMin: 4,
    onFail: () => {},
  })
  try {
    for (let count = 0; count < credits; count++) await ledger.record({ kind: 'open' })
  } finally {
    await ledger.close()
  }
}

/** A disk with some segments and snapshots, and a torn tail. */
async function usedDisk(): Promise<Disk> {
  const disk = new Disk()
  await live(new SimulatedProcess(disk), 12)
  const last = [...disk.names.keys()]
    .filter(name => name.endsWith('.segment'))
    .sort()
    .at(-1)
  const inode = disk.names.get(last ?? '')
  inode?.write({ position: inode.content().length, bytes: Buffer.from('a write that never finished') })
  return disk
}

/** Fails one call after the other until `work` makes fewer calls than that. Returns how many it made. */
async function failEach(
  work: (fs: CountedHandles['fs']) => Promise<unknown>,
): Promise<{ calls: number; left: string[] }> {
  const left: string[] = []
  for (let failsAt = 1; ; failsAt++) {
    const handles = new CountedHandles(new SimulatedProcess(await usedDisk()), failsAt)
    await work(handles.fs).catch(() => {})
    if (handles.open.length > 0) left.push(`${handles.failed}: ${handles.open}`)
    if (handles.failed === null) return { calls: failsAt - 1, left }
  }
}

t.test('a failing step of a start, of a new segment or of the end left files open', async t => {
  const { calls, left } = await failEach(fs => live(fs, 6))
  t.same(left, [], `after each of ${calls} calls`)
  t.ok(calls > 100)
})

const TOOLS: Readonly<Record<string, (fs: CountedHandles['fs']) => Promise<unknown>>> = {
  verify: fs => verifyLedger(DIR, fs),
  compact: fs => compactLedger(DIR, fs),
  copy: fs => copyLedger(fs, `${DIR}/ledger`, '/backup/ledger'),
  show: async fs => {
    for await (const _ of showLedger(DIR, {}, fs));
  },
}

for (const [name, tool] of Object.entries(TOOLS)) {
  t.test(`a failing step of ${name} leaves nothing open`, async t => {
    const { calls, left } = await failEach(tool)
    t.same(left, [], `after each of ${calls} calls`)
    t.ok(calls > 10)
  })
}
