/** Watches accounts and sends the alerts that they chose. */
import type { Accounts } from '../../accounts/accounts.ts'
import type { AccountView } from '../../accounts/views.ts'
import { ExpiringMap } from '../../platform/expiring-map.ts'
import type { Log } from '../../platform/log.ts'
import { DAY_MS, MINUTE_MS } from '../../platform/time.ts'
import type { SmtpSettings } from '../../settings/config.ts'
import { AccountWatch } from '../account-watch.ts'
import type { AuditLog } from '../audit/audit-log.ts'
import { KeyedStore, type SharedRows } from '../store/keyed-store.ts'
import { createdFact, emailTexts, factsOf, rolledFact, webhookBody } from './alert-conditions.ts'
import { addressesOf, type Email, Mailer } from './email.ts'
import {
  ALERT_KINDS,
  type AlertKind,
  CHANNELS,
  CHOICE,
  type Channel,
  type Choice,
  CONDITIONS,
  type Fact,
  FIRST_ALERTS,
  isOn,
  kindsOf,
  type MessageKind,
  type Moment,
  NO_ALERTS,
} from './kinds.ts'
import { type Due, ENTRY, type Entry, Outbox } from './outbox.ts'
import { sendWebhook } from './webhook.ts'

/** Maximum number of accounts checked in one turn of the event loop, some 10 µs each. */
const CHECKS_PER_TURN = 80
const TURN_MS = 100
/** Maximum number of accounts that messages are sent for at a time. */
const IN_FLIGHT_MAX = 16
/** Maximum number of accounts with outcomes in memory. */
const OUTCOMES_MAX = 10_000
/** Maximum number of outcomes of an account. */
const OUTCOMES_SHOWN = 6

/** Latest attempt to send a message through one channel. */
export interface Outcome {
  id: string
  timeMs: number
  kind: MessageKind
  channel: Channel
  problem: string | null
  attempts: number
  /** Time of the next attempt; null if there is none. */
  nextMs: number | null
}

interface AlertsParts {
  accounts: Accounts
  audit: AuditLog
  log: Log
  dataDir: string
  sharedRows?: SharedRows
  origin: string
  smtp: SmtpSettings | null
  /** True if webhooks may have private addresses. */
  allowPrivate: boolean
}

export class Alerts {
  readonly allowPrivate: boolean
  readonly #parts: AlertsParts
  readonly #choices: KeyedStore<Choice>
  readonly #entries: KeyedStore<Entry>
  readonly #outbox: Outbox
  readonly #mailer: Mailer | null
  readonly #watch: AccountWatch
  readonly #outcomes = new ExpiringMap<Outcome[]>(OUTCOMES_MAX)
  readonly #inFlight = new Set<string>()
  readonly #closing = new AbortController()
  readonly #stopFollowing: () => void
  #fullMs = 0

