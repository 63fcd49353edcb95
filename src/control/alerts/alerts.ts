/**
 * Watches the accounts that have chosen alerts, and sends them. Changes only mark an account; it is checked, a few at a time,
 * in turns of the event loop of their own, so that nothing here is part of a request or of a flush.
 */
import type { Accounts } from '../../accounts/accounts.ts'
import type { AccountView } from '../../accounts/views.ts'
import type { Log } from '../../platform/log.ts'
import type { SmtpSettings } from '../../settings/dashboard-settings.ts'
import { ALERT_CHECKS_PER_TURN, ALERT_TURN_MS, ALERTS_IN_FLIGHT_MAX } from '../limits.ts'
import type { KeyedStore, SharedRows } from '../shell/keyed-store.ts'
import { addressesOf } from './addresses.ts'
import { CheckedAccounts } from './checked-accounts.ts'
import { type Choice, channelsOf, kindsOf, NO_ALERTS, parseChoice } from './choice.ts'
import { createdFact, factsOf, rolledFact } from './conditions.ts'
import { type Email, Mailer } from './email.ts'
import {
  ALERT_KINDS,
  type AlertKind,
  type Channel,
  CONDITIONS,
  type Fact,
  type MessageKind,
  type Moment,
} from './kinds.ts'
import { emailTexts, webhookBody } from './message.ts'
import { openKeyed } from './open-keyed.ts'
import { type Due, type Entry, Outbox, parseEntry } from './outbox.ts'
import { type Outcome, Outcomes } from './outcomes.ts'
import { sendWebhook } from './webhook.ts'

export interface AlertsParts {
  accounts: Accounts
  log: Log
  dataDir: string
  sharedRows?: SharedRows
  /** Of the dashboard, for links. */
  origin: string
  /** Null: no email is sent. */
  smtp: SmtpSettings | null
  /** Whether webhooks may lead to private addresses. */
  allowPrivate: boolean
}

export class Alerts {
  readonly allowPrivate: boolean
  readonly #parts: AlertsParts
  readonly #choices: KeyedStore<Choice>
  readonly #entries: KeyedStore<Entry>
  readonly #outbox: Outbox
  readonly #mailer: Mailer | null
  readonly #outcomes = new Outcomes()
  readonly #checked: CheckedAccounts
  /** Accounts with a message on its way: one at a time. */
  readonly #inFlight = new Set<string>()
  readonly #closing = new AbortController()
  /** Null while no account has chosen anything: the ledger then reports its flushes to nobody. */
  #stopWatching: (() => void) | null = null
  readonly #stopFollowing: () => void
  readonly #timer: NodeJS.Timeout
  /** Whether the check in progress has something that could not be noted. */
  #hasFailed = false
  #fullMs = 0

