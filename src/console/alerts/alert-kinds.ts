/** Kinds of alerts, and the choices of an account. */

import * as z from 'zod'
import { NEAR_SHARE } from '../../service/limits.ts'

/** Kinds of alerts by name. `text` is also the subject of an email, and `page` the link in it. */
export const ALERT_KINDS = {
  'balance.low': { text: 'Balance below your threshold', page: '/balance#recharge', isAboutMoney: true },
  'balance.empty': { text: 'Balance used up', page: '/balance#recharge', isAboutMoney: true },
  'key.capped': { text: 'A key has used up its monthly cap', page: '/keys' },
  'key.surge': { text: 'A key spends far more than on other days', page: '/usage?range=48h&split=key' },
  'limit.near': { text: `${NEAR_SHARE * 100} percent of a rate limit is used`, page: '/limits' },
  'key.created': { text: 'A key was created or rolled', page: '/keys' },
  'recharge.done': { text: 'Automatic recharge paid', page: '/balance#auto', isAboutMoney: true },
  'recharge.failed': {
    text: 'Automatic recharge failed, or its limit is reached',
    page: '/balance#auto',
    isAboutMoney: true,
  },
  'sign-in.new': { text: 'A sign-in from a new browser', page: '/account' },
} as const

export type AlertKind = keyof typeof ALERT_KINDS
export const KINDS = Object.keys(ALERT_KINDS) as AlertKind[]
export type CustomerMessage = AlertKind | 'test'
/** `operator` tells the operator about a low balance, whatever the account chose. */
export type MessageKind = CustomerMessage | 'operator'

export const CHANNELS = { email: 'Email', webhook: 'Webhook' } as const
export type Channel = keyof typeof CHANNELS

export const FACT = z.object({
  timeMs: z.number(),
  /** Id of a key, or name of a window; `''` for the account. */
  subject: z.string(),
  text: z.string(),
})
export type Fact = z.infer<typeof FACT>

export function isAlertKind(text: unknown): text is AlertKind {
  return typeof text === 'string' && Object.hasOwn(ALERT_KINDS, text)
}

export const isAboutMoney = (kind: MessageKind) => isAlertKind(kind) && 'isAboutMoney' in ALERT_KINDS[kind]

const CHOSEN = z.array(z.enum(KINDS))

/** Chosen kinds of alerts by channel. The secret signs messages to the webhook. */
export const CHOICE = z.object({
  email: CHOSEN,
  webhook: z.object({ url: z.string(), secret: z.string(), kinds: CHOSEN }).nullable(),
})

export type Choice = z.infer<typeof CHOICE>

export const NO_ALERTS: Choice = { email: [], webhook: null }
/** Alerts of an account without a choice, if it can get email. */
export const FIRST_ALERTS: Choice = {
  email: ['balance.low', 'balance.empty', 'key.capped', 'key.surge', 'recharge.failed'],
  webhook: null,
}

export function isOn({ email, webhook }: Choice, channel: Channel, kind: AlertKind): boolean {
  return (channel === 'email' ? email : (webhook?.kinds ?? [])).includes(kind)
}

export const kindsOf = ({ email, webhook }: Choice) => new Set([...email, ...(webhook?.kinds ?? [])])
