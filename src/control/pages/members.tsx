/** Members of an account: who may do what, and who is invited. For owners. */
import { randomUUID } from 'node:crypto'
import {
  type InvitationView,
  type MemberView,
  ROLES,
  type Role,
  type TeamView,
} from '../../accounts/views.ts'
import { EMAIL_LENGTH_MAX, TEAM_MAX } from '../../limits.ts'
import { ExpiringMap } from '../../platform/expiring-map.ts'
import type { Alerts } from '../alerts/alerts.ts'
import { Field, refuseField } from '../layout/field.tsx'
import { type Attempt, attempt, formText } from '../layout/forms.ts'
import { Page } from '../layout/page.tsx'
import { Choice, Copyable, Form, Section, Table, Time } from '../layout/parts.tsx'
import { ROLE_TEXTS, utcMinute } from '../layout/words.ts'
import { INVITATION_EMAILS_PER_DAY_MAX, INVITERS_MAX } from '../limits.ts'
import type { Dashboard, PageApp, PageContext } from '../shell/dashboard.ts'
import { invitationLink } from '../sign-in/invitation-link.ts'

const PATH = '/account/members'
const DAY_MS = 86_400_000
const NAMES: Record<Role, string> = { owner: 'Owner', developer: 'Developer', billing: 'Billing' }

export function addMemberPages(app: PageApp, dashboard: Dashboard, alerts: Alerts): void {
  const { accounts, log } = dashboard
  const { teams } = accounts
  const mail = invitationMail(dashboard, alerts)
  const page = (c: PageContext, problem?: string) => (
    <MembersPage {...{ c, dashboard, problem, canMail: alerts.canEmail }} team={teams.of(c.var.account.id)} />
  )
  /** Says `notice`, or shows the page again with the reason. */
  const done = (c: PageContext, outcome: Attempt<unknown>, notice: string) => {
    if ('problem' in outcome) return c.html(page(c, outcome.problem), 400)
    c.var.session.keep({ notice })
    return c.redirect(PATH, 303)
  }

  app.get(PATH, c => c.html(page(c)))

  app.post(`${PATH}/invite`, async c => {
    const { account } = c.var
    const role = await typedRole(c)
    const email = await formText(c, 'email')
    const invited =
      role === undefined
        ? { problem: 'Choose what they may do.' }
        : await attempt(teams.invite(account.id, { email, role }))
    if ('problem' in invited) {
      await refuseField(c, 'email', invited.problem)
      return c.html(page(c), 400)
    }
    const problem = await mail(c, invited.done).catch((error: unknown) => {
      log.warn({ account: account.id, err: error }, 'invitation not emailed')
      return 'The mail server has not taken the email.'
    })
    c.var.session.keep({
      notice:
        problem === null
          ? `An email with the link is on its way to ${invited.done.email}.`
          : `${problem} Pass the link below on to ${invited.done.email} yourself.`,
    })
    return c.redirect(PATH, 303)
  })

  app.post(`${PATH}/withdraw`, async c =>
    done(
      c,
      await attempt(teams.withdraw(c.var.account.id, await formText(c, 'invitation'))),
      'The invitation is withdrawn. Its link leads nowhere.',
    ),
  )

  app.post(`${PATH}/role`, async c => {
    const role = await typedRole(c)
    if (role === undefined) return c.html(page(c, 'Choose what they may do.'), 400)
    const changed = await attempt(teams.change(c.var.account.id, await formText(c, 'person'), role))
    return done(c, changed, 'The role is changed. It applies from now on.')
  })

  app.post(`${PATH}/remove`, async c => {
    const removed = await attempt(teams.change(c.var.account.id, await formText(c, 'person'), null))
    return done(
      c,
      removed,
      'The member is removed. Keys that they know still work: revoke those that are theirs.',
    )
  })

  for (const action of ['invite', 'withdraw', 'role', 'remove'])
    app.get(`${PATH}/${action}`, c => c.redirect(PATH, 303))
}

async function typedRole(c: PageContext): Promise<Role | undefined> {
  const text = await formText(c, 'role')
  return ROLES.find(role => role === text)
}

/**
 * Emails the link of an invitation. Returns why it does not, as a sentence, or null. Who invites is named in it, so only a
 * proved address may; and nobody sends more than a few a day, since the text reaches people who have not asked for it.
 */
