import t from 'tap'
import type { Accounts } from '../../../src/billing/accounts/accounts.ts'
import { ACCOUNTS_PER_PERSON_MAX, INVITATION_MS_MAX } from '../../../src/billing/accounts/teams.ts'
import { compactLedger } from '../../../src/billing/ledger/tools/compact.ts'
import { showLedger } from '../../../src/billing/ledger/tools/show.ts'
import { verifyLedger } from '../../../src/billing/ledger/tools/verify-ledger.ts'
import { TEAM_MAX } from '../../../src/billing/limits.ts'
import { accountsUntilEnd, openAccounts } from '../../support/accounts.ts'
import { Disk } from '../ledger/simulated-disk.ts'
import { SimulatedProcess } from '../ledger/simulated-process.ts'
import { TestClock } from '../ledger/test-clock.ts'

const ADA = 'ada@example.com'
const BOB = 'bob@example.com'

async function openPerson(accounts: Accounts, email: string): Promise<string> {
  const { id } = await accounts.createAccount({
    email,
    identity: { issuer: 'https://id.example', subject: email },
  })
  return id
}

t.test('two concurrent clicks on one invitation make one member', async t => {
  const accounts = await accountsUntilEnd(t)
  const [ada, bob] = await Promise.all([ADA, BOB].map(email => openPerson(accounts, email)))
  const { id } = await accounts.teams.invite(ada, { email: BOB, role: 'billing' })
  const by = { person: bob, provedEmail: BOB }
  const clicks = await Promise.allSettled([1, 2].map(() => accounts.teams.accept(ada, id, by)))
  const statuses = clicks.map(({ status }) => status)
  t.same(statuses, ['fulfilled', 'rejected'])
})

t.test('an invitation expires', async t => {
  const clock = new TestClock()
  const accounts = await openAccounts({ dir: '/data', fs: new SimulatedProcess(new Disk()), clock })
  const [ada, bob] = await Promise.all([ADA, BOB].map(email => openPerson(accounts, email)))
  const first = await accounts.teams.invite(ada, { email: BOB, role: 'owner' })
  clock.advance(INVITATION_MS_MAX)
  t.same(accounts.teams.of(ada).invitations, [], 'it is listed no more')
  await t.rejects(accounts.teams.accept(ada, first.id, { person: bob, provedEmail: BOB }), {
    code: 'INVITATION_NOT_FOUND',
  })
  t.equal(accounts.teams.roleOf(ada, bob), null)
})

t.test('the last owner stays, and the founder may go after another owner has joined', async t => {
  const accounts = await accountsUntilEnd(t)
  const { teams } = accounts
  const [ada, bob] = await Promise.all([ADA, BOB].map(email => openPerson(accounts, email)))
  for (const role of ['developer', 'billing', null] as const)
    await t.rejects(teams.change(ada, ada, role), { code: 'LAST_OWNER' }, `${role}`)
  await t.rejects(teams.change(ada, bob, 'developer'), { code: 'NOT_A_MEMBER' })
  await teams.invite(ada, { email: BOB, role: 'billing' })
  await teams.add(ada, bob, 'developer')
  t.same(teams.of(ada).invitations, [], 'the invitation is used up')
  await t.rejects(teams.change(ada, ada, null), { code: 'LAST_OWNER' }, 'a developer is not an owner')
  await teams.change(ada, bob, 'owner')
  const both = await Promise.allSettled([teams.change(ada, ada, null), teams.change(ada, bob, null)])
  t.same(
    both.map(({ status }) => status),
    ['fulfilled', 'rejected'],
    'two owners who remove each other',
  )
  t.equal(teams.roleOf(ada, ada), null)
  t.same(teams.of(ada).members, [{ person: bob, email: BOB, role: 'owner' }])
  t.same(teams.accountsOf(ada), [], 'a removed member has no account')

  const opened = await accounts.createAccount({ email: 'shop@example.com' })
  t.same(teams.of(opened.id).members, [], 'nobody has signed in to it')
  await teams.add(opened.id, bob, 'owner')
  await t.rejects(teams.change(opened.id, bob, null), { code: 'LAST_OWNER' }, 'nobody could open it')
})

t.test("the sizes of a team and of a person's accounts are limited", async t => {
  const accounts = await accountsUntilEnd(t)
  const ada = await openPerson(accounts, ADA)
  for (let n = 0; n < TEAM_MAX; n++)
    await accounts.teams.invite(ada, { email: `${n}@example.com`, role: 'billing' })
  await t.rejects(accounts.teams.invite(ada, { email: BOB, role: 'billing' }), { code: 'TOO_MANY_MEMBERS' })
  const bob = await openPerson(accounts, BOB)
  await t.rejects(accounts.teams.add(ada, bob, 'owner'), { code: 'TOO_MANY_MEMBERS' })
  for (let n = 0; n < ACCOUNTS_PER_PERSON_MAX; n++) {
    const { id } = await accounts.createAccount({ email: `shop-${n}@example.com` })
    await accounts.teams.add(id, bob, 'developer')
  }
  const { id } = await accounts.createAccount({ email: 'one-more@example.com' })
  await t.rejects(accounts.teams.add(id, bob, 'developer'), { code: 'TOO_MANY_MEMBERS' })
})

t.test('teams survive a restart from segments and from a snapshot', async t => {
  const dir = t.testdir()
  let accounts = await openAccounts({ dir })
  const [ada, bob, eve] = await Promise.all(
    [ADA, BOB, 'eve@example.com'].map(email => openPerson(accounts, email)),
  )
  const { id } = await accounts.teams.invite(ada, { email: BOB, role: 'owner' })
  await accounts.teams.accept(ada, id, { person: bob, provedEmail: BOB })
  await accounts.teams.add(ada, eve, 'billing')
  await accounts.teams.change(ada, ada, null)
  await accounts.teams.invite(ada, { email: 'new@example.com', role: 'developer' })
  const all = () => [ada, bob, eve].map(each => [accounts.teams.of(each), accounts.teams.accountsOf(each)])
  const before = all()
  await accounts.close()
  accounts = await openAccounts({ dir })
  t.same(all(), before, 'replayed')
  await accounts.close()
  t.equal((await verifyLedger(dir)).problems.length, 0)
  const shown: unknown[] = []
  for await (const { kind, details } of showLedger(dir)) if (kind === 'member') shown.push(details.person)
  t.same(shown, [bob, eve, ada], 'a person is shown by the id of their account')
  await compactLedger(dir)
  accounts = await openAccounts({ dir })
  t.same(all(), before, 'from the snapshot')
  await accounts.teams.change(ada, eve, null)
  t.same(
    accounts.teams.accountsOf(eve).map(({ account }) => account.id),
    [eve],
  )
  await accounts.close()
})
