/** The owners' page of members, and the page that accepts an invitation. */
import { expectAccountError } from '../../billing/accounts/account-error.ts'
import { Gate } from '../layout/document.tsx'
import { Page } from '../layout/page.tsx'
import { breaking, Form, Link } from '../layout/parts.tsx'
import { addMemberForms, Members } from '../sections/members.tsx'
import { NotAllowed } from '../session/access.ts'
import { chooseAccount } from '../session/known-browser.ts'
import type { Dashboard, PageApp, PageContext } from '../session/page-context.ts'
import { ROLE_TEXTS } from '../words.ts'

export function addMemberPages(app: PageApp, dashboard: Dashboard): void {
  app.get('/account/members', c => {
    const { account } = c.var
    return c.html(
      <Page title="Members" lead={`People who may act for ${account.email}, each with their own sign-in.`}>
        <Members {...{ account, dashboard }} />
      </Page>,
    )
  })
  addMemberForms(app.basePath('/account'), dashboard)

  /** Returns the account, and its invitation of this person's confirmed address. @throws NotAllowed */
  const invitedTo = (c: PageContext) => {
    const account = dashboard.accounts.account(c.req.param('account') ?? '')
    const { provedEmail } = c.var.session
    const pending = account === undefined ? [] : dashboard.accounts.teams.of(account.id).invitations
    const invitation = pending.find(({ email }) => email === provedEmail)
    if (account !== undefined && invitation !== undefined) return { account, invitation }
    // The same for all accounts and invitations, because the link may have reached a stranger.
    const text =
      provedEmail === null
        ? 'Your identity provider has not confirmed your email address, so no invitation can be accepted with this sign-in.'
        : `No invitation to this account is waiting for ${provedEmail}: it was used, was withdrawn, has expired, or is for another address. Sign out, then sign in with the invited address, or ask for a new invitation.`
    throw new NotAllowed('Invitation not accepted', text)
  }

  app.get('/invitation/:account', c => {
    const { account, invitation } = invitedTo(c)
    return c.html(
      <Gate title="Invitation">
        <h1>Join {breaking(account.email)}</h1>
        <p>
          {breaking(invitation.by)} invites you, {breaking(invitation.email)}, to act for this account as{' '}
          <strong>{invitation.role}</strong>: {ROLE_TEXTS[invitation.role]}
        </p>
        <Form action={c.req.path} class="stack" button="Accept" kind="primary wide" />
        <Link kind="wide" href="/" text="Not now" />
      </Gate>,
    )
  })

  app.post('/invitation/:account', async c => {
    const { account, invitation } = invitedTo(c)
    const { session, person } = c.var
    const provedEmail = invitation.email
    const role = await dashboard.accounts.teams
      .accept(account.id, invitation.id, { person: person.id, provedEmail })
      .catch(error => {
        throw new NotAllowed('Invitation not accepted', expectAccountError(error).message)
      })
    chooseAccount(c, dashboard, account.id)
    session.keep({ notice: `You are now a member of ${account.email} with the role ${role}.` })
    return c.redirect('/', 303)
  })
}
