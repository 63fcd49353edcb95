import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { NEW_ACCOUNT_CREDIT_MICROS, QUERY_PRICE_MICROS } from '../../../src/billing/money.ts'
import { openAccounts } from '../../support/accounts.ts'
import { command, killBefore, postrie, postrieJson, startFakeServer } from '../../support/processes.ts'

const ADA = 'ada@example.com'
const BOB = 'bob@example.com'
/**
 * Every third step from the second on covers the time before the first file and after the manifest. `BACKUP_STEP=1`
 * covers all.
 */
const BACKUP_STEP = Number(process.env.BACKUP_STEP ?? 3)

t.setTimeout(600_000)

async function create(dir: string, email: string): Promise<void> {
  const accounts = await openAccounts({ dir })
  await accounts.createAccount({ email })
  await accounts.close()
}

async function emailsIn(dir: string): Promise<string[]> {
  const accounts = await openAccounts({ dir })
  const emails = accounts.listAccounts().map(({ email }) => email)
  await accounts.close()
  return emails
}

/** Creates a ledger of several small segments with one account. */
async function manySegments(dir: string, credits = 12): Promise<void> {
  const accounts = await openAccounts({ dir, segmentBytesMax: 600, segmentsKept: 64 })
  const { id } = await accounts.createAccount({ email: ADA })
  for (let nth = 0; nth < credits; nth++) {
    await accounts.credit({ account: id, micros: 5_000_000, reference: `r${nth}`, kind: 'operator' })
  }
  await accounts.close()
}

function lastSegment(dir: string): string {
  const names = readdirSync(join(dir, 'ledger')).filter(name => name.endsWith('.segment'))
  return join(dir, 'ledger', names.sort().at(-1) ?? '')
}

t.test('a backup of a charging server is verified, restored and charged again', async t => {
  const root = t.testdir()
  const [dir, backup, other] = ['data', 'backup', 'other'].map(name => join(root, name))
  const server = await startFakeServer(dir)
  t.teardown(() => server.child.kill('SIGKILL'))
  const charge = () =>
    fetch(`${server.api}/api/lookup`, { method: 'POST', body: JSON.stringify({ apiKey: server.key }) })
  let charged = 0
  let isDone = false
  const load = Promise.all(
    [1, 2].map(async () => {
      while (!isDone && (await charge()).status === 200) charged++
    }),
  )
  while (charged < 20) await new Promise(resolve => setImmediate(resolve))
  const before = charged
  const made = await postrieJson(dir, ['backup', backup])
  isDone = true
  await load
  t.match(made, { folder: backup, accounts: 1, keys: 1 })
  t.match(await postrieJson(backup, ['ledger', 'verify']), {
    status: 'sound',
    balanceMicros: made.balanceMicros,
  })
  t.ok(
    made.balanceMicros <= NEW_ACCOUNT_CREDIT_MICROS - before * QUERY_PRICE_MICROS,
    'it has earlier answers',
  )
  t.ok(made.balanceMicros >= NEW_ACCOUNT_CREDIT_MICROS - charged * QUERY_PRICE_MICROS)

  t.match(await postrieJson(other, ['restore', backup]), {
    folder: other,
    replaced: null,
    sequence: made.sequence,
  })
  const restored = await startFakeServer(other)
  t.equal(restored.key, '', 'it has the accounts of the backup')
  t.match(await postrieJson(other, ['account', 'list']), [{ balance: made.balanceMicros / 1e6 }])
  const body = JSON.stringify({ apiKey: server.key })
  t.equal((await fetch(`${restored.api}/api/lookup`, { method: 'POST', body })).status, 200)
  t.equal(await restored.stop(), 0)
  t.match(await postrieJson(other, ['ledger', 'verify']), { status: 'sound' })
})