function invitationMail(dashboard: Dashboard, alerts: Alerts) {
  const sent = new ExpiringMap<number>(INVITERS_MAX)
  return async (c: PageContext, invitation: InvitationView): Promise<string | null> => {
    const { account, person, session } = c.var
    if (!alerts.canEmail) return 'This service sends no email.'
    if (session.provedEmail === null) return 'Your own address is not confirmed, so no email was sent.'
    const today = `${person.id} ${Math.floor(Date.now() / DAY_MS)}`
    const emails = sent.get(today) ?? 0
    if (emails >= INVITATION_EMAILS_PER_DAY_MAX)
      return `You have sent ${INVITATION_EMAILS_PER_DAY_MAX} invitations today, so no email was sent.`
    sent.set(today, emails + 1, DAY_MS)
    await alerts.email({
      id: randomUUID(),
      to: [invitation.email],
      subject: `postrie: ${session.provedEmail} invites you`,
      text: [
        `${session.provedEmail} invites you to act for the account ${account.email} as ${invitation.role}: ${ROLE_TEXTS[invitation.role]}`,
        '',
        `Sign in with this address to accept, until ${utcMinute(invitation.endMs)} UTC:`,
        '',
        invitationLink(dashboard, account.id, invitation),
        '',
        'If you do not know why you get this, ignore it: nothing happens unless you accept.',
        '',
      ].join('\n'),
    })
    return null
  }
}

interface MembersProps {
  c: PageContext
  dashboard: Dashboard
  team: TeamView
  canMail: boolean
  problem?: string
}

function MembersPage({ c, dashboard, team: { members, invitations }, canMail, problem }: MembersProps) {
  return (
    <Page
      c={c}
      title="Members"
      lead={`People who may act for ${c.var.account.email}, each with their own sign-in.`}
      problem={problem}
      scripts={['copy.js']}
    >
      <div class="members">
        <Table caption="Members" heads={['Member', 'Role', '']}>
          {members.map(member => (
            <Member c={c} member={member} />
          ))}
        </Table>
      </div>
      <Section
        title="Invite"
        hint={
          canMail
            ? 'An email with a link goes to this address. Only somebody who signs in with it can accept.'
            : 'You get a link to pass on. Only somebody who signs in with this address can accept.'
        }
      >
        <Form c={c} action={`${PATH}/invite`} class="row">
          <Field
            {...{ c, action: `${PATH}/invite`, name: 'email', label: 'Email' }}
            inputmode="email"
            required
            maxlength={EMAIL_LENGTH_MAX}
          />
          <Choice
            name="role"
            label="Role"
            options={NAMES}
            value={c.var.refused?.values.get('role') ?? 'developer'}
          />
          <button type="submit" class="primary">
            Invite
          </button>
        </Form>
        <dl class="pairs small">
          {ROLES.map(role => (
            <>
              <dt>{NAMES[role]}</dt>
              <dd>{ROLE_TEXTS[role]}</dd>
            </>
          ))}
        </dl>
      </Section>
      <Invitations c={c} dashboard={dashboard} invitations={invitations} />
      <p class="hint">At most {TEAM_MAX} members and invitations.</p>
    </Page>
  )
}

function Member({ c, member: { person, email, role } }: { c: PageContext; member: MemberView }) {
  return (
    <tr>
      <th scope="row">
        <span class="label" title={email}>
          {email}
        </span>
        {person === c.var.person.id && <span class="under small">you</span>}
      </th>
      <td>
        <Form c={c} action={`${PATH}/role`} class="row">
          <input type="hidden" name="person" value={person} />
          <select name="role" aria-label={`Role of ${email}`}>
            {ROLES.map(each => (
              <option value={each} selected={each === role}>
                {NAMES[each]}
              </option>
            ))}
          </select>
          <button type="submit" aria-label={`Change the role of ${email}`}>
            Change
          </button>
        </Form>
      </td>
      <td>
        <Form c={c} action={`${PATH}/remove`}>
          <input type="hidden" name="person" value={person} />
          <button type="submit" class="link" aria-label={`Remove ${email}`}>
            Remove
          </button>
        </Form>
      </td>
    </tr>
  )
}

interface InvitationsProps {
  c: PageContext
  dashboard: Dashboard
  invitations: readonly InvitationView[]
}

function Invitations({ c, dashboard, invitations }: InvitationsProps) {
  if (invitations.length === 0) return <p class="empty">Nobody is invited at the moment.</p>
  return (
    <section class="members">
      <div class="heading">
        <h2>Invitations</h2>
      </div>
      <Table caption="Invitations" heads={['Invited', 'Link to pass on', 'Ends', '']}>
        {invitations.map(invitation => (
          <tr>
            <th scope="row">
              <span class="label" title={invitation.email}>
                {invitation.email}
              </span>
              <span class="under small">
                {invitation.role}, by {invitation.by}
              </span>
            </th>
            <td>
              <Copyable
                text={invitationLink(dashboard, c.var.account.id, invitation)}
                label={`Copy the link for ${invitation.email}`}
              />
            </td>
            <td>
              <Time ms={invitation.endMs} />
            </td>
            <td>
              <Form c={c} action={`${PATH}/withdraw`}>
                <input type="hidden" name="invitation" value={invitation.id} />
                <button
                  type="submit"
                  class="link"
                  aria-label={`Withdraw the invitation of ${invitation.email}`}
                >
                  Withdraw
                </button>
              </Form>
            </td>
          </tr>
        ))}
      </Table>
    </section>
  )
}
