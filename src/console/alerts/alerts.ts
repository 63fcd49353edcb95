/** Watches accounts, and sends the alerts that they chose by email and to webhooks. */
import type { Accounts } from '../../billing/accounts/accounts.ts'
import type { AccountView } from '../../billing/accounts/views.ts'
import type { Log } from '../../platform/log.ts'
import type { SmtpSettings } from '../../platform/settings/config.ts'
import { DAY_MS, MINUTE_MS } from '../../platform/time.ts'
import { watchAccounts } from '../account-watch.ts'
import type { AuditLog } from '../audit/audit-log.ts'
import { type KeyedParts, lostText, openKeyedStore } from '../store/keyed-store.ts'
import { plural, utcMinute } from '../words.ts'
import { CONDITIONS, emailTexts, FACTS, keyFact, operatorBody, webhookBody } from './alert-conditions.ts'
import type { AlertKind, Channel, Choice, Fact, MessageKind } from './alert-kinds.ts'
import { CHANNELS, CHOICE, FIRST_ALERTS, isOn, KINDS, kindsOf, NO_ALERTS } from './alert-kinds.ts'
import { addressesOf, createMailer, type Email } from './email.ts'
import { createOutbox, type Due, ENTRY, failedIn, type Tried } from './outbox.ts'
import { sendWebhook } from './webhook.ts'

/** Maximum number of accounts checked in one round, which blocks the event loop: some 10 µs each. */
const CHECKS_PER_ROUND = 80
const ROUND_MS = 100
/** Maximum number of accounts that messages are sent for at a time. */
const IN_FLIGHT_MAX = 16
const CONCERNED_MAX = 3

interface AlertsParts extends KeyedParts {
  accounts: Accounts
  audit: AuditLog
  log: Log
  origin: string
  smtp: SmtpSettings | null
  /** True if webhooks of customers may have private addresses. */
  allowPrivate: boolean
  /** Gets a message when a balance falls below the threshold of its account. */
  operatorWebhook: { url: string; secret: string } | null
}

export type Alerts = Awaited<ReturnType<typeof openAlerts>>