  private constructor(parts: AlertsParts, choices: KeyedStore<Choice>, entries: KeyedStore<Entry>) {
    const { accounts, log, smtp, allowPrivate } = parts
    this.#parts = parts
    this.allowPrivate = allowPrivate
    this.#choices = choices
    this.#entries = entries
    this.#mailer = smtp === null ? null : new Mailer(smtp)
    this.#outbox = new Outbox(entries, (problem, error) => {
      if (problem === 'full') this.#reportFull()
      else log.error({ err: error }, 'the alert queue cannot be written: an alert may be sent twice')
    })
    this.#watch = new AccountWatch({
      accounts,
      log,
      watched: () => choices.keys(),
      // An account without a choice has its first alerts by email.
      isWatched: id => smtp !== null || choices.get(id) !== undefined,
      check: id => this.#check(id),
      afterTurn: nowMs => this.#sendDue(nowMs),
      turnMs: TURN_MS,
      checksPerTurn: CHECKS_PER_TURN,
    })
    // Rolling a key does not lengthen the list of keys, so this listens.
    this.#stopFollowing = accounts.onDeed(({ what, key }) => {
      const rolled = what === 'roll' && key !== null ? accounts.key(key) : undefined
      if (rolled !== undefined) this.#addFact(rolled.account, 'key.created', rolledFact(rolled, Date.now()))
    })
  }

  static async open(parts: AlertsParts): Promise<Alerts> {
    const choices = await KeyedStore.open(parts, 'alerts', CHOICE)
    return new Alerts(parts, choices, await KeyedStore.open(parts, 'alerts-outbox', ENTRY))
  }

  /** Stops. A message in flight is sent again after the next start. */
  async close(): Promise<void> {
    this.#watch.close()
    this.#stopFollowing()
    this.#closing.abort()
    this.#mailer?.close()
    await this.#choices.close()
    await this.#entries.close()
  }

  choiceOf(account: string): Choice {
    const chosen = this.#choices.get(account)
    if (chosen !== undefined) return chosen
    const view = this.canEmail ? this.#parts.accounts.account(account) : undefined
    return view !== undefined && this.addresses(view).length > 0 ? FIRST_ALERTS : NO_ALERTS
  }

  /** Resolves when the choice is durable. Conditions that hold already are reported at once. @throws the error of the write */
  async choose(account: string, choice: Choice): Promise<void> {
    const before = auditDetails(this.choiceOf(account))
    await this.#choices.set(account, choice)
    this.#parts.audit.record({ what: 'alerts', account, details: { ...auditDetails(choice), before } })
    this.#check(account)
  }

  async addEmailAlert(account: string, kind: AlertKind): Promise<void> {
    const choice = this.choiceOf(account)
    if (this.canEmail && !choice.email.includes(kind))
      await this.choose(account, { ...choice, email: [...choice.email, kind] })
  }

  get canEmail(): boolean {
    return this.#mailer !== null
  }

  /** Sends one email at once, without the outbox. @throws Error with the reason of the mail server */
  async email(email: Email): Promise<void> {
    if (this.#mailer === null) throw new Error('no SMTP_URL is set')
    await this.#mailer.send(email)
  }

  /** Returns the reason why an account gets no email, as a sentence; null if the account can get email. */
  emailProblem(account: AccountView): string | null {
    if (!this.canEmail) return 'The operator of this service has not set up email.'
    return this.addresses(account).length > 0
      ? null
      : 'No owner of this account has a confirmed email address.'
  }

  addresses(account: AccountView): string[] {
    return addressesOf(this.#parts.accounts, account, 'test')
  }

  /** Sends a test to every channel. Returns false if the last test was less than a minute ago. */
  sendTest({ id }: AccountView): boolean {
    const timeMs = Date.now()
    if (this.#outbox.isTooSoon(id, 'test', timeMs)) return false
    this.#outbox.add(id, 'test', [{ timeMs, subject: '', text: 'You requested this test.' }])
    return true
  }

  report(account: string, kind: Moment, text: string): void {
    this.#addFact(account, kind, { timeMs: Date.now(), subject: '', text })
  }

  #addFact(account: string, kind: AlertKind, fact: Fact): void {
    if (kindsOf(this.choiceOf(account)).has(kind)) this.#outbox.add(account, kind, [fact])
  }

  outcomes(account: string): readonly Outcome[] {
    return this.#outcomes.get(account) ?? []
  }

  /** Logs that the queue is full, at most once a minute. */
  #reportFull(): void {
    const nowMs = Date.now()
    if (Math.abs(nowMs - this.#fullMs) < MINUTE_MS) return
    this.#fullMs = nowMs
    this.#parts.log.warn('the alert queue is full: new alerts are dropped')
  }

  #check(id: string): void {
    const { accounts } = this.#parts
    const account = accounts.account(id)
    if (account === undefined) return
    const nowMs = Date.now()
    const wanted = kindsOf(this.choiceOf(id))
    for (const kind of Object.keys(ALERT_KINDS) as AlertKind[])
      if (!wanted.has(kind)) this.#outbox.forget(id, kind, nowMs)
    const keys = wanted.has('key.capped') || wanted.has('key.created') ? accounts.listKeys(id) : []
    for (const kind of CONDITIONS)
      if (wanted.has(kind)) this.#outbox.setCondition(id, kind, factsOf(kind, accounts, account, keys, nowMs))
    if (wanted.has('key.created')) this.#outbox.addNew(id, 'key.created', keys, createdFact)
  }

  #sendDue(nowMs: number): void {
    if (this.#outbox.isIdle) return
    for (const due of this.#outbox.startDue(nowMs, (account, kind) => this.#channels(account, kind))) {
      if (this.#inFlight.size >= IN_FLIGHT_MAX) return
      if (!this.#inFlight.has(due.account)) void this.#deliver(due)
    }
  }

  #channels(account: string, kind: MessageKind): Channel[] {
    const choice = this.choiceOf(account)
    const channels = Object.keys(CHANNELS) as Channel[]
    if (kind !== 'test') return channels.filter(channel => isOn(choice, channel, kind))
    const view = this.#parts.accounts.account(account)
    const canEmail = view !== undefined && this.emailProblem(view) === null
    return channels.filter(channel => (channel === 'email' ? canEmail : choice.webhook !== null))
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
      const attempts: Outcome[] = []
      for (const channel of sending.channels.filter(each => wanted.includes(each))) {
        const account = accounts.account(id)
        if (account === undefined) continue
        const error = await this.#send(channel, account, due).catch((error: Error) => error)
        if (this.#closing.signal.aborted) return
        if (error instanceof Error) {
          left.push(channel)
          log.warn({ account: id, kind, channel, err: error }, 'alert not delivered')
        }
        attempts.unshift({
          id: sending.id,
          timeMs: Date.now(),
          kind,
          channel,
          problem: problemOf(channel, error),
          attempts: sending.attempts + 1,
          nextMs: null,
        })
      }
      const nextMs = this.#outbox.endAttempt(due, left, Date.now())
      if (left.length > 0 && nextMs === null)
        log.warn({ account: id, kind, channels: left }, 'alert dropped after the last attempt')
      for (const outcome of attempts) if (outcome.problem !== null) outcome.nextMs = nextMs
      const isOther = (one: Outcome) =>
        !attempts.some(({ channel }) => one.id === sending.id && one.channel === channel)
      const latest = [...attempts, ...this.outcomes(id).filter(isOther)].slice(0, OUTCOMES_SHOWN)
      this.#outcomes.set(id, latest, 30 * DAY_MS)
    } finally {
      this.#inFlight.delete(id)
    }
  }

  async #send(channel: Channel, account: AccountView, { kind, sending }: Due): Promise<void> {
    const { origin, accounts } = this.#parts
    switch (channel) {
      case 'email': {
        const problem = this.emailProblem(account)
        if (problem !== null) throw new Error(problem)
        const { subject, text } = emailTexts(kind, account, sending, origin)
        return this.email({ id: sending.id, to: addressesOf(accounts, account, kind), subject, text })
      }
      case 'webhook': {
        const { webhook } = this.choiceOf(account.id)
        if (webhook === null) return
        const message = { id: sending.id, body: webhookBody(kind, account, sending) }
        const { allowPrivate } = this
        return sendWebhook(webhook, message, { allowPrivate, closing: this.#closing.signal })
      }
      default:
        channel satisfies never
    }
  }
}

/** Returns an error as the account sees it. Details of the operator's mail server are hidden. */
function problemOf(channel: Channel, error: unknown): string | null {
  if (!(error instanceof Error)) return null
  return channel === 'email' ? 'the mail server did not accept it' : error.message
}

/** Returns a choice for the audit log, without the address, which may hold a secret. */
function auditDetails({ email, webhook }: Choice) {
  const [byEmail, byWebhook] = [email, webhook?.kinds ?? []].map(kinds => kinds.join(', ') || 'none')
  return { email: byEmail, webhook: byWebhook }
}
