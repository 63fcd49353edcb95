import t from 'tap'
import { COMMAND_LINE, COMMANDS, executeOn } from '../../../src/console/operator/commands.ts'
import { PROVED_EMAIL } from '../../../src/console/session/proved-email.ts'
import { accountsUntilEnd } from '../../support/accounts.ts'
import { idleDataPlane } from '../../support/idle-data-plane.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

t.test('every command writes its entries into the audit log', async t => {
  const accounts = await accountsUntilEnd(t)
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
    accounts,
    dataPlane: idleDataPlane(temporaryFolder(t)),
  })
  const { id: account } = (await run('account.create', { email: 'ada@example.com' })) as { id: string }
  const { id: key } = (await run('key.create', { account })) as { id: string }
  await run('member.add', { account, member: 'eva@example.com', role: 'billing' })
  const reason = 'asked for by phone'
  /** Entries of each command, and the parameters of its runs. */
  const RUNS: Record<string, [entries: string, ...params: object[]]> = {
    'account.create': ['account credit', { email: 'eve@example.com' }],
    'account.show': ['', { account }],
    'account.credit': ['credit', { account, usd: '5', reference: 'r1' }],
    'account.refund': ['adjust', { account, usd: '1', reference: 'r2' }],
    'account.limits': ['limits', { account, perDay: 9 }],
    'account.threshold': ['profile', { account, usd: '2' }],
    'account.note': ['note', { account, note: 'n' }],
    'account.statement': ['', { account }],
    'account.suspend': ['suspended', { account, reason }],
    'account.resume': ['resumed', { account, reason }],
    'account.close': ['closed', { account, reason, confirm: true }],
    'member.list': ['', { account }],
    'member.add': ['member', { account, member: 'bob@example.com', role: 'owner' }],
    'member.remove': ['member', { account, member: 'eva@example.com' }],
    'key.create': ['key', { account }],
    'key.list': ['', { account }],
    'key.rename': ['rename', { key, label: 'other' }],
    'key.revoke': ['revoke', { key }],
    'key.show': ['', { key }],
    'key.off': ['switch', { key }],
    'key.on': ['switch', { key }],
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
