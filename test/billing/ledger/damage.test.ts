/**
 * Every damage to a small ledger is refused with the name of the file, or changes nothing that anyone owns. `BIT_FLIPS` sets the number
 * of single bits; nightly 100,000. Nightly cuts at every byte; CI takes a sample.
 */

import t, { type Test } from 'tap'
import { LedgerError } from '../../../src/billing/ledger/ledger-error.ts'
import {
  addToCount,
  CELL_BYTES,
  COUNTS,
  HEADER_BYTES,
  METER,
  ROW_BYTES,
} from '../../../src/billing/ledger/meter/meter-layout.ts'
import { verifyLedger } from '../../../src/billing/ledger/tools/verify-ledger.ts'
import { keyOf, openAccounts } from '../../support/accounts.ts'
import { seededChoices } from '../../support/random.ts'
import { settleDisk } from './life.ts'
import { Disk, diskOf, type Files, filesOf } from './simulated-disk.ts'
import { SimulatedProcess } from './simulated-process.ts'
import { TestClock } from './test-clock.ts'

t.setTimeout(7_200_000)

const FLIPS = Number(process.env.BIT_FLIPS ?? 500)
const SAMPLE_STEP = process.env.BIT_FLIPS === undefined ? 29 : 1
const OPTIONS = { dir: '/data', segmentBytesMax: 700, accountsMax: 500, keysMax: 500 }

/** Files after a few commands and charges: early, later with charges in the meter only, and after a clean end. */
async function createFixtures(): Promise<{ early: Files; killed: Files; clean: Files }> {
  const disk = new Disk()
  const clock = new TestClock()
  const accounts = await openAccounts({ ...OPTIONS, fs: new SimulatedProcess(disk), clock })
  const { id } = await accounts.createAccount({ email: 'one@example.org' })
  const { id: other } = await accounts.createAccount({ email: 'two@example.org', freeCredit: false })
  const { id: keyId, secret } = await accounts.createKey(id, { label: 'first' })
  await accounts.credit({ account: other, micros: 5_000_000, reference: 'payment-1', kind: 'payment' })
  await accounts.setLimits(id, { perMinute: 1000, perHour: null, perDay: 5000 })
  const key = keyOf(accounts, secret)
  for (let charge = 0; charge < 20; charge++) {
    accounts.charging.takeFromLimits(key, 1)
    accounts.charging.charge(key, (charge % 5) as 0, 1)
    clock.advance(1)
    await settleDisk()
  }
  const early = filesOf(disk)
  const spare = await accounts.createKey(other, { label: 'spare' })
  await accounts.revokeKey(spare.id)
  await accounts.adjust({ account: other, micros: 6_000_000, reference: 'dispute-1', kind: 'dispute' })
  await accounts.setKeyCap(keyId, 1_000_000)
  accounts.charging.charge(key, 3, 7)
  const killed = filesOf(disk)
  await accounts.close()
  return { early, killed, clean: filesOf(disk) }
}

/** Returns everything that anyone owns or may do, or the refusal. */
async function open(files: Files): Promise<string | LedgerError> {
  const fs = new SimulatedProcess(diskOf(files))
  try {
    const accounts = await openAccounts({ ...OPTIONS, fs, clock: new TestClock() })
    const view = accounts.listAccounts().map(({ activeKeys, createdMs, ...account }) => {
      const keys = accounts.listKeys(account.id).map(({ lastUsedMs, monthSpentMicros, ...key }) => key)
      const entries = accounts.statement(account.id).filter(({ sequence }) => sequence > 0)
      return { account, keys, entries }
    })
    return JSON.stringify(view)
  } catch (error) {
    if (error instanceof LedgerError) return error
    throw error
  }
}

/** Counts refusals. Fails unless the ledger is refused or unchanged. */
async function expectNoHarm(t: Test, files: Files, view: string, name: string): Promise<boolean> {
  const found = await open(files)
  if (typeof found === 'string') {
    if (found !== view) t.fail(`${name}: another view`, { found, view })
    return false
  }
  if (!found.message.includes('/data/ledger'))
    t.fail(`${name}: the message names no file`, { message: found.message })
  const { status } = await verifyLedger('/data', new SimulatedProcess(diskOf(files)))
  if (status !== 'damaged') t.fail(`${name}: refused, but verify says ${status}`, { message: found.message })
  return true
}

const { early, killed, clean } = await createFixtures()

/** True if a byte is skipped. Nearly all bytes of a small meter are unused and alike, so a sample suffices. */
const isAlike = (path: string, at: number) => {
  const isUnused =
    at < HEADER_BYTES ? at >= (METER.rows + 3) * CELL_BYTES : at >= HEADER_BYTES + 6 * ROW_BYTES
  return path.endsWith('meter') && isUnused && at % 509 !== 7
}

/** The files of `killed` without snapshots, so that nothing shortens the replay. */
const bare = new Map([...killed].filter(([path]) => !path.endsWith('.snapshot')))

