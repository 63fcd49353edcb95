import type { AccountView } from '../../accounts/views.ts'
import { count, utcMinute } from '../words.ts'
import { ALERT_KINDS, type MessageKind } from './kinds.ts'
import type { Sending } from './outbox.ts'

const PAGES: Readonly<Record<string, string>> = {
  balance: '/balance#recharge',
  recharge: '/balance#auto',
  key: '/keys',
  limit: '/limits',
  'sign-in': '/account',
  test: '/alerts',
}

/** Returns the body that a webhook gets. Fields may be added to it. */
export function webhookBody(
  kind: MessageKind,
  { id: account, email }: AccountView,
  { id, timeMs, facts, more }: Sending,
): string {
  return JSON.stringify({
    id,
    type: kind,
    account,
    email,
    time: new Date(timeMs).toISOString(),
    facts: facts.map(({ timeMs, subject, text }) => ({
      time: new Date(timeMs).toISOString(),
      subject,
      text,
    })),
    more,
  })
}

/** Returns subject and text of an email. They have only what this service wrote and labels, which have no line breaks. */
export function emailTexts(
  kind: MessageKind,
  { email }: AccountView,
  { facts, more }: Sending,
  origin: string,
): { subject: string; text: string } {
  const subject = kind === 'test' ? 'This is a test' : ALERT_KINDS[kind].subject
  const lines = [
    ...facts.map(({ timeMs, text }) => `${utcMinute(timeMs)} UTC: ${text}`),
    ...(more > 0 ? [`And ${count(more)} more.`] : []),
    '',
    `${origin}${PAGES[kind.split('.')[0] ?? ''] ?? '/'}`,
    '',
    `The account ${email} has chosen these alerts. To change that: ${origin}/alerts`,
    '',
  ]
  return { subject: `postrie: ${subject}`, text: lines.join('\n') }
}
