/**
 * Who belongs to an account, and who is invited. A person is the account that their sign-ins lead to. That person owns the
 * account as long as its team does not say otherwise, so an account of one has no team at all.
 */
import type { Role } from '../event.ts'

export interface Invitation {
  id: string
  email: string
  role: Role
  endMs: number
  by: string
}

/** As a snapshot has it. */
export interface StoredTeam {
  /** Slot and role, in the order in which they became members; null: the account's own person who was removed. */
  members: [person: number, role: Role | null][]
  invitations: Invitation[]
}

export class Team {
  readonly members: Map<number, Role | null>
  readonly invitations: Map<string, Invitation>

  constructor({ members, invitations }: StoredTeam = { members: [], invitations: [] }) {
    this.members = new Map(members)
    this.invitations = new Map(invitations.map(invitation => [invitation.id, invitation]))
  }

  stored(): StoredTeam {
    return { members: [...this.members], invitations: [...this.invitations.values()] }
  }
}
