/** What a search has found in an account, besides its address and its note. */
import type { Accounts } from '../../billing/accounts/accounts.ts'
import type { AccountView, KeyView } from '../../billing/accounts/views.ts'
import { fullKeyName, money, utcMinute } from '../words.ts'

/** Returns the references that a text may name: customers know a payment by the id that Stripe gave it. */
export const referencesOf = (wanted: string): string[] => [wanted, `stripe:${wanted}`]

const isStart = (start: string, wanted: string) => wanted.startsWith(start) || start.includes(wanted)

/** True for a part of the label, the beginning of the id, and a secret or a part of its start. */
export function isFoundKey({ id, label, starts }: KeyView, wanted: string): boolean {
  const hasStart = starts.some(start => isStart(start, wanted))
  return hasStart || id.startsWith(wanted) || label.toLowerCase().includes(wanted.toLowerCase())
}

/** Returns the name of a key. One that was found by a replaced secret was rolled. */
function foundKeyName(key: KeyView, wanted: string): string {
  const replaced = !isStart(key.start, wanted) && key.starts.find(start => isStart(start, wanted))
  return replaced ? `${fullKeyName(key)}, rolled from ${replaced}…` : fullKeyName(key)
}

/** Returns texts on the keys, members, invitations and entries that match a search. */
export function foundIn(accounts: Accounts, { id, email: own }: AccountView, wanted: string) {
  if (wanted === '') return { isKey: false, texts: [] }
  const { members, invitations } = accounts.teams.of(id)
  const isFound = (email: string) => email !== own && email.includes(wanted.toLowerCase())
  const keys = accounts.listKeys(id).filter(key => isFoundKey(key, wanted))
  const people = [...members, ...invitations].filter(({ email }) => isFound(email))
  const entries = referencesOf(wanted).map(reference => ({ reference, ...accounts.entryOf(reference) }))
  const texts = [
    ...keys.map(key => foundKeyName(key, wanted)),
    ...people.map(({ email, role }) => `${email} (${role})`),
    ...entries.map(({ reference, email, micros = 0, timeMs = 0 }) =>
      email === own ? `${reference}: ${money(micros)} at ${utcMinute(timeMs)} UTC` : '',
    ),
  ]
  return { isKey: keys.length > 0, texts: texts.filter(text => text) }
}
