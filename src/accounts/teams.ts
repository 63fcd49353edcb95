/** Who may act for which account. A person is named by the id of the account that their sign-ins lead to. */
import { roleIn } from '../ledger/book/memberships.ts'
import type { AccountRecord } from '../ledger/book/record.ts'
import type { CommandContext } from './commands/command-context.ts'
import {
  acceptInvitation,
  addMember,
  changeMember,
  invite,
  membersOf,
  pendingOf,
  withdrawInvitation,
} from './commands/member-commands.ts'
import type { AccountView, InvitationView, MembershipView, Role, TeamView } from './views.ts'

/** Reads are synchronous; commands resolve after their sync and reject with an `AccountError`. */
export class Teams {
  readonly #context: CommandContext
  readonly #view: (account: AccountRecord) => AccountView

  constructor(context: CommandContext, view: (account: AccountRecord) => AccountView) {
    this.#context = context
    this.#view = view
  }

  /** What a person may do in an account; null: nothing, or one of the two does not exist. */
  roleOf(account: string, person: string): Role | null {
    const { registry } = this.#context
    const [record, member] = [registry.account(account), registry.account(person)]
    return record === undefined || member === undefined ? null : roleIn(record, member)
  }

  /** Members and invitations. @throws ACCOUNT_NOT_FOUND */
  of(account: string): TeamView {
    const record = this.#context.account(account)
    return {
      members: membersOf(record, this.#context).map(({ person: { id, email }, role }) => ({
        person: id,
        email,
        role,
      })),
      invitations: pendingOf(record, this.#context.ledger.timeline.nowMs()),
    }
  }

  /** The accounts that a person may act for, their own first. */
  accountsOf(person: string): MembershipView[] {
    const { registry, ledger } = this.#context
    const member = registry.account(person)
    if (member === undefined) return []
    const others = [...ledger.book.memberships.of(member.slot)].map(slot => ledger.book.account(slot))
    return [member, ...others].flatMap(record => {
      const role = roleIn(record, member)
      return role === null ? [] : { account: this.#view(record), role }
    })
  }

  /** @throws ALREADY_MEMBER, ALREADY_INVITED, TOO_MANY_MEMBERS, INVALID_…, ACCOUNT_SUSPENDED, ACCOUNT_CLOSED */
  invite(account: string, invitation: { email: string; role: Role }): Promise<InvitationView> {
    return this.#context.run(context => invite(context, account, invitation))
  }

  /** @throws INVITATION_NOT_FOUND */
  withdraw(account: string, invitation: string): Promise<void> {
    return this.#context.run(context => withdrawInvitation(context, account, invitation))
  }

  /**
   * Makes a person a member, once, with the role that the invitation says.
   * @throws INVITATION_NOT_FOUND, INVITATION_FOR_ANOTHER, ALREADY_MEMBER, TOO_MANY_MEMBERS
   */
  accept(
    account: string,
    invitation: string,
    by: { person: string; provedEmail: string | null },
  ): Promise<Role> {
    return this.#context.run(context => acceptInvitation(context, account, invitation, by))
  }

  /** Makes a person a member without an invitation. For operators. @throws TOO_MANY_MEMBERS, LAST_OWNER, INVALID_KIND */
  add(account: string, person: string, role: Role): Promise<void> {
    return this.#context.run(context => addMember(context, account, person, role))
  }

  /** Gives a member another role, from their next request; null: none any more. @throws NOT_A_MEMBER, LAST_OWNER */
  change(account: string, person: string, role: Role | null): Promise<void> {
    return this.#context.run(context => changeMember(context, account, person, role))
  }
}
