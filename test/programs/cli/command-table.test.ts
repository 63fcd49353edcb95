import t from 'tap'
import { Accounts } from '../../../src/billing/accounts/accounts.ts'
import { COMMAND_LINE, COMMANDS, executeOn } from '../../../src/console/operator/commands.ts'
import { PROVED_EMAIL } from '../../../src/console/session/access.ts'
import { CHARGED } from '../../../src/service/endpoints/table.ts'

t.test('every command writes its entries into the audit log', async t => {
  const accounts = await Accounts.open({ usageClasses: CHARGED, dir: t.testdir() })
  t.teardown(() => accounts.close())
  for (const name of ['bob', 'eva']) {
    const email = `${name}@example.com`
    await accounts.createAccount({ email, identity: { issuer: PROVED_EMAIL, subject: email } })
  }
  let seen: string[] = []
  accounts.onAudited(({ what, actor }) => {
    t.equal(actor, COMMAND_LINE)
    seen.push(what)
  })
  const run = executeOn(accounts, COMMAND_LINE, {
    createToken: () => ({ address: '', endMs: 0 }),
    whoWasRefused: () => new Set(),
  })
  const { id: account } = (await run('account.create', { email: 'ada@example.com' })) as { id: string }
  const { id: key } = (await run('key.create', { account })) as { id: string }
  await run('member.add', { account, member: 'eva@example.com', role: 'billing' })
  const reason = 'asked for by phone'
  /** Entries of each command, and the parameters of its runs. */
  const RUNS: Record<string, [entries: string, ...params: object[]]> = {
    'account.create': ['account credit', { email: 'eve@example.com' }],
    'account.credit': ['credit', { account, usd: '5', reference: 'r1' }],
    'account.refund': ['adjust', { account, usd: '1', reference: 'r2' }],
    'account.limits': ['limits', { account, perDay: 9 }],
    'account.threshold': ['profile', { account, usd: '2' }],
    'account.note': ['note', { account, note: 'n' }],
    'account.statement': ['', { account }],
    'account.suspend': ['suspended', { account, reason }],
    'account.resume': ['resumed', { account, reason }],
    'account.close': ['closed', { account, reason }],
    'member.list': ['', { account }],
    'member.add': ['member', { account, member: 'bob@example.com', role: 'owner' }],
    'member.remove': ['member', { account, member: 'eva@example.com' }],
    'key.create': ['key', { account }],
    'key.list': ['', { account }],
    'key.rename': ['rename', { key, label: 'other' }],
    'key.revoke': ['revoke', { key }],
    'key.switch': ['switch', { key, to: 'off' }],
    'key.cap': ['cap', { key, usd: '2.5' }],
    'key.rules': ['rules', { key, perDay: 9 }],
    'key.roll': ['overlap roll', { key }, { key, endOverlap: true }],
  }
  const last = ['key.revoke', 'account.close']
  const order = [...COMMANDS].sort((a, b) => last.indexOf(a.name) - last.indexOf(b.name))
  for (const { name } of order) {
    seen = []
    const [entries, ...runs] = RUNS[name] ?? ['', {}]
    for (const params of runs) await run(name, params)
    t.equal(seen.sort().join(' '), entries, name)
  }
})

t.test('`--off` removes a setting, and wrong input is refused', async t => {
  const accounts = await Accounts.open({ usageClasses: CHARGED, dir: t.testdir() })
  t.teardown(() => accounts.close())
  const run = executeOn(accounts, COMMAND_LINE) as (name: string, params: object) => Promise<{ id: string }>
  const { id: account } = await run('account.create', { email: 'ada@example.com' })
  await run('account.limits', { account, perMinute: 3, perDay: 9 })
  t.match(await run('account.limits', { account, perMinute: null }), {
    rateLimits: { perMinute: null, perDay: 9 },
  })
  t.match(await run('account.limits', { account, off: true }), { rateLimits: null })
  t.match(await run('account.search', { state: 'active' }), { matches: 1 })
  await t.rejects(run('account.search', { state: 'errors' }), /no server runs/)
  await run('account.threshold', { account, usd: '2' })
  t.match(await run('account.threshold', { account, off: true }), { threshold: null })
  const { id: key } = await run('key.create', { account })
  await run('key.cap', { key, usd: '2.5' })
  t.match(await run('key.cap', { key, off: true }), { cap: null })
  await run('key.rules', { key, perDay: 9, addresses: ['::1'] })
  t.match(await run('key.rules', { key }), { rateLimits: { perDay: 9 }, addresses: ['::1'] })
  t.match(await run('key.rules', { key, off: true }), { rateLimits: null, addresses: null })
  t.match(await run('key.roll', { key, overlapSeconds: 3600 }), { earlier: { start: /^pk_live_/ } })
  t.match(await run('key.roll', { key, endOverlap: true }), { earlier: null })
  await t.rejects(run('key.rules', { key, addresses: ['example.com'] }), {
    message: /"example.com" is not an address/,
  })
  await t.rejects(run('key.rules', { key, expires: '2020-01-01' }), { message: /a time in the future/ })
})
