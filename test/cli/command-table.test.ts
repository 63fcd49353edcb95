/** The table of commands says what the audit log gets. */
import t from 'tap'
import { Accounts } from '../../src/accounts/accounts.ts'
import { COMMAND_LINE, COMMANDS, executeOn } from '../../src/control/operator/commands.ts'
import { PROVED_EMAIL } from '../../src/control/session/access.ts'

t.test('each command leaves the entries in the audit log that the table says', async t => {
  const accounts = await Accounts.open({ dir: t.testdir() })
  t.teardown(() => accounts.close())
  for (const name of ['bob', 'eva']) {
    const email = `${name}@example.com`
    await accounts.createAccount({ email, identity: { issuer: PROVED_EMAIL, subject: email } })
  }
  let seen: string[] = []
  accounts.onDeed(({ what, actor }) => {
    t.equal(actor, COMMAND_LINE)
    seen.push(what)
  })
  const run = executeOn(accounts, COMMAND_LINE)
  const { id: account } = (await run('account.create', { email: 'ada@example.com' })) as { id: string }
  const { id: key } = (await run('key.create', { account })) as { id: string }
  await run('member.add', { account, member: 'eva@example.com', role: 'billing' })
  const reason = 'asked for by phone'
  const PARAMS: Record<string, object[]> = {
    'account.create': [{ email: 'eve@example.com' }],
    'account.credit': [{ account, usd: '5', reference: 'r1' }],
    'account.refund': [{ account, usd: '1', reference: 'r2' }],
    'account.limits': [{ account, perDay: 9 }],
    'account.threshold': [{ account, usd: '2' }],
    'account.statement': [{ account }],
    'account.suspend': [{ account, reason }],
    'account.resume': [{ account, reason }],
    'account.close': [{ account, reason }],
    'member.list': [{ account }],
    'member.add': [{ account, member: 'bob@example.com', role: 'owner' }],
    'member.remove': [{ account, member: 'eva@example.com' }],
    'key.create': [{ account }],
    'key.list': [{ account }],
    'key.rename': [{ key, label: 'other' }],
    'key.revoke': [{ key }],
    'key.cap': [{ key, usd: '2.5' }],
    'key.rules': [{ key, perDay: 9 }],
    'key.roll': [{ key }, { key, endOverlap: true }],
  }
  const last = ['key.revoke', 'account.close']
  const order = [...COMMANDS].sort((a, b) => last.indexOf(a.name) - last.indexOf(b.name))
  for (const { name, audit } of order) {
    seen = []
    for (const params of PARAMS[name] ?? [{}]) await run(name, params)
    t.same(seen.sort(), [...audit].sort(), name)
  }
})
