/** Ledgers from before usage had more than five classes, and those of a version that has more than this one. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import t from 'tap'
import { Accounts } from '../../src/accounts/accounts.ts'
import { ENDPOINT_USAGE, USAGE_CLASSES } from '../../src/accounts/endpoint-usage.ts'
import { ledgerFolder, segmentPath, snapshotPath } from '../../src/ledger/disk/files.ts'
import { nodeFileSystem } from '../../src/ledger/disk/node-file-system.ts'
import { encodePayload, packValue } from '../../src/ledger/event.ts'
import { encodeFileHeader, SEGMENT_MAGIC, SNAPSHOT_MAGIC } from '../../src/ledger/log/file-header.ts'
import { encodeBatch } from '../../src/ledger/log/frame.ts'
import { proveSnapshot } from '../../src/ledger/snapshot/snapshot.ts'
import { showLedger } from '../../src/ledger/tools/show.ts'
import { verifyLedger } from '../../src/ledger/tools/verify.ts'
import { USAGE_CLASSES_COUNT } from '../../src/ledger/usage-rows.ts'
import { authenticate } from './expectation.ts'
import { OLD_SECRET, writeOldLedger } from './five-classes.ts'
import { TestClock } from './test-clock.ts'

const OLD_SEGMENT = 1
const OLD_SNAPSHOT = 8
const EMAIL = 'old@example.org'
const NONE = Object.fromEntries(USAGE_CLASSES.map(name => [name, 0]))

t.test('every class has a name, and every name its class', async t => {
  t.equal(USAGE_CLASSES.length, USAGE_CLASSES_COUNT)
  t.same(
    USAGE_CLASSES.map(name => ENDPOINT_USAGE[name]),
    USAGE_CLASSES.map((_, usage) => usage),
  )
})

t.test('a ledger, a snapshot and a meter of five classes open unchanged, and go on with ten', async t => {
  const dir = t.testdir()
  writeOldLedger(dir)
  const oldSegment = segmentPath(ledgerFolder(dir), OLD_SEGMENT)
  const bytes = readFileSync(oldSegment)
  t.match(await verifyLedger(dir), { status: 'sound', spentMicros: (621 + 7) * 28 })
  await proveSnapshot(nodeFileSystem, {
    path: snapshotPath(ledgerFolder(dir), OLD_SNAPSHOT),
    sequence: OLD_SNAPSHOT,
  })

  const clock = new TestClock()
  let accounts = await Accounts.open({ dir, clock })
  const [busy, idle, other] = accounts.listKeys(EMAIL)
  const busyQueries = { ...NONE, lookup: 111, metacode: 2, validate: 3, city: 5, bulk: 500 }
  t.match(busy, { label: 'busy', queries: busyQueries, spentMicros: 17_388, monthSpentMicros: 17_388 })
  t.match(idle, { label: 'idle', queries: NONE, lastUsedMs: null })
  t.match(other, { label: 'other', queries: { ...NONE, metacode: 5, validate: 7, bulk: 1 } })
  t.match(accounts.account(EMAIL), { balanceMicros: 4_982_248, limits: { perHour: 100_000 } })
  t.equal(accounts.presentUse(EMAIL).hour, 6, 'the windows of the old meter')
  const byHour = accounts.usage(EMAIL, { by: 'hour', key: busy?.id as string }).map(({ queries }) => queries)
  t.same(byHour, [
    { ...NONE, lookup: 1, metacode: 2, validate: 3, city: 4, bulk: 500 },
    { ...NONE, lookup: 110, city: 1 },
  ])

  const key = authenticate(accounts, OLD_SECRET)
  t.ok(key)
  if (key === undefined) return
  for (const [name, usage] of Object.entries(ENDPOINT_USAGE))
    t.ok(accounts.charge(key, usage, 1 + usage), name)
  const queries = Object.fromEntries(
    USAGE_CLASSES.map((name, usage) => [
      name,
      ((busyQueries as Record<string, number>)[name] as number) + 1 + usage,
    ]),
  )
  t.same(accounts.key(busy?.id as string)?.queries, queries, 'before the flush')
  await accounts.makeDurable()
  t.ok(accounts.charge(key, ENDPOINT_USAGE.format, 1))
  queries.format = (queries.format as number) + 1
  await accounts.close()
  t.ok(readFileSync(oldSegment).equals(bytes), 'the old segment is as it was')
  t.equal(readdirSync(ledgerFolder(dir)).filter(name => name.endsWith('.segment')).length, 2)
  t.match(await verifyLedger(dir), { status: 'sound', spentMicros: (621 + 13 + 56) * 28 })

  accounts = await Accounts.open({ dir, clock })
  t.same(accounts.key(busy?.id as string)?.queries, queries, 'from the new snapshot')
  const days = accounts.usage(EMAIL, { by: 'day', key: busy?.id as string })
  t.same(
    days.map(day => day.queries),
    [queries],
  )
  t.equal(accounts.statement(EMAIL).at(-1)?.balanceMicros, 4_982_248 - 56 * 28)
  await accounts.close()
  const shown: unknown[] = []
  for await (const { kind, details } of showLedger(dir)) if (kind === 'usage') shown.push(details.queries)
  t.same(shown.at(-1), Object.values(queries))
  t.same(shown[0], [1, 2, 3, 4, 500, 0, 0, 0, 0, 0])
})

t.test(
  'usage of a class that only a later version knows is refused, and that version is the remedy',
  async t => {
    const header = { epoch: 1, ledgerId: Buffer.alloc(16, 7), sequence: 1, chainCrc: 0, createdMs: 0 }
    const refused = async (dir: string, found: RegExp) => {
      const opened = Accounts.open({ dir })
      await t.rejects(opened, { code: 'NEWER_FORMAT', message: found })
      await t.rejects(opened, /start that version/)
    }

    t.comment('in a segment')
    const inSegment = t.testdir({ ledger: {} })
    const usage = encodePayload(1, [{ kind: 'usage', rows: [0, 2 ** USAGE_CLASSES_COUNT, 1, 28] }])
    const chain = { sequence: 0, crc: 0, epoch: 1 }
    const frames = encodeBatch([encodePayload(1, [{ kind: 'open' }]), usage], { ...chain })
    const segment = Buffer.concat([encodeFileHeader(SEGMENT_MAGIC, header), frames])
    writeFileSync(segmentPath(ledgerFolder(inSegment), 1), segment)
    await refused(inSegment, /usage of class 10/)

    t.comment('in a snapshot')
    const inSnapshot = t.testdir()
    writeOldLedger(inSnapshot)
    const account = { type: 'account', slot: 0, id: 'a', email: 'a@b.c', createdMs: 1, creditedMicros: 0 }
    const rest = {
      debtMicros: 0,
      spentMicros: 0,
      limits: null,
      lowBalanceMicros: null,
      identities: [],
      entries: [],
    }
    const counts = new Array(USAGE_CLASSES_COUNT + 1).fill(0)
    const key = [1, 0, 'id', 'label', 'start', 'hash', 1, 0, null, 0, 0, 0, 0, Buffer.of(0, 0), ...counts]
    const payloads = [
      packValue(['records', { ...account, ...rest }, key]),
      packValue(['end', 2, Buffer.alloc(32)]),
    ]
    const snapshot = encodeFileHeader(SNAPSHOT_MAGIC, { ...header, sequence: OLD_SNAPSHOT + 1 })
    const file = Buffer.concat([snapshot, encodeBatch(payloads, { ...chain })])
    writeFileSync(snapshotPath(ledgerFolder(inSnapshot), OLD_SNAPSHOT + 1), file)
    await refused(inSnapshot, /a key with 11 usage classes/)

    t.comment('in the base of a meter')
    const inMeter = t.testdir()
    writeOldLedger(inMeter)
    const path = join(ledgerFolder(inMeter), 'meter')
    const meter = readFileSync(path)
    meter.writeUInt32LE(USAGE_CLASSES_COUNT + 1, 36)
    meter.writeUInt32LE(crc32(meter.subarray(0, 60)), 60)
    writeFileSync(path, meter)
    await refused(inMeter, /11 usage classes/)
  },
)
