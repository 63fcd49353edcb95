/** The link with which somebody becomes a member: sealed, good until its invitation ends, and used up with it. */
import type { InvitationView } from '../../accounts/views.ts'
import type { Dashboard } from '../shell/dashboard.ts'

export const INVITATION_PATH = '/invitation'

/** The link looks different each time and always means the same. */
export function invitationLink(
  { origin, seal }: Pick<Dashboard, 'origin' | 'seal'>,
  account: string,
  { id, endMs }: InvitationView,
): string {
  return `${origin}${INVITATION_PATH}/${seal.seal('invitation', [account, id], endMs)}`
}

/** What a link was made for, or undefined when it is made up or has ended. Whether it still holds, the account says. */
export function openInvitation(
  { seal }: Pick<Dashboard, 'seal'>,
  sealed: string,
): { account: string; invitation: string } | undefined {
  const value = seal.open('invitation', sealed) as [string, string] | undefined
  return value && { account: value[0], invitation: value[1] }
}