export async function openAlerts(parts: AlertsParts) {
  const { accounts, audit, log, origin, smtp, allowPrivate, operatorWebhook } = parts
  const choices = await openKeyedStore(parts, 'alerts', CHOICE)
  if (choices.isNew && (await audit.has('alerts'))) log.warn({ file: 'alerts.jsonl' }, lostText('alerts'))
  const entries = await openKeyedStore(parts, 'alerts-outbox', ENTRY)
  const mailer = smtp === null ? null : createMailer(smtp)
  const canEmail = mailer !== null
  const closing = new AbortController()
  const inFlight = new Set<string>()
  let fullMs = 0
  /** Times of messages that were given up, by account, until one of the account is accepted. */
  const dropped = new Map<string, number>()
  /** The last problem of customers' alerts, and that of the operator's webhook. */
  const lastProblems = { customer: '', operator: '' }
  const outbox = createOutbox(entries, (problem, error) => {
    if (problem === 'unwritten')
      return log.error({ err: error }, 'the alert queue cannot be written: an alert may be sent twice')
    if (Math.abs(Date.now() - fullMs) < MINUTE_MS) return
    fullMs = Date.now()
    log.warn('the alert queue is full: new alerts are dropped')
  })
  // An account without a choice has its first alerts by email.
  const watchesAll = canEmail || operatorWebhook !== null
  const watch = watchAccounts({
    accounts,
    log,
    // A balance may have fallen while no server ran.
    atStart: watchesAll ? accounts.listAccounts().map(({ id }) => id) : [],
    watched: () => choices.keys(),
    isWatched: id => watchesAll || choices.get(id) !== undefined,
    check,
    afterRound: sendDue,
    roundMs: ROUND_MS,
    checksPerRound: CHECKS_PER_ROUND,
  })
  const stopFollowing = accounts.onAudited(({ what, key: id }) => {
    const key = accounts.key(id ?? '')
    if (key !== undefined && (what === 'key' || what === 'roll'))
      addFact(key.account, 'key.created', keyFact(key, what === 'roll'))
  })

  function choiceOf(account: string): Choice {
    const chosen = choices.get(account)
    if (chosen !== undefined) return chosen
    const view = canEmail ? accounts.account(account) : undefined
    return view !== undefined && addresses(view).length > 0 ? FIRST_ALERTS : NO_ALERTS
  }

  /** Reports conditions that hold already. Resolves when it is durable. @throws the error of the write */
  async function choose(account: string, choice: Choice): Promise<void> {
    const earlier = choiceOf(account)
    await choices.set(account, choice)
    const before = auditDetails(earlier)
    audit.record({ what: 'alerts', account, details: { ...auditDetails(choice, earlier), before } })
    check(account)
  }

  function addFact(account: string, kind: AlertKind, fact: Fact): void {
    if (kindsOf(choiceOf(account)).has(kind)) outbox.add(account, kind, [fact])
  }

  function check(id: string): void {
    const account = accounts.account(id)
    if (account === undefined) return
    const nowMs = Date.now()
    const wanted = kindsOf(choiceOf(id))
    for (const kind of KINDS) if (!wanted.has(kind)) outbox.forget(id, kind, nowMs)
    const state = { accounts, account, timeMs: nowMs }
    for (const kind of CONDITIONS) if (wanted.has(kind)) outbox.setCondition(id, kind, FACTS[kind](state))
    if (operatorWebhook !== null) outbox.setCondition(id, 'operator', FACTS['balance.low'](state))
  }

  function sendDue(nowMs: number): void {
    for (const due of outbox.startDue(nowMs, channelsOf)) {
      if (inFlight.size >= IN_FLIGHT_MAX) return
      if (inFlight.has(due.account)) continue
      inFlight.add(due.account)
      void deliver(due).finally(() => inFlight.delete(due.account))
    }
  }

  function channelsOf(account: string, kind: MessageKind): Channel[] {
    if (kind === 'operator') return operatorWebhook === null ? [] : ['webhook']
    const choice = choiceOf(account)
    const channels = Object.keys(CHANNELS) as Channel[]
    if (kind !== 'test') return channels.filter(channel => isOn(choice, channel, kind))
    const view = accounts.account(account)
    const isReachable = view !== undefined && emailProblem(view) === null
    return channels.filter(channel => (channel === 'email' ? isReachable : choice.webhook !== null))
  }

  async function deliver(due: Due): Promise<void> {
    const { account: id, kind, sending } = due
    // The entry is on the disk before the first byte leaves.
    await entries.untilWritten()
    const account = accounts.account(id)
    const wanted = channelsOf(id, kind)
    const channels = sending.channels.filter(channel => wanted.includes(channel))
    const tried = account === undefined ? [] : await attempt(account, due, channels)
    if (tried === null) return
    const left = failedIn(tried)
    const nextMs = outbox.endAttempt(due, tried, Date.now())
    if (left.length === 0) dropped.delete(id)
    else if (nextMs === null && kind !== 'test') {
      log.warn({ account: id, kind, channels: left }, 'alert dropped after the last attempt')
      dropped.set(id, Date.now())
    }
  }

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

  const addresses = (account: AccountView) => addressesOf(accounts, account, 'test')

  /** Returns the last attempts at alerts of each kind and at a test by each channel, the newest first. */
  function lastTried(account: string) {
    const channels = channelsOf(account, 'test')
    const all = ([...KINDS, 'test'] as const).flatMap(kind => outbox.triedOf(account, kind))
    return all.filter(({ channel }) => channels.includes(channel)).sort((a, b) => b.timeMs - a.timeMs)
  }

  /** Tries each channel once. Returns null if the service stops meanwhile. */
  async function attempt(account: AccountView, due: Due, channels: Channel[]): Promise<Tried[] | null> {
    const tried: Tried[] = []
    for (const channel of channels) {
      const error = await send(channel, account, due).catch((error: Error) => error)
      if (closing.signal.aborted) return null
      if (error) {
        log.warn({ account: account.id, kind: due.kind, channel, err: error }, 'alert not delivered')
        const remedy = channel === 'email' ? 'Check SMTP_URL.' : 'Check the address of the webhook.'
        if (due.kind === 'operator') lastProblems.operator = error.message
        else if (due.kind !== 'test')
          lastProblems.customer = `${due.kind} by ${channel}: ${error.message}. ${remedy}`
      }
      tried.push({
        timeMs: Date.now(),
        channel,
        problem: error ? problemOf(channel, error) : null,
      })
    }
    return tried
  }

  async function send(channel: Channel, account: AccountView, { kind, sending }: Due): Promise<void> {
    const { id } = sending
    const isOwn = kind === 'operator'
    if (channel === 'email' && !isOwn) {
      const problem = emailProblem(account)
      if (problem !== null) throw new Error(problem)
      const texts = emailTexts(kind, account, sending, origin)
      return email({ id, to: addressesOf(accounts, account, kind), ...texts })
    }
    const webhook = isOwn ? operatorWebhook : choiceOf(account.id).webhook
    const body = isOwn ? operatorBody(account) : webhookBody(kind, account, sending)
    const rules = { allowPrivate: isOwn || allowPrivate, closing: closing.signal }
    if (webhook !== null) await sendWebhook(webhook, { id, body }, rules)
  }

  return {
    allowPrivate,
    canEmail,
    choiceOf,
    choose,
    email,
    emailProblem,
    addresses,
    isTesting: (account: string) => outbox.isActive(account, 'test'),
    lastTried,
    async addEmailAlert(account: string, kind: AlertKind): Promise<void> {
      const choice = choiceOf(account)
      if (canEmail && !choice.email.includes(kind))
        await choose(account, { ...choice, email: [...choice.email, kind] })
    },
    /** Sends a test to every channel. Returns 0, or how long to wait after the last test. */
    sendTest({ id }: AccountView): number {
      const timeMs = Date.now()
      const waitMs = outbox.waitMsOf(id, 'test', timeMs)
      if (waitMs === 0) outbox.add(id, 'test', [{ timeMs, subject: '', text: 'You requested this test.' }])
      return waitMs
    },
    report(account: string, kind: AlertKind, text: string): void {
      addFact(account, kind, { timeMs: Date.now(), subject: '', text })
    },
    /** Returns a sentence about a channel that did not deliver its last alert; `''` if all did. */
    failure(account: string): string {
      const tried = lastTried(account)
      const newestOf = (of: Channel) => tried.find(({ channel }) => channel === of)
      const failed = channelsOf(account, 'test')
        .map(newestOf)
        .find(each => each?.problem)
      if (failed === undefined) return ''
      const { channel, problem } = failed
      return `The last alert could not be delivered by ${CHANNELS[channel].toLowerCase()}: ${problem}.`
    },
    /** Returns sentences for operators about undelivered messages, and their accounts; `''` for none. */
    concern(nowMs: number) {
      const all = outbox.failing()
      const failing = all.filter(({ kind }) => kind !== 'operator')
      const own = all.filter(({ kind }) => kind === 'operator')
      for (const [id, ms] of dropped) if (ms <= nowMs - DAY_MS) dropped.delete(id)
      const timeOf = (ms: number) => `${utcMinute(ms)} UTC`
      const oldestOf = (some: typeof all) => timeOf(Math.min(...some.map(({ timeMs }) => timeMs)))
      const texts = [
        failing.length > 0 &&
          `${plural(failing.length, 'alert')} could not be delivered and will be sent again, the oldest since ${oldestOf(failing)}.`,
        dropped.size > 0 &&
          `Alerts of ${plural(dropped.size, 'account')} were given up, the last at ${timeOf(Math.max(...dropped.values()))}.`,
      ].filter(text => text)
      const ids = [...new Set([...failing.map(({ account }) => account), ...dropped.keys()])]
      const { customer, operator } = lastProblems
      return {
        text: texts.length === 0 ? '' : [...texts, customer && `Last problem: ${customer}`].join(' '),
        /** About the operator's own webhook. */
        operator:
          own.length === 0
            ? ''
            : `Your webhook at LOW_BALANCE_WEBHOOK_URL does not accept ${plural(own.length, 'message')}, which will be sent again, the oldest since ${oldestOf(own)}. ${operator}`,
        accounts: ids.slice(0, CONCERNED_MAX).flatMap(id => accounts.account(id) ?? []),
        more: Math.max(0, ids.length - CONCERNED_MAX),
      }
    },
    /** Stops. A message in flight is sent again after the next start. */
    async close(): Promise<void> {
      watch.close()
      stopFollowing()
      closing.abort()
      mailer?.close()
      await choices.close()
      await entries.close()
    },
  }
}

/** Returns an error as the account sees it. Details of the operator's mail server are hidden. */
function problemOf(channel: Channel, error: NodeJS.ErrnoException): string {
  if (channel === 'email') return 'the mail server did not accept it: tell the operator'
  return error.code === 'EPROTO' ? 'the address did not answer with TLS' : error.message
}

/** Returns a choice for the audit log. Of the address it has only the host: the rest may hold a secret. */
function auditDetails({ email, webhook }: Choice, earlier?: Choice) {
  const [byEmail, byWebhook] = [email, webhook?.kinds ?? []].map(kinds => kinds.join(', ') || 'none')
  const host = webhook === null ? '' : new URL(webhook.url).host
  const [old, now] = [earlier?.webhook ?? webhook, webhook]
  const changed = [old?.url !== now?.url && 'new address', old?.secret !== now?.secret && 'new secret']
  return { email: byEmail, webhook: byWebhook, host, changed: changed.filter(Boolean).join(', ') }
}
