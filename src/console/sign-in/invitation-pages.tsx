import { commandRefusal } from '../../billing/accounts/account-error.ts'
import type { AccountView } from '../../billing/accounts/views.ts'
import type { Invitation as InvitationView } from '../../billing/ledger/book/record.ts'
import { answerDeadEnd, Gate } from '../layout/document.tsx'
import { Button, Form, Link } from '../layout/parts.tsx'
import type { Dashboard, PageApp, PageContext } from '../session/dashboard.ts'
import { chooseAccount } from '../session/returning.ts'
import { ROLE_TEXTS } from '../words.ts'

const INVITATION_PATH = '/invitation'

interface Invited {
  account: AccountView
  invitation: InvitationView
}

export function addInvitationPages(app: PageApp, dashboard: Dashboard): void {
  const { accounts, seal } = dashboard
  const withInvited =
    (answer: (c: PageContext, invited: Invited) => Response | Promise<Response>) => (c: PageContext) => {
      const link = seal.open('invitation', c.req.param('link')) as [account: string, id: string] | undefined
      const account = link && accounts.account(link[0])
      const invitation = account && accounts.teams.of(account.id).invitations.find(({ id }) => id === link[1])
      if (account === undefined || invitation === undefined) return refuse(c, OVER, 410)
      if (c.var.session.provedEmail !== invitation.email) return refuse(c, refusalOf(c), 403)
      return answer(c, { account, invitation })
    }

  app.get(
    `${INVITATION_PATH}/:link`,
    withInvited((c, invited) => c.html(<Accept c={c} invited={invited} />)),
  )

  app.post(
    `${INVITATION_PATH}/:link`,
    withInvited(async (c, { account, invitation: { id, email } }) => {
      const { session, person } = c.var
      try {
        const role = await accounts.teams.accept(account.id, id, { person: person.id, provedEmail: email })
        chooseAccount(c, dashboard, account.id)
        session.keep({ notice: `You are now a member of ${account.email} with the role ${role}.` })
        return c.redirect('/', 303)
      } catch (error) {
        return refuse(c, commandRefusal(error).message, 403)
      }
    }),
  )
}

const OVER =
  'This invitation is no longer valid: it was used, was withdrawn, or has expired. Ask for a new invitation.'

/** Returns the refusal of another person. It hides the invited address, because the link may have reached a stranger. */
function refusalOf(c: PageContext): string {
  const { provedEmail } = c.var.session
  return provedEmail === null
    ? 'Your identity provider has not confirmed your email address, so this invitation cannot be accepted with this sign-in.'
    : `This invitation was not sent to ${provedEmail}. Sign out, then sign in with the invited address.`
}

function refuse(c: PageContext, text: string, status: 403 | 410) {
  return answerDeadEnd(c, status, { title: 'Invitation not accepted', text, hasSignOut: status === 403 })
}

function Accept({ c, invited: { account, invitation } }: { c: PageContext; invited: Invited }) {
  return (
    <Gate title="Invitation">
      <h1>Join {account.email}</h1>
      <p>
        {invitation.by} invites you, {invitation.email}, to act for this account as{' '}
        <strong>{invitation.role}</strong>: {ROLE_TEXTS[invitation.role]}
      </p>
      <Form c={c} action={c.req.path} class="stack">
        <Button kind="primary wide" text="Accept" />
      </Form>
      <Link kind="wide" href="/" text="Not now" />
    </Gate>
  )
}

/** Returns the link to accept an invitation. It is sealed, and valid until the invitation ends or is used. */
export function invitationLink({ origin, seal }: Dashboard, account: string, { id, endMs }: InvitationView) {
  return `${origin}${INVITATION_PATH}/${seal.seal('invitation', [account, id], endMs)}`
}
