import { appendFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { writeIndex } from '../../support/fixture-index.ts'
import { command, postrieJson, startFakeServer } from '../../support/processes.ts'

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
  t.same(kinds, ['open', 'account', 'free', 'open', 'operator'], 'the words of the table')
  const ofKind = (kind: string, ...more: string[]) =>
    command(dir, ['ledger', 'show', '--kind', kind, ...more])
  t.equal((await ofKind('operator', '--json')).stdout, `${lines[4]}\n`)
  t.match((await ofKind('operator')).stdout, /^SEQUENCE.*\n.* operator .*\n$/)
  t.match(await ofKind('dispute'), { code: 0, stdout: '', stderr: 'No entry matches.' })
  t.match(await ofKind('credit'), { code: 2, stderr: 'Allowed choices are open, account' })
  t.match(
    (await command(dir, ['ledger', 'show'])).stdout,
    /SEQUENCE.*\n(.*\n)*.* 20\d\d-\d\d-\d\d \d\d:\d\d:\d\d +operator.*\$5\.00 +reference r1, by command line\n/,
  )
  t.match((await command(dir, ['ledger', 'show', '--help'])).stdout, 'amounts are whole micro-dollars')
  const { id, key } = await postrieJson(dir, ['key', 'create', 'ada@example.com'])
  for (const change of [
    ['off', id],
    ['cap', id, '2'],
  ])
    await postrieJson(dir, ['key', ...change])
  const changes = (await command(dir, ['ledger', 'show', '--key', id])).stdout
  t.match(changes, /switch .* switched off\n.*cap .* amount \$2\.00\n$/)
  t.equal((await command(dir, ['ledger', 'show', '--key', key.slice(0, 12)])).stdout, changes, 'by its start')
  t.equal((await command(dir, ['ledger', 'show', '--from', 'yesterday'])).code, 2)
  const backwards = ['--from', '2026-02-01', '--to', '2026-01-01']
  t.match(await command(dir, ['ledger', 'show', ...backwards]), { code: 2, stderr: '--from must be' })
  const of = (account: string) => command(dir, ['ledger', 'show', '--account', account])
  t.match((await of('Ada@example.com')).stdout, /\$5\.00/, 'an account by its email address')
  t.match(await of('eve@example.com'), {
    code: 1,
    stderr: "no account has the id or email 'eve@example.com'",
  })
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
