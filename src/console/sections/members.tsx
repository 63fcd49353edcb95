/** Members, roles and invitations of an account, for its owners and for operators. */
import { randomUUID } from 'node:crypto'
import type { AccountView } from '../../billing/accounts/views.ts'
import type { Invitation } from '../../billing/ledger/book/record.ts'
import { ROLES } from '../../billing/ledger/event.ts'
import { EMAIL_LENGTH_MAX, TEAM_MAX } from '../../billing/limits.ts'
import { ExpiringMap } from '../../platform/expiring-map.ts'
import { DAY_MS } from '../../platform/time.ts'
import { addForm, addStep, FieldsForm } from '../layout/form.tsx'
import { List, onePage } from '../layout/list.tsx'
import { Button, Copyable, Form, Named, Options, Pairs, Section, Time } from '../layout/parts.tsx'
import { membersOf, ROLE } from '../operator/operator-account-commands.ts'
import { text } from '../operator/params.ts'
import { accountOf, mayAct, operatorPath } from '../session/access.ts'
import { formText } from '../session/forms.ts'
import { type Dashboard, type PageApp, type PageContext, pageContext } from '../session/page-context.ts'
import { ROLE_NAMES, ROLE_TEXTS, utcMinute } from '../words.ts'

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

const pathOf = (c: PageContext) => `${operatorPath(c) || '/account'}/members`

/** Adds the forms, below the path of the account. */
export function addMemberForms(app: PageApp, dashboard: Dashboard): void {
  const { accounts, log } = dashboard
  const { teams } = accounts
  const idOf = (c: PageContext) => accountOf(c, accounts).id
  const mail = invitationMail(dashboard)

  const send = async (c: PageContext, invited: Invitation) => {
    const account = accountOf(c, accounts)
    const problem = await mail(c, account, invited).catch((error: unknown) => {
      log.warn({ account: account.id, err: error }, 'invitation not emailed')
      return 'The mail server did not accept the email.'
    })
    return problem === null
      ? `An email with the link was sent to ${invited.email}.`
      : {
          caution: `The invitation is open. ${problem} Send the link below to ${invited.email} yourself.`,
          copy: invitationLink(dashboard, account.id),
        }
  }
  addForm(app, '/members/invite', pathOf, INVITATION, async (c, typed) =>
    send(c, await teams.invite(idOf(c), typed)),
  )
  addForm(app, '/members/send', pathOf, {}, async c => {
    const wanted = await formText(c, 'invitation')
    const invited = teams.of(idOf(c)).invitations.find(({ id }) => id === wanted)
    return invited ? send(c, invited) : 'Nothing was sent: this invitation is no longer valid.'
  })

  addForm(app, '/members/role', pathOf, { role: ROLE }, async (c, { role }) => {
    const person = await formText(c, 'person')
    if (person === c.var.person.id) return 'Nothing was changed: another owner can change your role.'
    await teams.change(idOf(c), person, role)
    return 'The role is changed.'
  })

  addStep(app, '/members/remove', pathOf, {
    ask(c) {
      const person = c.req.query('person') ?? ''
      const member = teams.of(idOf(c)).members.find(each => each.person === person)
      const text =
        'They can no longer open pages of this account. Keys that they know keep working: revoke their keys.'
      return member && { title: `Remove ${member.email}?`, text, button: 'Remove', hidden: { person } }
    },
    run: async c => {
      await teams.change(idOf(c), await formText(c, 'person'), null)
      return 'The member is removed. Keys that they know still work: revoke their keys.'
    },
  })

  addStep(app, '/members/withdraw', pathOf, {
    ask(c) {
      const invitation = c.req.query('invitation') ?? ''
      const invited = teams.of(idOf(c)).invitations.find(({ id }) => id === invitation)
      const text = 'They can no longer accept it. You can invite them again.'
      const title = `Withdraw the invitation of ${invited?.email}?`
      return invited && { title, text, button: 'Withdraw', hidden: { invitation } }
    },
    run: async c => {
      await teams.withdraw(idOf(c), await formText(c, 'invitation'))
      return 'The invitation is withdrawn.'
    },
  })
}

