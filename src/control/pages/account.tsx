/** The account itself, and signing out of every browser at once. */

import { Page } from '../layout/page.tsx'
import { Form, Section, Time } from '../layout/parts.tsx'
import type { PageApp } from '../shell/dashboard.ts'

export function addAccountPage(app: PageApp): void {
  app.get('/account', c => {
    const { account, person, role, session } = c.var
    const isGuest = account.id !== person.id
    // Only the label of an address that nobody has confirmed has a space.
    const isUnverified = account.email.includes(' ')
    return c.html(
      <Page c={c} title="Account" lead={isGuest ? `${account.email}, as ${role}` : account.email}>
        {isUnverified && (
          <p class="problem" role="status">
            Your identity provider has not confirmed this email address. The account works as usual, but the
            address does not lead to it: give the number below when you pay the operator.
          </p>
        )}
        <Section title="This account">
          <dl class="pairs">
            <dt>Number</dt>
            <dd>
              <code>{account.id}</code>
            </dd>
            <dt>Opened</dt>
            <dd>
              <Time ms={account.createdMs} />
            </dd>
            <dt>Signed in since</dt>
            <dd>
              <Time ms={session.startedMs} />
            </dd>
          </dl>
        </Section>
        {role === 'owner' && (
          <Section title="Members and log" hint="Who may act for this account, and every change of it.">
            <div class="actions">
              <a class="button" href="/account/members">
                Members
              </a>
              <a class="button" href="/account/log">
                Log
              </a>
            </div>
          </Section>
        )}
        {isGuest && (
          <Section
            title="Leave this account"
            hint="You can no longer act for it. To come back, you need an invitation of one of its owners."
          >
            <Form c={c} action="/account/leave">
              <button type="submit" class="danger">
                Leave
              </button>
            </Form>
          </Section>
        )}
        <Section
          title="Sign out everywhere"
          hint={`Ends every session of ${person.email}, on every device. API keys are not touched.`}
        >
          <Form c={c} action="/sign-out-everywhere">
            <button type="submit" class="danger">
              Sign out everywhere
            </button>
          </Form>
        </Section>
      </Page>,
    )
  })
}