t.test(`${FLIPS} flipped bits are refused or change nothing`, async t => {
  const random = seededChoices(1)
  const cases = [killed, clean, bare]
  const views = await Promise.all(cases.map(open))
  let refused = 0
  for (let flip = 0; flip < FLIPS; ) {
    const which = random.below(cases.length)
    const [path, bytes] = random.pick([...cases[which]])
    const at = random.below(bytes.length)
    if (isAlike(path, at)) continue
    const damaged = bytes.slice()
    damaged[at] ^= 1 << random.below(8)
    const files = new Map(cases[which]).set(path, damaged)
    if (await expectNoHarm(t, files, views[which] as string, `${path} byte ${at}`)) refused++
    flip++
  }
  t.comment(`${refused} refused, ${FLIPS - refused} in bytes that nobody owns`)
})

for (const [name, files] of [
  ['killed', killed],
  ['clean', clean],
  ['bare', bare],
] as const) {
  t.test(`${name}: every truncation is refused or changes nothing`, async t => {
    const view = (await open(files)) as string
    for (const [path, bytes] of files) {
      for (let length = 0; length < bytes.length; length += SAMPLE_STEP) {
        if (isAlike(path, length)) continue
        await expectNoHarm(t, new Map(files).set(path, bytes.slice(0, length)), view, `${path} to ${length}`)
      }
    }
  })

  t.test(`${name}: missing, swapped and renamed segments are refused`, async t => {
    const view = (await open(files)) as string
    const segments = [...files.keys()].filter(path => path.endsWith('.segment'))
    t.ok(segments.length >= 2)
    for (const path of segments) {
      const without = new Map(files)
      without.delete(path)
      await expectNoHarm(t, without, view, `${path} missing`)
      for (const other of segments.filter(candidate => candidate !== path)) {
        const swapped = new Map(files)
        swapped.set(path, files.get(other) ?? new Uint8Array())
        swapped.set(other, files.get(path) ?? new Uint8Array())
        await expectNoHarm(t, swapped, view, `${path} swapped with ${other}`)
        const { status } = await verifyLedger('/data', new SimulatedProcess(diskOf(swapped)))
        t.equal(status, 'damaged', 'a swapped segment that a snapshot covers does no harm and is still found')
      }
    }
  })
}

t.test('a start and verify name an old meter beside a newer ledger', async t => {
  const meter = early.get('/data/ledger/meter') ?? new Uint8Array()
  const noticesOf = async (files: Files): Promise<string[]> => {
    const notices: string[] = []
    const fs = new SimulatedProcess(diskOf(files))
    const onNotice = (notice: string) => notices.push(notice)
    await openAccounts({ ...OPTIONS, fs, clock: new TestClock(), onNotice })
    t.same((await verifyLedger('/data', fs)).notes, [], 'a start brings the meter up to the ledger')
    return notices
  }
  const expected =
    /^\/data\/ledger\/meter is older than the ledger: it ends with sequence \d+, the ledger with \d+/
  const old = new Map(killed).set('/data/ledger/meter', meter)
  t.match(await noticesOf(old), [expected])
  t.match(await verifyLedger('/data', new SimulatedProcess(diskOf(old))), {
    status: 'sound',
    notes: [expected],
  })
  t.same(await noticesOf(killed), [], 'the meter of a killed process is not old')
  t.same(await noticesOf(clean), [])
  t.equal(await open(new Map(clean).set('/data/ledger/meter', meter)), await open(clean), 'and harmless')
})

t.test('a new meter with an old ledger is refused', async t => {
  for (const files of [killed, clean]) {
    const meter = files.get('/data/ledger/meter') ?? new Uint8Array()
    const found = await open(new Map(early).set('/data/ledger/meter', meter))
    t.ok(found instanceof LedgerError)
    t.match(String(found), /expected sequence \d+, which the meter has noted as synced/)
  }
})

t.test(
  'a lowered or zeroed meter is refused until the machine has started again, and then named',
  async t => {
    const meter = killed.get('/data/ledger/meter') ?? new Uint8Array()
    const zeroed = meter.slice()
    zeroed.fill(0, HEADER_BYTES, HEADER_BYTES + 512)
    const lowered = meter.slice()
    const cells = new Float64Array(lowered.buffer, HEADER_BYTES + 2 * ROW_BYTES, ROW_BYTES / CELL_BYTES)
    cells[COUNTS] = addToCount(cells[COUNTS], -1)
    for (const bytes of [zeroed, lowered]) {
      const disk = diskOf(new Map(killed).set('/data/ledger/meter', bytes))
      const fs = new SimulatedProcess(disk)
      const found =
        /meter, byte \d+: found \d queries of key_\w+ in the row of slot 2, expected at least 4, as in the ledger/
      t.match(await verifyLedger('/data', fs), { status: 'damaged', problems: [found] })
      await t.rejects(openAccounts({ ...OPTIONS, fs, clock: new TestClock() }), {
        code: 'DAMAGED',
      })
      disk.powerLosses++
      const notes = [/meter is older than the ledger: it has \d queries of key_/]
      t.match(await verifyLedger('/data', fs), { status: 'sound', notes })
    }
    const without = new Map(killed)
    without.delete('/data/ledger/meter')
    const { notes } = await verifyLedger('/data', new SimulatedProcess(diskOf(without)))
    t.match(notes, [/ledger\/meter is missing/])
  },
)