/** Emails invitations, or returns why not. Strangers get them, so sender and number are checked. */
function invitationMail(dashboard: Dashboard) {
  const sent = new ExpiringMap<number>(INVITERS_MAX)
  return async (c: PageContext, account: AccountView, invitation: Invitation): Promise<string | null> => {
    const { person, session } = c.var
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

type Member = ReturnType<typeof membersOf>[number]

export function Members({ account, dashboard }: { account: AccountView; dashboard: Dashboard }) {
  const { id } = account
  const { accounts, alerts } = dashboard
  const c = pageContext()
  const path = pathOf(c)
  const { invitations } = accounts.teams.of(id)
  const members = membersOf(accounts, account)
  const owners = members.filter(({ role, signedIn }) => role === 'owner' && signedIn)
  const isLastOwner = (member: Member) => owners.length === 1 && owners.includes(member)
  /** Returns why a role is fixed here; `''` if it is not. */
  const reasonOf = (member: Member) => {
    if (!member.signedIn) return 'has not signed in yet'
    if (isLastOwner(member)) return 'an account needs at least one'
    return member.person === c.var.person.id ? 'another owner can change it' : ''
  }
  const link = (action: string, text: string, email: string) => (
    <a
      href={mayAct(c, path) ? `${path}/${action}` : undefined}
      aria-disabled={mayAct(c, path) ? undefined : 'true'}
      aria-label={`${text} ${email}`}
    >
      {text.split(' ')[0]}
    </a>
  )
  const pageOf = (person: string | null) =>
    operatorPath(c) && person !== null && person !== id ? `/operator/accounts/${person}` : undefined
  return (
    <>
      <List
        caption="Members"
        found={onePage(members)}
        columns={[
          {
            head: 'Member',
            kind: 'name',
            cell: ({ email, person }) => (
              <Named name={email} href={pageOf(person)} under={person === c.var.person.id && 'you'} />
            ),
          },
          {
            head: 'Role',
            kind: 'detail',
            cell: member =>
              reasonOf(member) ? (
                `Owner (${reasonOf(member)})`
              ) : (
                <Form action={`${path}/role`} class="row" hidden={{ person: member.person ?? '' }}>
                  <select name="role" aria-label={`Role of ${member.email}`}>
                    <Options texts={ROLE_NAMES} chosen={member.role} />
                  </select>
                  <Button text="Change" label={`Change the role of ${member.email}`} />
                </Form>
              ),
          },
          {
            head: '',
            cell: member =>
              member.signedIn &&
              !isLastOwner(member) &&
              link(`remove?person=${member.person}`, 'Remove', member.email),
          },
        ]}
      />
      <Section
        title="Invite"
        hint={`${alerts.canEmail ? 'An email with a link goes to this address' : 'You get a link to pass on'}. Only a person who signs in with this address can accept.`}
      >
        <FieldsForm
          action={`${path}/invite`}
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
            cell: ({ id, email }) => [
              alerts.canEmail && mayAct(c, path) && (
                <Form action={`${path}/send`} hidden={{ invitation: id }} button="Send again" kind="link" />
              ),
              link(`withdraw?invitation=${id}`, 'Withdraw the invitation of', email),
            ],
          },
        ]}
      />
      {invitations.length > 0 && mayAct(c, path) && (
        <div>
          Link to pass on to everybody who is invited:
          <Copyable text={invitationLink(dashboard, id)} label="Copy the link" />
        </div>
      )}
      <p class="hint">At most {TEAM_MAX} members and invitations.</p>
    </>
  )
}

/** Anybody may know this link: only the invited address can accept. */
const invitationLink = ({ origin }: Dashboard, account: string) => `${origin}/invitation/${account}`
