import { randomUUID } from 'node:crypto'
import { commandRefusal } from '../../billing/accounts/account-error.ts'
import type { MemberView } from '../../billing/accounts/teams.ts'
import type { Invitation } from '../../billing/ledger/book/record.ts'
import { ROLES } from '../../billing/ledger/event.ts'
import { EMAIL_LENGTH_MAX, TEAM_MAX } from '../../billing/limits.ts'
import { ExpiringMap } from '../../platform/expiring-map.ts'
import { DAY_MS } from '../../platform/time.ts'
import { Gate } from '../layout/document.tsx'
import { addForm, addStep, FieldsForm } from '../layout/form.tsx'
import { List, onePage } from '../layout/list.tsx'
import { Page } from '../layout/page.tsx'
import { Copyable, Form, Link, Named, Options, Pairs, Section, Time } from '../layout/parts.tsx'
import { ROLE } from '../operator/operator-account-commands.ts'
import { text } from '../operator/params.ts'
import { mayAct, NotAllowed } from '../session/access.ts'
import { formText } from '../session/forms.ts'
import { chooseAccount } from '../session/known-browser.ts'
import type { Dashboard, PageApp, PageContext } from '../session/page-context.ts'
import { ROLE_NAMES, ROLE_TEXTS, utcMinute } from '../words.ts'

const PATH = '/account/members'
export const INVITATION_EMAILS_PER_DAY_MAX = 20
/** Maximum number of people with a count of emails for the day. */
const INVITERS_MAX = 10_000

const INVITATION = {
  email: text({
    label: 'Email',
    inputmode: 'email',
    lengthMax: EMAIL_LENGTH_MAX,
    refusals: ['INVALID_EMAIL', 'ALREADY_MEMBER', 'ALREADY_INVITED', 'TOO_MANY_MEMBERS'],
  }),
  role: ROLE,
}

export function addMemberPages(app: PageApp, dashboard: Dashboard): void {
  const { accounts, log } = dashboard
  const { teams } = accounts
  const mail = invitationMail(dashboard)

  app.get(PATH, c => c.html(membersPage(c, dashboard)))

  addForm(app, `${PATH}/invite`, PATH, INVITATION, async (c, typed) => {
    const { account } = c.var
    const invited = await teams.invite(account.id, typed)
    const problem = await mail(c, invited).catch((error: unknown) => {
      log.warn({ account: account.id, err: error }, 'invitation not emailed')
      return 'The mail server did not accept the email.'
    })
    return problem === null
      ? `An email with the link was sent to ${invited.email}.`
      : {
          to: PATH,
          caution: `The invitation is open. ${problem} Send the link below to ${invited.email} yourself.`,
          copy: invitationLink(dashboard, c.var.account.id),
        }
  })

  addForm(app, `${PATH}/role`, PATH, { role: ROLE }, async (c, { role }) => {
    const person = await formText(c, 'person')
    if (person === c.var.person.id) return 'Nothing was changed: another owner can change your role.'
    await teams.change(c.var.account.id, person, role)
    return 'The role is changed.'
  })

  addStep(app, `${PATH}/remove`, PATH, {
    ask(c) {
      const wanted = c.req.query('person')
      const [member] = teams.of(c.var.account.id).members.filter(({ person }) => person === wanted)
      const text =
        'They can no longer open pages of this account. Keys that they know keep working: revoke their keys.'
      const hidden = { person: wanted ?? '' }
      return member ? { title: `Remove ${member.email}?`, text, button: 'Remove', hidden } : null
    },
    run: async c => {
      await teams.change(c.var.account.id, await formText(c, 'person'), null)
      return 'The member is removed. Keys that they know still work: revoke their keys.'
    },
  })

  addStep(app, `${PATH}/withdraw`, PATH, {
    ask(c) {
      const wanted = c.req.query('invitation')
      const [invitation] = teams.of(c.var.account.id).invitations.filter(({ id }) => id === wanted)
      const text = 'They can no longer accept it. You can invite them again.'
      const hidden = { invitation: wanted ?? '' }
      const title = `Withdraw the invitation of ${invitation?.email}?`
      return invitation ? { title, text, button: 'Withdraw', hidden } : null
    },
    run: async c => {
      await teams.withdraw(c.var.account.id, await formText(c, 'invitation'))
      return 'The invitation is withdrawn.'
    },
  })

  addInvitationPages(app, dashboard)
}

/** Emails invitations, or returns why not. Strangers get them, so sender and number are checked. */
function invitationMail(dashboard: Dashboard) {
  const sent = new ExpiringMap<number>(INVITERS_MAX)
  return async (c: PageContext, invitation: Invitation): Promise<string | null> => {
    const { account, person, session } = c.var
    if (!dashboard.alerts.canEmail) return 'This service sends no email.'
    if (session.provedEmail === null) return 'Your own address is not confirmed, so no email was sent.'
    const today = `${person.id} ${Math.floor(Date.now() / DAY_MS)}`
    const emails = sent.get(today) ?? 0
    if (emails >= INVITATION_EMAILS_PER_DAY_MAX)
      return `You have sent ${INVITATION_EMAILS_PER_DAY_MAX} invitations today, so no email was sent.`
    sent.set(today, emails + 1, DAY_MS)
    await dashboard.alerts.email({
      id: randomUUID(),
      to: [invitation.email],
      subject: `postrie: ${session.provedEmail} invites you`,
      text: [
        `${session.provedEmail} invites you to act for the account ${account.email} as ${invitation.role}: ${ROLE_TEXTS[invitation.role]}`,
        '',
        `Sign in with this address to accept, until ${utcMinute(invitation.endMs)} UTC:`,
        '',
        invitationLink(dashboard, account.id),
        '',
        'If you do not expect this invitation, ignore it. Nothing happens unless you accept.',
        '',
      ].join('\n'),
    })
    return null
  }
}

