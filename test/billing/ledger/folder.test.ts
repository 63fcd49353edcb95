import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import type { AccountsOptions } from '../../../src/billing/accounts/accounts.ts'
import { ledgerFolder, listLedger } from '../../../src/billing/ledger/disk/files.ts'
import { nodeFileSystem } from '../../../src/billing/ledger/disk/node-file-system.ts'
import { COUNTS, HEADER_BYTES, ROW_BYTES } from '../../../src/billing/ledger/meter/meter-layout.ts'
import { verifyLedger } from '../../../src/billing/ledger/tools/verify-ledger.ts'
import { keyOf, openAccounts } from '../../support/accounts.ts'
import { withFiles } from './simulated-process.ts'

async function openLedger(t: Test, options: Partial<AccountsOptions> = {}) {
  const dir = t.testdir()
  const failures: Error[] = []
  const accounts = await openAccounts({ dir, onFatal: error => failures.push(error), ...options })
  const { id: account } = await accounts.createAccount({ email: 'ada@example.org' })
  const credit = (reference: string) => accounts.credit({ account, micros: 10, reference, kind: 'test' })
  return { dir, folder: ledgerFolder(dir), accounts, failures, credit }
}

async function lastSegment(folder: string): Promise<string> {
  return (await listLedger(nodeFileSystem, folder)).segments.at(-1)?.path ?? ''
}

t.test('a start names a removed meter, and a new folder needs none', async t => {
  const notices: string[] = []
  const onNotice = (notice: string): unknown => notices.push(notice)
  const { dir, folder, accounts, credit } = await openLedger(t, { onNotice })
  await credit('one')
  await accounts.close()
  t.same(notices, [])
  rmSync(join(folder, 'meter'))
  await (await openAccounts({ dir, onNotice })).close()
  t.equal(notices.length, 1)
  t.match(notices, [/ledger\/meter is missing: charges that only it knew are not counted/])
})

t.test('a second writer is refused even without the lock file', async t => {
  const { dir, folder, accounts, credit } = await openLedger(t)
  rmSync(join(folder, 'lock'))
  await t.rejects(openAccounts({ dir }), {
    code: 'LOCKED',
    message: /in use by another process/,
  })
  await credit('after')
  await accounts.close()
  const again = await openAccounts({ dir })
  t.match(again.account('ada@example.org'), { balanceMicros: 28_010 })
  await again.close()
})

const CHANGES: Record<string, (folder: string, segment: string) => void> = {
  'the segment is removed': (_, segment) => rmSync(segment),
  'the segment is replaced by a copy of it': (_, segment) => {
    copyFileSync(segment, `${segment}.copy`)
    renameSync(`${segment}.copy`, segment)
  },
  'the folder is renamed': folder => renameSync(folder, `${folder}.old`),
  'the meter is removed': folder => rmSync(join(folder, 'meter')),
}

for (const [name, change] of Object.entries(CHANGES)) {
  t.test(`${name} while the service writes ends all acknowledging`, async t => {
    const { folder, accounts, failures, credit } = await openLedger(t)
    await credit('before')
    change(folder, await lastSegment(folder))
    await t.rejects(credit('after'), { code: 'UNAVAILABLE' })
    t.equal(accounts.charging.healthy, false)
    t.match(failures, [{ code: 'UNUSABLE', message: /was moved, removed or replaced .* Put the file back/ }])
    await accounts.close()
  })
}

t.test('a symbolic link in the data folder is not followed, and its target stays unchanged', async t => {
  for (const name of ['lock', 'meter', 'meter.new', '0000000000000001.segment.new']) {
    const dir = t.testdir({ [name]: { victim: 'precious' } })
    const folder = ledgerFolder(dir)
    const victim = join(dir, name, 'victim')
    mkdirSync(folder, { mode: 0o700 })
    symlinkSync(victim, join(folder, name))
    const refused = openAccounts({ dir }).then(accounts => accounts.close())
    // A link with a temporary name is removed like any leftover. Other links are refused.
    if (!name.endsWith('.new'))
      await t.rejects(refused, { code: 'UNUSABLE', message: /ELOOP.*symbolic link/ })
    else await refused
    t.equal(readFileSync(victim, 'utf8'), 'precious', name)
  }
})

