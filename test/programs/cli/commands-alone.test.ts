import { appendFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { writeIndex } from '../../support/fixture-index.ts'
import { command, postrie, postrieJson, startFakeServer } from '../../support/processes.ts'

t.test('commands work without a running server', async t => {
  const dir = t.testdir()
  await postrieJson(dir, ['account', 'create', 'ada@example.com'])
  const credit = ['account', 'credit', 'ada@example.com', '5.00', '--reference', 'r1']
  t.match(await postrieJson(dir, credit), { credited: 5, applied: true, balance: 5.028 })
  t.match(await postrieJson(dir, credit), { applied: false, balance: 5.028 }, 'a reference is applied once')
  const refund = ['account', 'refund', 'ada@example.com', '6', '--reference', 'r2']
  t.match((await command(dir, refund)).stdout, /refunded +\$6\.00\n.*\nbalance +\$0\.00\ndebt +\$0\.972\n/s)
  t.match(await postrieJson(dir, ['key', 'create', 'ada@example.com', '--label', 'test']), { id: String })
  const busy = await Promise.all([1, 2, 3].map(n => postrie(dir, ['account', 'create', `c${n}@example.com`])))
  t.equal(new Set(busy.map(({ stdout }) => stdout)).size, 3, 'simultaneous commands wait for each other')
})

t.test('commands keep to ACCOUNTS_MAX and KEYS_MAX', async t => {
  const dir = t.testdir()
  const few = { ACCOUNTS_MAX: '1', KEYS_MAX: '1' }
  const accepted = ['account create ada@example.com', 'key create ada@example.com']
  for (const line of accepted) t.equal((await command(dir, line.split(' '), few)).code, 0, line)
  const refused = {
    'account create bob@example.com': 'ACCOUNTS_MAX',
    'key create ada@example.com': 'KEYS_MAX',
  }
  for (const [line, name] of Object.entries(refused))
    t.match(await command(dir, line.split(' '), few), { code: 1, stderr: `Raise ${name}` }, line)
})

t.test('exit codes say what went wrong', async t => {
  const dir = t.testdir()
  const ada = await postrieJson(dir, ['account', 'create', 'ada@example.com'])
  const expected: [number, string[], string][] = [
    [1, ['account', 'credit', 'nobody@example.com', '5', '--reference', 'x'], 'unknown account'],
    [1, ['key', 'revoke', 'nonsense'], 'unknown key'],
    [2, ['account', 'credit', ada.id, '5.0000001', '--reference', 'x'], 'no fraction of a micro-dollar'],
    [2, ['account', 'credit', ada.id, '5'], 'missing option'],
    [2, ['account', 'limits', ada.id, '--per-day', '0'], 'out of range'],
    [2, ['account', 'create', 'not an email'], 'not an email'],
    [2, ['key', 'roll', 'key_x', '--overlap', 'soon'], 'not a time such as 7d'],
    [2, ['nonsense'], 'unknown command'],
    [0, ['--version'], 'version'],
  ]
  for (const [code, args, name] of expected) t.equal((await command(dir, args)).code, code, name)
})

t.test('wrong settings end a command with 2, and each is named', async t => {
  const { code, stderr } = await postrie(t.testdir(), ['account', 'list'], { PORT: 'x', LOG_LEVEL: 'y' })
  t.equal(code, 2)
  t.match(stderr, /PORT: .*\n.*LOG_LEVEL: /)
})

/** Creates a folder with an account and a credit. Returns the newest segment of its ledger, too. */
async function fillFolder(t: Test): Promise<{ dir: string; segment: string }> {
  const dir = t.testdir()
  await postrieJson(dir, ['account', 'create', 'ada@example.com'])
  await postrieJson(dir, ['account', 'credit', 'ada@example.com', '5', '--reference', 'r1'])
  const folder = join(dir, 'ledger')
  const segments = readdirSync(folder)
    .filter(name => name.endsWith('.segment'))
    .sort()
  return { dir, segment: join(folder, segments.at(-1) ?? '') }
}

t.test('verify and show read a sound ledger', async t => {
  const { dir } = await fillFolder(t)
  const { code, stdout } = await command(dir, ['ledger', 'verify'])
  t.equal(code, 0)
  t.match(stdout, 'credited $5.028 - spent $0.00 = balance $5.028')
  t.match(await postrieJson(dir, ['ledger', 'verify']), { status: 'sound', accounts: 1 })

  const lines = (await command(dir, ['ledger', 'show', '--json'])).stdout.trim().split('\n')
  const kinds = lines.map(line => (JSON.parse(line) as { kind: string }).kind)
  t.ok(kinds.includes('credit'), kinds.join())
  t.match((await command(dir, ['ledger', 'show'])).stdout, /SEQUENCE.*\n(.*\n)*.*credit.*\$5\.00/)
  t.equal((await command(dir, ['ledger', 'show', '--from', 'yesterday'])).code, 2)
  t.equal((await command(dir, ['ledger', 'compact'])).code, 0)
  t.match(await postrieJson(dir, ['account', 'list']), [{ balance: 5.028 }], 'compacting changes no balance')
})

t.test('a torn tail and a damaged entry have their own exit codes', async t => {
  const { dir, segment } = await fillFolder(t)
  const sound = readFileSync(segment)
  appendFileSync(segment, sound.subarray(-20, -3))
  t.equal((await command(dir, ['ledger', 'verify'])).code, 3)

  const damaged = Buffer.from(sound)
  const middle = damaged.length >> 1
  damaged[middle] ^= 0xff
  writeFileSync(segment, damaged)
  const { code, stdout } = await command(dir, ['ledger', 'verify'])
  t.equal(code, 4)
  t.match(stdout, 'the ledger is damaged')
  const refused = await command(dir, ['account', 'list'])
  t.equal(refused.code, 4, 'account commands refuse to work on it')
  t.match(refused.stderr, /byte \d+: found .*, expected /)
})

t.test('beside a server, verify and show work and compact is refused', async t => {
  const dir = t.testdir()
  const server = await startFakeServer(dir)
  t.teardown(() => server.child.kill('SIGKILL'))
  t.match(await postrieJson(dir, ['ledger', 'verify']), { status: 'sound', accounts: 1, keys: 1 })
  t.equal((await command(dir, ['ledger', 'show', '--json'])).code, 0)
  t.equal((await command(dir, ['ledger', 'compact'])).code, 5)
})

t.test('system errors are explained with path and remedy', async t => {
  const dir = t.testdir({ file: 'x' })
  const file = join(dir, 'file')
  const INDEX_FILE = writeIndex(dir)
  mkdirSync(join(dir, 'data'))
  const cases: [string[], RegExp][] = [
    [
      ['publish', file],
      /^postrie: \S+file: something else has that name\. Name another place \(EEXIST\)\.\n$/,
    ],
    [
      ['check', join(dir, 'none')],
      /^postrie: \S+none: there is no such file or folder\. Check the name \(ENOENT\)/,
    ],
    // A recursive mkdir of Node.js never ends there.
    [['publish', '/proc/x'], /^postrie: \/proc\/x: /],
    [['publish', join(dir, 'x'), '--sign', join(dir, 'none')], /none: there is no such file or folder/],
  ]
  await command(join(dir, 'data'), ['account', 'create', 'ada@example.com'])
  cases.push([['backup', '/proc/x'], /^postrie: .*\/proc\/x/])
  for (const [args, stderr] of cases)
    t.match(await command(join(dir, 'data'), args, { INDEX_FILE }), { code: 1, stderr }, args.join(' '))
})
