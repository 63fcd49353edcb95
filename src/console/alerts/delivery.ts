/** Delivers messages by email and to webhooks, and keeps the outcomes for the page of the account. */
import type { Accounts } from '../../billing/accounts/accounts.ts'
import type { AccountView } from '../../billing/accounts/views.ts'
import { ExpiringMap } from '../../platform/expiring-map.ts'
import type { Log } from '../../platform/log.ts'
import type { SmtpSettings } from '../../platform/settings/config.ts'
import { DAY_MS } from '../../platform/time.ts'
import { emailTexts, operatorBody, webhookBody } from './alert-conditions.ts'
import { addressesOf, type Email, mailerOf } from './email.ts'
import type { Channel, Choice, CustomerMessage } from './kinds.ts'
import type { Due } from './outbox.ts'
import { sendWebhook } from './webhook.ts'

/** Maximum number of accounts with outcomes in memory. */
const OUTCOMES_MAX = 10_000
/** Maximum number of outcomes of an account. */
const OUTCOMES_SHOWN = 6

interface Tried {
  timeMs: number
  channel: Channel
  /** Null if the receiver has the message. */
  problem: string | null
}

export interface Outcome extends Tried {
  id: string
  kind: CustomerMessage
  attempts: number
  /** Time of the next attempt; null if there is none. */
  nextMs: number | null
}

export interface DeliveryParts {
  accounts: Accounts
  log: Log
  origin: string
  smtp: SmtpSettings | null
  /** True if webhooks of customers may have private addresses. */
  allowPrivate: boolean
  /** Gets a message when a balance falls below the threshold of its account. */
  operatorWebhook: { url: string; secret: string } | null
}

export function deliveryOf({ accounts, log, origin, smtp, allowPrivate, operatorWebhook }: DeliveryParts) {
  const mailer = smtp === null ? null : mailerOf(smtp)
  const canEmail = mailer !== null
  const latest = new ExpiringMap<Outcome[]>(OUTCOMES_MAX)
  const closing = new AbortController()

  /** Sends one email at once, without the outbox. @throws Error with the reason of the mail server */
  async function email(email: Email): Promise<void> {
    if (mailer === null) throw new Error('no SMTP_URL is set')
    await mailer.send(email)
  }

  /** Returns the reason why an account gets no email, as a sentence; null if the account can get email. */
  function emailProblem(account: AccountView): string | null {
    if (!canEmail) return 'The operator of this service has not set up email.'
    return addresses(account).length > 0 ? null : 'No owner of this account has a confirmed email address.'
  }

  function addresses(account: AccountView): string[] {
    return addressesOf(accounts, account, 'test')
  }

  function outcomes(account: string): readonly Outcome[] {
    return latest.get(account) ?? []
  }

  /** Tries each channel once. Returns null if the service stops meanwhile. */
  async function attempt(
    account: AccountView,
    due: Due,
    channels: readonly Channel[],
    webhook: Choice['webhook'],
  ): Promise<Tried[] | null> {
    const tried: Tried[] = []
    for (const channel of channels) {
      const error = await send(channel, account, due, webhook).catch((error: Error) => error)
      if (closing.signal.aborted) return null
      if (error) log.warn({ account: account.id, kind: due.kind, channel, err: error }, 'alert not delivered')
      tried.push({ timeMs: Date.now(), channel, problem: error ? problemOf(channel, error) : null })
    }
    return tried
  }

  async function send(
    channel: Channel,
    account: AccountView,
    { kind, sending }: Due,
    webhook: Choice['webhook'],
  ): Promise<void> {
    const { id } = sending
    if (kind === 'operator') {
      const message = { id, body: operatorBody(account) }
      if (operatorWebhook !== null)
        await sendWebhook(operatorWebhook, message, { allowPrivate: true, closing: closing.signal })
    } else if (channel === 'email') {
      const problem = emailProblem(account)
      if (problem !== null) throw new Error(problem)
      const texts = emailTexts(kind, account, sending, origin)
      await email({ id, to: addressesOf(accounts, account, kind), ...texts })
    } else if (webhook !== null) {
      const message = { id, body: webhookBody(kind, account, sending) }
      await sendWebhook(webhook, message, { allowPrivate, closing: closing.signal })
    }
  }

  /** Keeps the outcomes of a message for the page, newest first. They replace those of its earlier attempts. */
  function keepOutcomes(
    { account, kind, sending: { id, attempts } }: Due,
    tried: readonly Tried[],
    nextMs: number | null,
  ): void {
    if (kind === 'operator') return
    const ended = tried.map(one => ({
      ...one,
      id,
      kind,
      attempts: attempts + 1,
      nextMs: one.problem === null ? null : nextMs,
    }))
    const isOther = (one: Outcome) => one.id !== id || tried.every(({ channel }) => channel !== one.channel)
    const newest = [...ended.reverse(), ...outcomes(account).filter(isOther)]
    latest.set(account, newest.slice(0, OUTCOMES_SHOWN), 30 * DAY_MS)
  }

  return {
    canEmail,
    email,
    emailProblem,
    addresses,
    outcomes,
    attempt,
    keepOutcomes,
    close(): void {
      closing.abort()
      mailer?.close()
    },
  }
}

/** Returns an error as the account sees it. Details of the operator's mail server are hidden. */
function problemOf(channel: Channel, error: Error): string {
  return channel === 'email' ? 'the mail server did not accept it' : error.message
}