t.test('a backup works without a server and refuses a folder that is not empty', async t => {
  const root = t.testdir({ full: { file: 'mine' } })
  const dir = join(root, 'data')
  await create(dir, ADA)
  const backup = join(root, 'backup')
  t.match(
    (await command(dir, ['backup', backup])).stdout,
    /backed up to .*: 1 account, 0 keys, balance \$0\.028/,
  )
  t.match(await command(dir, ['backup', join(root, 'full')]), {
    code: 1,
    stderr: /is not empty, and nothing was changed\. Name another folder/,
  })
  t.same(readdirSync(join(root, 'full')), ['file'])
  const open = join(root, 'open')
  mkdirSync(open)
  chmodSync(open, 0o777)
  t.match(await command(dir, ['backup', open]), { code: 6, stderr: /open has mode 0777, expected/ })
  t.same(readdirSync(open), [], 'a backup that fails leaves nothing, so that it can be tried again')
})

t.test('restore refuses an existing ledger, a bad backup, and a running server', async t => {
  const root = t.testdir()
  const dir = join(root, 'data')
  const backup = join(root, 'backup')
  await create(dir, ADA)
  await postrieJson(dir, ['backup', backup])
  await create(dir, BOB)

  const refused = await command(dir, ['restore', backup])
  t.equal(refused.code, 1)
  t.match(refused.stderr, /is not empty, and nothing was changed\. Add --replace/)
  mkdirSync(join(root, 'nothing'))
  t.match(await command(dir, ['restore', join(root, 'nothing'), '--replace']), {
    code: 4,
    stderr: /found no ledger/,
  })
  const damaged = join(root, 'damaged')
  cpSync(backup, damaged, { recursive: true })
  const bytes = readFileSync(lastSegment(damaged))
  bytes[100] = (bytes[100] ?? 0) ^ 1
  writeFileSync(lastSegment(damaged), bytes)
  t.match(await command(dir, ['restore', damaged, '--replace']), {
    code: 4,
    stderr: /cannot be restored: .*byte/,
  })
  t.same(await emailsIn(dir), [ADA, BOB], 'the existing files stay')

  const server = await startFakeServer(dir)
  t.match(await command(dir, ['restore', backup, '--replace']), { code: 5, stderr: /in use by process/ })
  t.equal(await server.stop(), 0)

  const { replaced } = await postrieJson(dir, ['restore', backup, '--replace'])
  t.same(await emailsIn(dir), [ADA])
  mkdirSync(join(root, 'aside'))
  cpSync(replaced, join(root, 'aside', 'ledger'), { recursive: true })
  t.same(await emailsIn(join(root, 'aside')), [ADA, BOB], 'the old ledger is kept whole')
  t.notOk(readdirSync(dir).some(name => name.startsWith('restore-')))
})

t.test('restore refuses an incomplete backup', async t => {
  const root = t.testdir()
  const backup = join(root, 'backup')
  const data = join(root, 'data')
  await manySegments(data)
  t.match(await postrieJson(data, ['backup', backup]), { accounts: 1 })
  const files = readdirSync(join(backup, 'ledger'))
  t.ok(files.length > 4, files.join())
  const refused = async (name: string, change: (copy: string) => void, expected: RegExp) => {
    const copy = join(root, name)
    cpSync(backup, copy, { recursive: true })
    change(copy)
    const { code, stderr } = await command(join(root, `${name}-data`), ['restore', copy])
    t.equal(code, 4, name)
    t.match(stderr, /cannot be restored: /, name)
    t.match(stderr, expected, name)
    t.notOk(existsSync(join(root, `${name}-data`, 'ledger')), 'nothing was put in place')
  }
  const withoutEnd = (copy: string) => {
    for (const name of files.filter(name => name.endsWith('.snapshot'))) rmSync(join(copy, 'ledger', name))
    rmSync(lastSegment(copy))
    rmSync(lastSegment(copy))
  }
  await refused('partial', withoutEnd, /found lastSequence \d+, expected \d+.*copy the whole folder again/)
  await refused('short', copy => truncateSync(lastSegment(copy), 64), /found lastSequence \d+, expected \d+/)
  await refused('unlisted', copy => rmSync(join(copy, 'backup.json')), /has no backup\.json.*postrie backup/)
  await refused(
    'null',
    copy => writeFileSync(join(copy, 'backup.json'), 'null'),
    /is not a manifest.*expected object/,
  )
  t.equal((await command(join(root, 'whole'), ['restore', backup])).code, 0)
  t.same(await emailsIn(join(root, 'whole')), [ADA])
})

