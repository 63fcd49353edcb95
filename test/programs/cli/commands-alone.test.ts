import t from 'tap'
import { openAccounts } from '../../support/accounts.ts'
import { command, postrie, postrieJson } from '../../support/processes.ts'

t.test('commands work without a running server', async t => {
  const dir = t.testdir()
  await postrieJson(dir, ['account', 'create', 'ada@example.com'])
  const credit = ['account', 'credit', 'ada@example.com', '5.00', '--reference', 'r1']
  t.match(await postrieJson(dir, credit), { credited: 5, applied: true, balance: 5.028 })
  t.match(await postrieJson(dir, credit), { credited: 0, applied: false }, 'a reference is applied once')
  const conflict = await command(dir, ['account', 'refund', 'ada@example.com', '1', '--reference', 'r1'])
  t.match(conflict.stderr, /r1 belongs to another entry: \$5\.00 of ada@example\.com at 20\d\d-/)
  const accounts = await openAccounts({ dir })
  const { id = '' } = accounts.account('ada@example.com') ?? {}
  const dispute = { reference: 'stripe:dp_1', payment: 'stripe:pi_1', kind: 'dispute' } as const
  await accounts.adjust({ account: id, micros: 1_000_000, ...dispute })
  await accounts.close()
  const refundOf = (usd: string) => ['account', 'refund', 'ada@example.com', usd, '--reference', 'r2']
  const beyond = await command(dir, refundOf('6'))
  t.equal(beyond.code, 1)
  t.match(
    beyond.stderr,
    /At most \$5\.00 can be .* \$1\.972 would be owed\. Nothing was changed: add --confirm/,
  )
  t.match(await command(dir, refundOf('5')), {
    code: 1,
    stderr: /\$4\.028: \$0\.972 would be owed\. .* add --confirm/,
  })
  t.match(
    (await command(dir, [...refundOf('5'), '--confirm'])).stdout,
    /refunded +\$5\.00\n.*\nbalance +\$0\.00\ndebt +\$0\.972\n/s,
  )
  t.match((await command(dir, ['account', 'list'])).stdout, /DEBT.*\n.*ada@example\.com.*\$0\.972/)
  t.match(await postrieJson(dir, ['account', 'search', 'ada@']), { accounts: [{ balance: 0, debt: 0.972 }] })
  const resume = await command(dir, ['account', 'resume', 'ada@example.com', '--reason', 'paid'])
  t.match(resume.stdout, /debt +\$0\.972\napplied +no\nIt was already active: nothing was changed\.\n$/)
  const show = await command(dir, ['account', 'show', 'ada@example.com'])
  t.match(show.stdout, /state +active\n(.*\n)*Only a running server knows which requests were refused\.\n$/)
  const typed = await command(dir, ['account', 'debit', 'ada@example.com', '5'])
  t.match(typed.stderr, /unknown command 'debit'/)
  t.notMatch(typed.stderr, 'Did you mean', 'no other command that moves money')
  t.match(await postrieJson(dir, ['key', 'create', 'ada@example.com', '--label', 'test']), { id: String })
  const busy = await Promise.all([1, 2, 3].map(n => postrie(dir, ['account', 'create', `c${n}@example.com`])))
  t.equal(new Set(busy.map(({ stdout }) => stdout)).size, 3, 'simultaneous commands wait for each other')
})

t.test('values that none takes away are set without a server, too', async t => {
  const dir = t.testdir()
  await postrieJson(dir, ['account', 'create', 'ada@example.com'])
  const { id } = await postrieJson(dir, ['key', 'create', 'ada@example.com'])
  const expected = {
    [`key cap ${id} 1`]: { cap: 1 },
    [`key cap ${id} none`]: { cap: null },
    [`key rules ${id} --per-minute 60`]: { rateLimits: { perMinute: 60 } },
    'account threshold ada@example.com 5': { threshold: 5 },
    'account limits ada@example.com --per-day 70': { rateLimits: { perDay: 70 } },
    'account limits ada@example.com': { rateLimits: { perDay: 70 } },
    'account limits ada@example.com --per-day none': { rateLimits: null },
  }
  for (const [line, values] of Object.entries(expected))
    t.match(await postrieJson(dir, line.split(' ')), values, line)
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

t.test('wrong settings end a command with 2, and each is named with found and expected values', async t => {
  const numbers = { PORT: '80x', FLUSH_MS: '0', BULK_WORKERS: '-1' }
  const wrong = { ...numbers, LOG_LEVEL: 'loud', PUBLIC_URL: 'example.com' }
  const { code, stderr } = await command(t.testdir(), ['account', 'list'], wrong)
  t.equal(code, 2)
  for (const [name, found] of Object.entries(wrong)) t.match(stderr, `${name}: found '${found}', expected `)
  t.match(stderr, "PORT: found '80x', expected a whole number from 0 to 65535")
  t.match(stderr, "LOG_LEVEL: found 'loud', expected one of silent, fatal")
})
