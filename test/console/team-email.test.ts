import t from 'tap'
import { COMMAND_LINE, executeOn } from '../../src/console/operator/commands.ts'
import { INVITATION_EMAILS_PER_DAY_MAX } from '../../src/console/sections/members.tsx'
import { signInAs, startWithCustomer } from '../support/dashboard.ts'
import { startSmtpCatcher } from '../support/smtp-catcher.ts'
import { until } from '../support/until.ts'

t.test('an invitation is emailed with a working link', async t => {
  const smtp = await startSmtpCatcher(t)
  const { dashboard, ada } = await startWithCustomer(t, smtp.env)
  const invite = (email: string) =>
    ada.submit('/account/members', '/account/members/invite', { email, role: 'billing' })
  await invite('bob@example.com')
  t.match(smtp.emails, [{ to: ['bob@example.com'] }])
  const raw = smtp.emails[0]?.raw ?? ''
  t.match(raw, /ada@example\.com invites you to act for the account ada@example\.com as billing/)
  const link = /\/invitation\/[\w-]+/.exec(raw.replaceAll('=\r\n', ''))?.[0] ?? ''
  const [, invitation = ''] = /name="invitation" value="(\w+)"/.exec(await ada.read('/account/members')) ?? []
  await ada.submit('/account/members', '/account/members/send', { invitation })
  t.match(smtp.emails[1], { to: ['bob@example.com'], raw: / invites you to act / }, 'sent again')
  const bob = await signInAs(dashboard, 'bob@example.com')
  await bob.submit(link, link)
  t.match(await bob.read('/balance'), 'ada@example.com (billing)')
  const again = await signInAs(dashboard, 'bob@example.com')
  t.match(await again.read('/balance'), '>billing<', 'his own account has no key')

  smtp.refuse(true)
  await invite('carl@example.com')
  t.match(await ada.read('/account/members'), 'did not accept the email. Send the link below')
  t.match(await ada.read('/account/members'), /\/invitation\/[\w-]+/)
})

t.test('invitation emails per day are limited', async t => {
  const smtp = await startSmtpCatcher(t)
  const { accounts, ada, id } = await startWithCustomer(t, smtp.env)
  const { teams } = accounts
  for (let n = 0; n <= INVITATION_EMAILS_PER_DAY_MAX; n++) {
    await ada.submit('/account/members', '/account/members/invite', {
      email: `${n}@example.com`,
      role: 'owner',
    })
    // Withdrawing an invitation makes room for another one but recalls no email.
    for (const { id: invitation } of teams.of(id).invitations) await teams.withdraw(id, invitation)
  }
  t.equal(smtp.emails.length, INVITATION_EMAILS_PER_DAY_MAX)
  t.match(await ada.read('/account/members'), `sent ${INVITATION_EMAILS_PER_DAY_MAX} invitations today`)
})

t.test('alerts about money reach owners and billing members, but no removed member', async t => {
  const smtp = await startSmtpCatcher(t)
  const { dashboard, accounts, ada, id: shop } = await startWithCustomer(t, smtp.env)
  const run = executeOn(accounts, COMMAND_LINE)
  for (const role of ['owner', 'developer', 'billing']) {
    await signInAs(dashboard, `${role}@example.com`)
    await run('member.add', { account: shop, member: `${role}@example.com`, role })
  }
  await ada.submit('/alerts', '/alerts', { email: 'balance.low,key.created' })
  await run('member.remove', { account: shop, member: 'ada@example.com' })
  await accounts.setLowBalance(shop, 1_000_000)
  await accounts.createKey(shop)
  await until(() => smtp.emails.length === 2)
  const subjectOf = (raw: string) => /^Subject: (.*)\r$/m.exec(raw)?.[1]
  t.same(
    new Map(smtp.emails.map(({ raw, to }) => [subjectOf(raw), to.toSorted()])),
    new Map([
      ['postrie: Balance below your threshold', ['billing@example.com', 'owner@example.com']],
      ['postrie: A key was created or rolled', ['owner@example.com']],
    ]),
  )
})

t.test('a billing member changes only alerts about money', async t => {
  const smtp = await startSmtpCatcher(t)
  const { dashboard, accounts, ada, id } = await startWithCustomer(t, smtp.env)
  await ada.submit('/alerts', '/alerts', { email: 'balance.low,key.created' })
  const bob = await signInAs(dashboard, 'bob@example.com')
  await accounts.teams.add(id, accounts.account('bob@example.com')?.id ?? '', 'billing')
  await bob.submit('/account', '/account/switch', { account: id })
  t.notMatch(await bob.read('/alerts'), 'value="key.created"')
  await bob.submit('/alerts', '/alerts', { email: 'balance.empty' })
  const { text } = await ada.visit('/alerts')
  const ticked = [...text.matchAll(/name="email" value="([\w.-]+)" checked/g)].map(([, name]) => name)
  t.same(ticked, ['balance.empty', 'key.created'])
})