  private constructor(parts: AlertsParts, choices: KeyedStore<Choice>, entries: KeyedStore<Entry>) {
    const { log, smtp, allowPrivate } = parts
    this.#parts = parts
    this.allowPrivate = allowPrivate
    this.#choices = choices
    this.#entries = entries
    this.#checked = new CheckedAccounts(() => choices.keys())
    this.#mailer = smtp === null ? null : new Mailer(smtp)
    this.#outbox = new Outbox(entries, (problem, error) => {
      this.#hasFailed = true
      if (problem === 'full') this.#reportFull()
      else log.error({ err: error }, 'an alert could not be noted and may be sent twice')
    })
    this.#watch()
    // A list of keys does not show that one was rolled.
    this.#stopFollowing = parts.accounts.onDeed(({ what, key }) => {
      const rolled = what === 'roll' && key !== null ? parts.accounts.key(key) : undefined
      if (rolled !== undefined) this.#note(rolled.account, 'key.created', rolledFact(rolled, Date.now()))
    })
    this.#timer = setInterval(() => this.#turn(), ALERT_TURN_MS).unref()
  }

  /** @throws Error when choices or messages cannot be read, or one of their files is not private */
  static async open(parts: AlertsParts): Promise<Alerts> {
    const choices = await openKeyed(parts, 'alerts', parseChoice)
    return new Alerts(parts, choices, await openKeyed(parts, 'alerts-outbox', parseEntry))
  }

  /** Sends nothing more. What is on its way is sent again after the next start. */
  async close(): Promise<void> {
    this.#stopWatching?.()
    this.#stopFollowing()
    clearInterval(this.#timer)
    this.#closing.abort()
    this.#mailer?.close()
    await this.#choices.close()
    await this.#entries.close()
  }

  choiceOf(account: string): Choice {
    return this.#choices.get(account) ?? NO_ALERTS
  }

  /** Resolves when the choice is durable. What holds already is reported at once. @throws what the write failed with */
  async choose(account: string, choice: Choice): Promise<void> {
    const isNothing = choice.email.length === 0 && choice.webhook === null
    await (isNothing ? this.#choices.delete(account) : this.#choices.set(account, choice))
    this.#watch()
    const view = this.#parts.accounts.account(account)
    if (view !== undefined) this.#check(view)
  }

  /** Adds a kind to what an account hears of by email. */
  async chooseToo(account: string, kind: AlertKind): Promise<void> {
    const choice = this.choiceOf(account)
    if (this.canEmail && !choice.email.includes(kind))
      await this.choose(account, { ...choice, email: [...choice.email, kind] })
  }

  /** Whether the operator has set up email. */
  get canEmail(): boolean {
    return this.#mailer !== null
  }

  /** Sends one email at once, past choices and outbox. @throws Error that says why the mail server has not taken it */
  async email(email: Email): Promise<void> {
    if (this.#mailer === null) throw new Error('no SMTP_URL is set')
    await this.#mailer.send(email)
  }

  /** Why no email can be sent to an account, as a sentence, or null. */
  emailProblem(account: AccountView): string | null {
    if (!this.canEmail) return 'The operator of this service has not set up email.'
    return addressesOf(this.#parts.accounts, account, 'test').length > 0
      ? null
      : 'No owner of this account has an email address that somebody has confirmed.'
  }

  /** Where email of an account goes to whatever it is about; what is about money goes to billing members as well. */
  addresses(account: AccountView): string[] {
    return addressesOf(this.#parts.accounts, account, 'test')
  }

  /** Sends a test to every channel that is set up. False: the last test was less than a minute ago. */
  test(account: AccountView): boolean {
    const timeMs = Date.now()
    if (this.#outbox.isTooSoon(account.id, 'test', timeMs)) return false
    this.#outbox.add(account.id, 'test', [{ timeMs, subject: '', text: 'You asked for this test.' }])
    return true
  }

  /** Notes something that has happened, for those who want to hear of it. */
  note(account: string, kind: Moment, text: string): void {
    this.#note(account, kind, { timeMs: Date.now(), subject: '', text })
  }

  #note(account: string, kind: AlertKind, fact: Fact): void {
    if (kindsOf(this.choiceOf(account)).has(kind)) this.#outbox.add(account, kind, [fact])
  }

  /** The latest deliveries of an account since the start of the service, newest first. */
  outcomes(account: string): readonly Outcome[] {
    return this.#outcomes.of(account)
  }

  #watch(): void {
    if (this.#choices.size === 0 || this.#stopWatching !== null) return
    this.#stopWatching = this.#parts.accounts.onChange(({ accounts: ids }) => {
      for (const id of ids) if (this.#choices.get(id) !== undefined) this.#checked.mark(id)
    })
  }

  /** Once a minute: what cannot be noted is tried again and again. */
  #reportFull(): void {
    const nowMs = Date.now()
    if (Math.abs(nowMs - this.#fullMs) < 60_000) return
    this.#fullMs = nowMs
    this.#parts.log.warn('alerts wait or are dropped: as many as can wait to be sent do')
  }

  #turn(): void {
    const { accounts, log } = this.#parts
    const nowMs = Date.now()
    for (const id of this.#checked.take(ALERT_CHECKS_PER_TURN, nowMs)) {
      const account = accounts.account(id)
      if (account === undefined) continue
      try {
        this.#check(account)
      } catch (error) {
        log.error({ err: error, account: id }, 'alerts of an account could not be checked')
      }
    }
    if (this.#outbox.isIdle) return
    for (const due of this.#outbox.due(nowMs, (account, kind) => this.#channels(account, kind))) {
      if (this.#inFlight.size >= ALERTS_IN_FLIGHT_MAX) return
      if (!this.#inFlight.has(due.account)) void this.#deliver(due)
    }
  }

  #check(account: AccountView): void {
    const { accounts } = this.#parts
    const nowMs = Date.now()
    this.#hasFailed = false
    const wanted = kindsOf(this.choiceOf(account.id))
    for (const kind of Object.keys(ALERT_KINDS) as AlertKind[])
      if (!wanted.has(kind)) this.#outbox.forget(account.id, kind, nowMs)
    const keys = wanted.has('key.capped') || wanted.has('key.created') ? accounts.listKeys(account.id) : []
    for (const kind of CONDITIONS)
      if (wanted.has(kind)) this.#outbox.hold(account.id, kind, factsOf(kind, accounts, account, keys, nowMs))
    if (wanted.has('key.created')) this.#outbox.follow(account.id, 'key.created', keys, createdFact)
    const hasCaps = wanted.has('key.capped') && keys.some(({ capMicros }) => capMicros !== null)
    const hasLimits = wanted.has('limit.near') && account.limits !== null
    this.#checked.setTimed(account.id, hasCaps || hasLimits || this.#hasFailed)
  }

  /** Where a message of a kind goes as the account has it now. */
  #channels(account: string, kind: MessageKind): Channel[] {
    const choice = this.choiceOf(account)
    if (kind !== 'test') return channelsOf(choice, kind)
    const view = this.#parts.accounts.account(account)
    const canEmail = view !== undefined && this.emailProblem(view) === null
    return [...(canEmail ? (['email'] as const) : []), ...(choice.webhook ? (['webhook'] as const) : [])]
  }

  async #deliver(due: Due): Promise<void> {
    const { account: id, kind, sending } = due
    const { accounts, log } = this.#parts
    this.#inFlight.add(id)
    try {
      // The entry is on the disk before the first byte leaves.
      await this.#entries.settled()
      const wanted = this.#channels(id, kind)
      const left: Channel[] = []
      for (const channel of sending.channels.filter(each => wanted.includes(each))) {
        const account = accounts.account(id)
        if (account === undefined) continue
        const error = await this.#send(channel, account, due).catch((error: Error) => error)
        if (this.#closing.signal.aborted) return
        if (error instanceof Error) {
          left.push(channel)
          log.warn({ account: id, kind, channel, err: error }, 'alert not delivered')
        }
        this.#outcomes.add(id, { timeMs: Date.now(), kind, channel, problem: problemOf(channel, error) })
      }
      if (this.#outbox.attempted(due, left, Date.now()))
        log.warn({ account: id, kind, channels: left }, 'alert given up')
    } finally {
      this.#inFlight.delete(id)
    }
  }

  async #send(channel: Channel, account: AccountView, { kind, sending }: Due): Promise<void> {
    const { origin, accounts } = this.#parts
    switch (channel) {
      case 'email': {
        const problem = this.emailProblem(account)
        if (this.#mailer === null || problem !== null) throw new Error(problem ?? 'no email')
        const { subject, text } = emailTexts(kind, account, sending, origin)
        return this.#mailer.send({ id: sending.id, to: addressesOf(accounts, account, kind), subject, text })
      }
      case 'webhook': {
        const { webhook } = this.choiceOf(account.id)
        if (webhook === null) return
        const message = { id: sending.id, body: webhookBody(kind, account, sending) }
        return sendWebhook(webhook, message, {
          allowPrivate: this.allowPrivate,
          closing: this.#closing.signal,
        })
      }
      default:
        channel satisfies never
    }
  }
}

/** What the account reads of an error. That of the operator's own mail server is the operator's alone. */
function problemOf(channel: Channel, error: unknown): string | null {
  if (!(error instanceof Error)) return null
  return channel === 'email' ? 'the mail server has not taken it' : error.message
}
