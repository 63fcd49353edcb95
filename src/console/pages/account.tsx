/** The page of the account: leaving it, switching to another, and signing out everywhere. */

import type { Dashboard, PageApp } from '../dashboard.ts'
import { addStep } from '../layout/form.tsx'
import { Page, supportLink } from '../layout/page.tsx'
import { Link, Pairs, Section, Time } from '../layout/parts.tsx'
import { formText } from '../session/forms.ts'
import { chooseAccount } from '../session/returning.ts'

export function addAccountPages(app: PageApp, dashboard: Dashboard): void {
  const { accounts } = dashboard
  app.get('/account', c => {
    const { account, person, role, session } = c.var
    const isGuest = account.id !== person.id
    // Only the label of an unverified address has a space.
    const isUnverified = account.email.includes(' ')
    return c.html(
      <Page c={c} title="Account" lead={isGuest ? `${account.email}, as ${role}` : account.email}>
        {isUnverified && (
          <p class="problem" role="status">
            Your identity provider has not confirmed this email address. The account works as usual, but it
            cannot be found by its address. When you pay the operator, give the number below.
          </p>
        )}
        <Section
          title="This account"
          hint="To rename or close the account, write to the operator. Closing is final, and the remaining balance is forfeited."
        >
          <Pairs
            rows={[
              ['Number', <code>{account.id}</code>],
              ['Opened', <Time ms={account.createdMs} />],
              ['Signed in since', <Time ms={session.startedMs} />],
              ['Operator', supportLink(c)],
            ]}
          />
        </Section>
        {isGuest && (
          <Section title="Leave this account" hint="To come back, you need an invitation of an owner.">
            <Link kind="danger" href="/account/leave" text="Leave" />
          </Section>
        )}
        <Section
          title="Sign out everywhere"
          hint={`Ends every session of ${person.email}, on every device. API keys keep working.`}
        >
          <Link kind="danger" href="/sign-out-everywhere" text="Sign out everywhere" />
        </Section>
      </Page>,
    )
  })

  addStep(app, '/account/leave', '/account', {
    ask: ({ var: { account, person } }) =>
      account.id === person.id
        ? null
        : {
            title: `Leave ${account.email}?`,
            text: 'You can no longer act for this account. To come back, you need an invitation of an owner.',
            button: 'Leave',
          },
    run: async ({ var: { account, person } }) => {
      await accounts.teams.change(account.id, person.id, null)
      return { notice: `You are no longer a member of ${account.email}.`, to: '/' }
    },
  })

  app.get('/account/switch', c => c.redirect('/', 303))

  app.post('/account/switch', async c => {
    const wanted = await formText(c, 'account')
    // Other accounts must look as if they did not exist.
    if (c.var.memberships.every(({ account }) => account.id !== wanted)) return c.notFound()
    chooseAccount(c, dashboard, wanted)
    return c.redirect('/', 303)
  })
}
