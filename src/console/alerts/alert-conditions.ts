/** Derives facts from the state of an account, and messages from facts. */
import type { Accounts } from '../../billing/accounts/accounts.ts'
import type { AccountView, KeyView } from '../../billing/accounts/views.ts'
import { WINDOWS } from '../../billing/accounts/windows.ts'
import { dollars, paysForQuery } from '../../billing/money.ts'
import { NEAR_SHARE } from '../../service/limits.ts'
import { spendOf } from '../reports/spend.ts'
import { count, fullKeyName, iso, money, utcMinute } from '../words.ts'
import { ALERT_KINDS, type AlertKind, type CustomerMessage, type Fact } from './alert-kinds.ts'
import type { Sending } from './outbox.ts'

type State = { accounts: Accounts; account: AccountView; timeMs: number }

/** Facts of the kinds that are conditions. All others are moments. */
export const FACTS = {
  'balance.low': ({ account: { balanceMicros, lowBalanceMicros }, timeMs }) => {
    if (lowBalanceMicros === null || balanceMicros >= lowBalanceMicros) return []
    const text = `The balance is ${money(balanceMicros)}, below the threshold of ${money(lowBalanceMicros)}.`
    return [{ timeMs, subject: '', text }]
  },
  'balance.empty': ({ account, timeMs }) => {
    if (paysForQuery(account.balanceMicros)) return []
    return [{ timeMs, subject: '', text: 'The balance is used up. Requests are refused with 402.' }]
  },
  'key.capped': ({ accounts, account, timeMs }) =>
    accounts.listKeys(account.id).flatMap(key => {
      const text = `The key ${fullKeyName(key)} has used up its cap of ${money(key.capMicros ?? 0)} for this month. Requests with it are refused with 402.`
      return key.isCapped ? [{ timeMs, subject: key.id, text }] : []
    }),
  'key.surge': ({ accounts, account, timeMs }) =>
    spendOf(accounts, account, timeMs)
      .surges()
      .map(({ key, text }) => ({ timeMs, subject: key.id, text: `The key ${fullKeyName(key)} ${text}.` })),
  'limit.near': ({ accounts, account: { id, limits }, timeMs }) =>
    WINDOWS.flatMap(({ name, limit }) => {
      const most = limits?.[limit] ?? null
      const used = most === null ? 0 : accounts.currentQueries(id).used[limit]
      if (most === null || used < most * NEAR_SHARE) return []
      const text = `${count(used)} of ${count(most)} queries per ${name} are used. Requests beyond the limit are refused with 429.`
      return [{ timeMs, subject: name, text }]
    }),
} satisfies Partial<Record<AlertKind, (state: State) => Fact[]>>
export const CONDITIONS = Object.keys(FACTS) as (keyof typeof FACTS)[]

export function keyFact(key: KeyView, isRolled: boolean): Fact {
  const until =
    key.previous === null ? 'no longer works' : `works until ${utcMinute(key.previous.untilMs)} UTC`
  const done = isRolled ? `rolled: it has a new secret. The earlier secret ${until}` : 'created'
  return { timeMs: Date.now(), subject: key.id, text: `The key ${fullKeyName(key)} was ${done}.` }
}

/** Returns the body of a webhook's message. Later versions may add fields. */
export function webhookBody(
  type: CustomerMessage,
  { id: account, email }: AccountView,
  sending: Sending,
): string {
  const { id, timeMs, more } = sending
  const facts = sending.facts.map(({ timeMs, subject, text }) => ({ time: iso(timeMs), subject, text }))
  return JSON.stringify({ id, type, account, email, time: iso(timeMs), facts, more })
}

export function operatorBody({ id, email, balanceMicros, lowBalanceMicros }: AccountView): string {
  const [balance, threshold] = [dollars(balanceMicros), dollars(lowBalanceMicros ?? 0)]
  return JSON.stringify({ type: 'balance.low', account: id, email, balance, threshold })
}

const TEST = { text: 'This is a test', page: '/alerts' }

/** Returns subject and text of an email. Labels of keys have no line breaks. */
export function emailTexts(
  kind: CustomerMessage,
  { email }: AccountView,
  { facts, more }: Sending,
  origin: string,
): { subject: string; text: string } {
  const { text: subject, page } = kind === 'test' ? TEST : ALERT_KINDS[kind]
  const [about = '', ...others] = new Set(facts.map(({ subject }) => subject))
  const isOfKey = about.startsWith('key_') && others.length === 0
  const lines = [
    ...facts.map(({ timeMs, text }) => `${utcMinute(timeMs)} UTC: ${text}`),
    ...(more > 0 ? [`And ${count(more)} more.`] : []),
    '',
    `${origin}${isOfKey ? `/keys/${about}` : page}`,
    '',
    `The account ${email} chose these alerts. To change them: ${origin}/alerts`,
    '',
  ]
  return { subject: `postrie: ${subject}`, text: lines.join('\n') }
}