t.test('restore refuses a backup that was killed at any step, unless it is whole', async t => {
  const root = t.testdir()
  const data = join(root, 'data')
  await manySegments(data, 3)
  let isDone = false
  let kills = 0
  for (let step = BACKUP_STEP === 1 ? 1 : 2; !isDone; step += BACKUP_STEP) {
    const backup = join(root, `backup-${step}`)
    const { code } = await postrie(data, ['backup', backup], killBefore(step, ['open', 'rename'], backup))
    isDone = code === 0
    if (isDone) break
    kills++
    const restored = await command(join(root, `restored-${step}`), ['restore', backup])
    // The manifest is written last: with it, the backup is whole.
    const isListed = existsSync(join(backup, 'backup.json'))
    t.equal(restored.code, isListed ? 0 : 4, `killed before step ${step}: ${restored.stderr}`)
  }
  t.ok(kills >= 4, `${kills} kills`)
})

t.test('a restore that is killed at any step never leaves an empty ledger', async t => {
  const root = t.testdir()
  const old = join(root, 'old')
  const backup = join(root, 'backup')
  await manySegments(old, 3)
  await postrieJson(old, ['backup', backup])
  await create(old, BOB)
  let refusals = 0
  for (let step = 1; ; step++) {
    const dir = join(root, `data-${step}`)
    cpSync(old, dir, { recursive: true })
    const killer = killBefore(step, ['rename', 'rmdir'], dir)
    if ((await postrie(dir, ['restore', backup, '--replace'], killer)).code === 0) break
    if (!existsSync(join(dir, 'ledger'))) {
      refusals++
      const first = await command(dir, ['account', 'create', 'carl@example.com'])
      t.match(first.stderr, /no ledger in .* ledger\.replaced-\d+ and restore-\d+: a restore/)
      t.match(await command(dir, ['ledger', 'verify']), {
        code: 1,
        stderr: /a restore is running or was cut short/,
      })
      t.match(first.stderr, /restore again with `postrie restore <backup>`/)
      await postrieJson(dir, ['restore', backup])
    }
    t.equal((await emailsIn(dir))[0], ADA, `killed before step ${step}`)
    await postrieJson(dir, ['restore', backup, '--replace'])
    t.same(await emailsIn(dir), [ADA])
    t.same(
      readdirSync(dir).filter(name => name.startsWith('restore-')),
      [],
      'nothing is left',
    )
  }
  t.equal(refusals, 1, 'between the two renames')
})

t.test('a restore that fails puts the old ledger back', async t => {
  const root = t.testdir()
  const dir = join(root, 'data')
  const backup = join(root, 'backup')
  await manySegments(dir)
  await postrieJson(dir, ['backup', backup])
  const failing = { ...killBefore(2, ['rename'], dir), FAIL_INSTEAD: 'EIO' }
  t.match(await postrie(dir, ['restore', backup, '--replace'], failing), { code: 6, stderr: /EIO/ })
  t.same(await emailsIn(dir), [ADA])
  t.notOk(readdirSync(dir).some(name => /^restore-|replaced/.test(name)))
})

t.test('a lost ledger is not replaced by an empty one', async t => {
  const dir = t.testdir()
  const server = await startFakeServer(dir)
  t.equal(await server.stop(), 0)
  rmSync(join(dir, 'ledger'), { recursive: true })
  await t.rejects(startFakeServer(dir), /dashboard\.key of a service that had one: the ledger was lost/)
  t.equal((await command(dir, ['account', 'create', 'ada@example.com'])).code, 1)
  rmSync(join(dir, 'dashboard.key'))
  const again = await startFakeServer(dir)
  t.not(again.key, '', 'starting again on purpose')
  t.equal(await again.stop(), 0)
})

t.test('a mistyped DATA_DIR is refused', async t => {
  const root = t.testdir()
  const dir = join(root, 'typo')
  for (const args of [
    ['backup', join(root, 'backup')],
    ['account', 'list'],
    ['ledger', 'verify'],
  ]) {
    const { code, stderr } = await command(dir, args)
    t.equal(code, 1, args.join(' '))
    t.match(stderr, /there is no ledger in .*typo\. Set DATA_DIR/)
  }
  t.same(readdirSync(root), [], 'nothing was created')
})