function membersPage(c: PageContext, dashboard: Dashboard) {
  const { accounts } = dashboard
  const { id, email } = c.var.account
  const { members, invitations } = accounts.teams.of(id)
  // The account was opened for a person who has not come yet.
  const awaited = accounts.identities(id).length === 0
  const own: MemberView[] = awaited ? [{ person: '', email, role: 'owner' }] : []
  const owners = members.filter(({ role }) => role === 'owner')
  const isLastOwner = (member: MemberView) => owners.length === 1 && owners.includes(member)
  /** Returns why a role is fixed here; `''` if it is not. */
  const reasonOf = (member: MemberView) => {
    if (own.includes(member)) return 'has not signed in yet'
    if (isLastOwner(member)) return 'an account needs at least one'
    return member.person === c.var.person.id ? 'another owner can change it' : ''
  }
  const link = (action: string, text: string, email: string) => (
    <a
      href={mayAct(c, PATH) ? `${PATH}/${action}` : undefined}
      aria-disabled={mayAct(c, PATH) ? undefined : 'true'}
      aria-label={`${text} ${email}`}
    >
      {text.split(' ')[0]}
    </a>
  )
  return (
    <Page
      title="Members"
      lead={`People who may act for ${c.var.account.email}, each with their own sign-in.`}
    >
      <List
        caption="Members"
        found={onePage([...own, ...members])}
        columns={[
          {
            head: 'Member',
            kind: 'name',
            cell: ({ email, person }) => <Named name={email} under={person === c.var.person.id && 'you'} />,
          },
          {
            head: 'Role',
            kind: 'detail',
            cell: member => (reasonOf(member) ? `Owner (${reasonOf(member)})` : <RoleForm member={member} />),
          },
          {
            head: '',
            cell: member =>
              !own.includes(member) &&
              !isLastOwner(member) &&
              link(`remove?person=${member.person}`, 'Remove', member.email),
          },
        ]}
      />
      <Section
        title="Invite"
        hint={
          dashboard.alerts.canEmail
            ? 'An email with a link goes to this address. Only a person who signs in with it can accept.'
            : 'You get a link to pass on. Only a person who signs in with this address can accept.'
        }
      >
        <FieldsForm
          action={`${PATH}/invite`}
          fields={INVITATION}
          values={{ role: 'developer' }}
          button="Invite"
          kind="primary"
        />
        <Pairs rows={ROLES.map(role => [ROLE_NAMES[role], ROLE_TEXTS[role]])} />
      </Section>
      <List
        title="Invitations"
        found={onePage(invitations)}
        empty="Nobody is invited at the moment."
        columns={[
          {
            head: 'Invited',
            kind: 'name',
            cell: ({ email, role, by }) => <Named name={email} under={`${role}, by ${by}`} />,
          },
          { head: 'Ends', cell: ({ endMs }) => <Time ms={endMs} /> },
          {
            head: '',
            cell: ({ id, email }) => link(`withdraw?invitation=${id}`, 'Withdraw the invitation of', email),
          },
        ]}
      />
      {invitations.length > 0 && !c.var.isViewing && (
        <div>
          Link to pass on to everybody who is invited:
          <Copyable text={invitationLink(dashboard, c.var.account.id)} label="Copy the link" />
        </div>
      )}
      <p class="hint">At most {TEAM_MAX} members and invitations.</p>
    </Page>
  )
}

function RoleForm({ member: { person, email, role } }: { member: MemberView }) {
  return (
    <Form action={`${PATH}/role`} class="row" hidden={{ person }}>
      <select name="role" aria-label={`Role of ${email}`}>
        <Options texts={ROLE_NAMES} chosen={role} />
      </select>
      <button type="submit" aria-label={`Change the role of ${email}`}>
        Change
      </button>
    </Form>
  )
}

function addInvitationPages(app: PageApp, dashboard: Dashboard): void {
  const { accounts } = dashboard
  /** Returns the account, and its invitation of this person's confirmed address. @throws NotAllowed */
  const invitedTo = (c: PageContext) => {
    const account = accounts.account(c.req.param('account') ?? '')
    const { provedEmail } = c.var.session
    const pending = account === undefined ? [] : accounts.teams.of(account.id).invitations
    const invitation = pending.find(({ email }) => email === provedEmail)
    if (account !== undefined && invitation !== undefined) return { account, invitation }
    // The same for all accounts and invitations, because the link may have reached a stranger.
    const text =
      provedEmail === null
        ? 'Your identity provider has not confirmed your email address, so no invitation can be accepted with this sign-in.'
        : `No invitation to this account is waiting for ${provedEmail}: it was used, was withdrawn, has expired, or is for another address. Sign out, then sign in with the invited address, or ask for a new invitation.`
    throw new NotAllowed('Invitation not accepted', text, { hasSignOut: true })
  }

  app.get('/invitation/:account', c => {
    const { account, invitation } = invitedTo(c)
    return c.html(
      <Gate title="Invitation">
        <h1>Join {account.email}</h1>
        <p>
          {invitation.by} invites you, {invitation.email}, to act for this account as{' '}
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
    const role = await accounts.teams
      .accept(account.id, invitation.id, { person: person.id, provedEmail })
      .catch(error => {
        throw new NotAllowed('Invitation not accepted', commandRefusal(error).message, { hasSignOut: true })
      })
    chooseAccount(c, dashboard, account.id)
    session.keep({ notice: `You are now a member of ${account.email} with the role ${role}.` })
    return c.redirect('/', 303)
  })
}

/** Anybody may know this link: only the invited address can accept. */
const invitationLink = ({ origin }: Dashboard, account: string) => `${origin}/invitation/${account}`
