/** Frames with a valid CRC, chain and sequence number, but with a payload that our writer never writes. */

import { execFileSync } from 'node:child_process'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { ledgerFolder, listLedger } from '../../../src/billing/ledger/disk/files.ts'
import { nodeFileSystem } from '../../../src/billing/ledger/disk/node-file-system.ts'
import { FILE_HEADER_BYTES } from '../../../src/billing/ledger/log/file-header.ts'
import { encodeBatch, readFrames } from '../../../src/billing/ledger/log/frame.ts'
import { packValue } from '../../../src/billing/ledger/plain-message-pack.ts'
import { verifyLedger } from '../../../src/billing/ledger/tools/verify-ledger.ts'
import { openAccounts } from '../../support/accounts.ts'

const ENTRY = { account: 0, reference: 'forged', note: '' }
const CREDIT = { kind: 'credit', ...ENTRY, micros: 5, debtPaidMicros: 0, credit: 'operator' }
const MEMBER = { kind: 'member', account: 0, person: 0, role: 'owner', invitation: null, by: 'x' }
const NOW = Date.UTC(2026, 0, 1)
const RULES = { kind: 'rules', key: 1, expiresMs: null, limits: null, endpoints: null, addresses: null }

const FORGED: Record<string, unknown> = {
  'a time that is not a number': [Number.NaN, CREDIT],
  'a time beyond any date': [1e300, CREDIT],
  'a negative time': [-1, CREDIT],
  'a negative cap': [NOW, { kind: 'cap', key: 1, micros: -1 }],
  'an expiry beyond any date': [NOW, { ...RULES, expiresMs: 1e300 }],
  'an address that is not one': [NOW, { ...RULES, addresses: ['10.0.0.0/33'] }],
  'too many addresses': [NOW, { ...RULES, addresses: new Array(33).fill('10.0.0.0/8') }],
  'an overlap without a roll': [NOW, { kind: 'overlap', key: 1, untilMs: NOW }],
  'an unknown kind of credit': [NOW, { ...CREDIT, credit: 'zz' }],
  'an unknown kind of adjustment': [
    NOW,
    { kind: 'adjust', account: 0, micros: 5, takenMicros: 5, adjust: 'zz', reference: 'x', note: '' },
  ],
  'a debt beside a balance': [
    NOW,
    { kind: 'adjust', account: 0, micros: 6, takenMicros: 5, adjust: 'refund', reference: 'x', note: '' },
  ],
  'a closed account with a balance': [
    NOW,
    { kind: 'closed', account: 0, takenMicros: 5, reference: 'x', reason: 'x', by: 'x' },
  ],
  'a role that is none': [NOW, { ...MEMBER, role: 'root' }],
  'a member that is a key': [NOW, { ...MEMBER, person: 1 }],
  'an invitation that nobody made': [NOW, { ...MEMBER, invitation: 'inv_x' }],
  'an account without an owner': [NOW, { ...MEMBER, role: null }],
  'the end of an invitation that nobody made': [NOW, { kind: 'uninvited', account: 0, invitation: 'inv_x' }],
  'an event that is null': [NOW, null],
  'a payload that is not an array': 5,
  'usage of half a query': [NOW, usage([1, 28, 0, 0.5])],
  'usage of a negative count': [NOW, usage([1, 28, 0, -1])],
  'usage with a slot of text': [NOW, usage(['1', 28, 0, 1])],
  'usage of no number': [NOW, usage([1, 28, 0, Number.NaN])],
  'usage of a class without its count': [NOW, usage([1, 28, 0])],
  'usage of a class beyond all': [NOW, usage([1, 28, 16, 1])],
  'usage of a class twice': [NOW, usage([1, 28, 3, 1, 3, 1])],
}

function usage(...rows: unknown[]) {
  return { kind: 'usage', rows }
}

/** Writes a ledger with account 0 and key 1. Its last frame has `payload`, if given. */
async function ledgerWith(t: Test, payload?: Buffer): Promise<string> {
  const dir = t.testdir()
  const accounts = await openAccounts({ dir })
  const { id } = await accounts.createAccount({ email: 'ada@example.com' })
  await accounts.createKey(id)
  await accounts.close()
  rmSync(join(ledgerFolder(dir), 'meter'))
  if (payload === undefined) return dir
  const path = await lastSegment(dir)
  const bytes = readFileSync(path)
  const chain = { sequence: 0, crc: 0, epoch: 0 }
  readFrames(bytes.subarray(FILE_HEADER_BYTES), FILE_HEADER_BYTES, chain, () => {})
  writeFileSync(path, Buffer.concat([bytes, encodeBatch([payload], chain)]))
  return dir
}

async function lastSegment(dir: string): Promise<string> {
  const { segments } = await listLedger(nodeFileSystem, ledgerFolder(dir))
  return segments.at(-1)?.path ?? ''
}

t.test('a valid payload is accepted', async t => {
  t.match(await verifyLedger(await ledgerWith(t, packValue([NOW, CREDIT]))), { status: 'sound' })
})

for (const [name, payload] of Object.entries(FORGED)) {
  t.test(`${name} is refused as damage`, async t => {
    const dir = await ledgerWith(t, packValue(payload))
    const { status, problems } = await verifyLedger(dir)
    t.equal(status, 'damaged')
    t.match(problems.at(-1), /an impossible entry: /)
    await t.rejects(openAccounts({ dir }), { code: 'DAMAGED' })
  })
}

t.test('a pipe in place of a file is refused without waiting', async t => {
  for (const name of ['segment', 'meter']) {
    const dir = await ledgerWith(t)
    const path = name === 'meter' ? join(ledgerFolder(dir), 'meter') : await lastSegment(dir)
    rmSync(path, { force: true })
    execFileSync('mkfifo', [path])
    const expected = /found a pipe, a device or a folder, expected a regular file/
    t.match(await verifyLedger(dir), { status: 'damaged', problems: [expected] })
    await t.rejects(openAccounts({ dir }), { code: 'DAMAGED', message: expected })
    rmSync(path)
  }
})