t.test('a folder in the place of a file, or a file in that of a folder, is named with a remedy', async t => {
  for (const name of ['lock', 'meter', 'meter.new', '0000000000000001.segment']) {
    const dir = t.testdir()
    mkdirSync(join(ledgerFolder(dir), name), { recursive: true, mode: 0o700 })
    const message = new RegExp(`/${name}\\b.* expected a .*file.* Find out who`)
    await t.rejects(openAccounts({ dir }), { message }, name)
  }
  const dir = t.testdir({ ledger: 'a file' })
  const message = /ledger'\. It is a file, expected a folder\. Find out who/
  await t.rejects(openAccounts({ dir }), { message })
  await t.rejects(verifyLedger(dir), { message })
})

t.test('a data folder that every user may write is refused with its mode and the remedy', async t => {
  for (const inner of ['', 'ledger']) {
    const dir = t.testdir({ ledger: {} })
    chmodSync(join(dir, inner), 0o777)
    await t.rejects(openAccounts({ dir }), {
      code: 'UNUSABLE',
      message: new RegExp(`${join(dir, inner)} has mode 0777, expected .* 0700. Run .chmod o-w`),
    })
    chmodSync(join(dir, inner), 0o700)
    await (await openAccounts({ dir })).close()
  }
})

t.test('a start removes the leftovers of dead processes', async t => {
  const { dir, folder, accounts } = await openLedger(t)
  await accounts.close()
  const leftovers = ['0000000000000003.snapshot.new', 'meter.new', '0000000000000009.segment.new']
  for (const name of leftovers) writeFileSync(join(folder, name), '')
  for (let index = 10; index < 40; index++)
    writeFileSync(join(folder, `00000000000000${index}.torn-5`), 'bytes')
  writeFileSync(join(folder, 'notes.txt'), 'mine')
  await (await openAccounts({ dir })).close()
  const names = readdirSync(folder)
  t.same(
    names.filter(name => leftovers.includes(name)),
    [],
  )
  t.equal(names.filter(name => name.includes('.torn-')).length, 16, 'the newest torn tails are kept')
  t.ok(names.includes('notes.txt'), 'other files stay')
})

t.test('a start refuses a snapshot without any segment', async t => {
  const { dir, folder, accounts, credit } = await openLedger(t)
  await credit('one')
  await accounts.close()
  for (const { path } of (await listLedger(nodeFileSystem, folder)).segments) rmSync(path)
  await t.rejects(openAccounts({ dir }), {
    code: 'DAMAGED',
    message: /found a snapshot and no segment/,
  })
  t.match(await verifyLedger(dir), { status: 'damaged', problems: [/found a snapshot and no segment/] })
  rmSync(join(folder, 'meter'))
  await t.rejects(openAccounts({ dir }), { code: 'DAMAGED' }, 'also without meter')
})

t.test('a start names the meter of another ledger', async t => {
  const { dir, folder, accounts } = await openLedger(t)
  await accounts.close()
  const other = join(dir, 'other')
  const foreign = await openAccounts({ dir: other })
  const { id } = await foreign.createAccount({ email: 'eve@example.org' })
  for (let count = 0; count < 20; count++)
    await foreign.credit({ account: id, micros: 1, reference: `${count}`, kind: 'test' })
  await foreign.close()
  copyFileSync(join(ledgerFolder(other), 'meter'), join(folder, 'meter'))
  const expected = { code: 'DAMAGED', message: /found the meter of another ledger, with ledger id/ }
  await t.rejects(openAccounts({ dir }), expected)
})

t.test('verify accepts a meter in the middle of a charge', async t => {
  const { dir, accounts } = await openLedger(t)
  const { secret } = await accounts.createKey('ada@example.org')
  const key = keyOf(accounts, secret)
  accounts.charging.charge(key, 0, 3)
  await accounts.close()
  let isTorn = false
  const fs = withFiles(nodeFileSystem, (file, path) => {
    if (!path.endsWith('meter') || isTorn) return {}
    isTorn = true
    return {
      read: async (target, position) => {
        const length = await file.read(target, position)
        // A count of the key's row that nobody has written.
        const row = HEADER_BYTES + ROW_BYTES
        Buffer.from(target.buffer, target.byteOffset).writeDoubleLE(3, row + COUNTS * 8)
        return length
      },
    }
  })
  t.match(await verifyLedger(dir, fs), { status: 'sound', problems: [] })
})
