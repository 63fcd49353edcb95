/** What an account can be alerted to. */

/** Kinds as messages name them, each with the line of the page and the subject of its email. */
export const ALERT_KINDS = {
  'balance.low': { text: 'Balance below your threshold', subject: 'Your balance is low' },
  'balance.empty': { text: 'Balance used up', subject: 'Your balance is used up' },
  'key.capped': { text: 'A key has used up its monthly cap', subject: 'A key has used up its cap' },
  'limit.near': { text: 'A rate limit is reached to 80 percent', subject: 'A rate limit is near' },
  'key.created': { text: 'A key was created or rolled', subject: 'An API key was created or rolled' },
  'recharge.done': { text: 'Automatic recharge paid', subject: 'Your balance was recharged' },
  'recharge.failed': {
    text: 'Automatic recharge failed, or its bound is reached',
    subject: 'Your balance was not recharged',
  },
  'sign-in.new': { text: 'A sign-in from a new browser', subject: 'A sign-in from a new browser' },
} as const

export type AlertKind = keyof typeof ALERT_KINDS
/** Also the message with which an account tries its channels. */
export type MessageKind = AlertKind | 'test'

export type Channel = 'email' | 'webhook'

/** One thing that has happened, or that holds. */
export interface Fact {
  timeMs: number
  /** What it is about, within its kind: the id of a key, the name of a window; `''` for the account. */
  subject: string
  /** A sentence for people. */
  text: string
}

export function isAlertKind(text: unknown): text is AlertKind {
  return typeof text === 'string' && Object.hasOwn(ALERT_KINDS, text)
}

/** What billing members hear of, and choose. */
export function isOfMoney(kind: MessageKind): boolean {
  return /^(balance|recharge)\./.test(kind)
}

/** Conditions end; the other kinds are moments. */
export const CONDITIONS = ['balance.low', 'balance.empty', 'key.capped', 'limit.near'] as const
export type Condition = (typeof CONDITIONS)[number]
/** What other parts of the dashboard report. */
export type Moment = 'recharge.done' | 'recharge.failed' | 'sign-in.new'
