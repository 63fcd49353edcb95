/** Accepting an invitation, switching between accounts, and leaving one. */
import type { InvitationView } from '../../accounts/views.ts'
import { attempt, formText } from '../layout/forms.ts'
import { Gate } from '../layout/gate.tsx'
import { Form } from '../layout/parts.tsx'
import { ROLE_TEXTS } from '../layout/words.ts'
import { writeCookie } from '../shell/cookies.ts'
import type { Dashboard, PageApp, PageContext } from '../shell/dashboard.ts'
import { INVITATION_PATH, openInvitation } from './invitation-link.ts'

interface Invited {
  account: string
  /** Its name. */
  email: string
  invitation: InvitationView
}

export function addInvitationPages(app: PageApp, dashboard: Dashboard): void {
  const { accounts, origin } = dashboard
  const invitedBy = (link: string): Invited | undefined => {
    const opened = openInvitation(dashboard, link)
    const account = opened && accounts.account(opened.account)
    if (opened === undefined || account === undefined) return undefined
    const invitation = accounts.teams.of(account.id).invitations.find(({ id }) => id === opened.invitation)
    return invitation && { account: account.id, email: account.email, invitation }
  }

  app.get(`${INVITATION_PATH}/:link`, c => {
    const invited = invitedBy(c.req.param('link'))
    if (invited === undefined) return refuse(c, OVER, 410)
    if (c.var.session.provedEmail !== invited.invitation.email) return refuse(c, forAnother(c), 403)
    return c.html(<Accept c={c} invited={invited} />)
  })

  app.post(`${INVITATION_PATH}/:link`, async c => {
    const invited = invitedBy(c.req.param('link'))
    if (invited === undefined) return refuse(c, OVER, 410)
    const { session, person } = c.var
    if (session.provedEmail !== invited.invitation.email) return refuse(c, forAnother(c), 403)
    const by = { person: person.id, provedEmail: session.provedEmail }
    const joined = await attempt(accounts.teams.accept(invited.account, invited.invitation.id, by))
    if ('problem' in joined) return refuse(c, joined.problem, 403)
    writeCookie(c, 'session', origin, session.choosing(invited.account))
    session.keep({ notice: `You are a member of ${invited.email} now: ${joined.done}.` })
    return c.redirect('/', 303)
  })

  app.get('/account/switch', c => c.redirect('/', 303))

  app.post('/account/switch', async c => {
    const wanted = await formText(c, 'account')
    // An account that they are not a member of is as if it did not exist.
    if (c.var.memberships.every(({ account }) => account.id !== wanted)) return c.notFound()
    writeCookie(c, 'session', origin, c.var.session.choosing(wanted))
    return c.redirect('/', 303)
  })

  app.get('/account/leave', c => c.redirect('/account', 303))

  app.post('/account/leave', async c => {
    const { account, person, session } = c.var
    const left = await attempt(accounts.teams.change(account.id, person.id, null))
    if ('problem' in left) session.keep({ notice: left.problem })
    else session.keep({ notice: `You are no longer a member of ${account.email}.` })
    return c.redirect('problem' in left ? '/account' : '/', 303)
  })
}

const OVER =
  'This invitation is no longer valid: it has been used, was withdrawn, or has ended. Ask for another one.'

/** The address that was invited is not shown: the link may have reached a stranger. */
function forAnother(c: PageContext): string {
  const { provedEmail } = c.var.session
  return provedEmail === null
    ? 'Your identity provider has not confirmed your email address, so this invitation cannot be accepted with this sign-in.'
    : `This invitation was sent to another address than ${provedEmail}. Sign out, and sign in with the address that it was sent to.`
}

function refuse(c: PageContext, reason: string, status: 403 | 410) {
  return c.html(
    <Gate title="Invitation">
      <h1>Invitation not accepted</h1>
      <p role="alert">{reason}</p>
      <a class="button primary wide" href="/">
        To the overview
      </a>
      {status === 403 && (
        <Form c={c} action="/sign-out">
          <button type="submit" class="wide">
            Sign out
          </button>
        </Form>
      )}
    </Gate>,
    status,
  )
}

function Accept({ c, invited: { email, invitation } }: { c: PageContext; invited: Invited }) {
  return (
    <Gate title="Invitation">
      <h1>Join {email}</h1>
      <p>
        {invitation.by} invites you, {invitation.email}, to act for this account as{' '}
        <strong>{invitation.role}</strong>: {ROLE_TEXTS[invitation.role]}
      </p>
      <Form c={c} action={c.req.path} class="stack">
        <button type="submit" class="primary wide">
          Accept
        </button>
      </Form>
      <a class="button wide" href="/">
        Not now
      </a>
    </Gate>
  )
}
