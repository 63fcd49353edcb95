/** Watches accounts and sends the alerts that they chose. */
import type { AccountView } from '../../billing/accounts/views.ts'
import { MINUTE_MS } from '../../platform/time.ts'
import { watchAccounts } from '../account-watch.ts'
import type { AuditLog } from '../audit/audit-log.ts'
import { type KeyedParts, lostText, openKeyedStore } from '../store/keyed-store.ts'
import { createdFact, factsOf, rolledFact } from './alert-conditions.ts'
import { type DeliveryParts, deliveryOf } from './delivery.ts'
import {
  type AlertKind,
  CHANNELS,
  CHOICE,
  type Channel,
  type Choice,
  CONDITIONS,
  type Fact,
  FIRST_ALERTS,
  isOn,
  KINDS,
  kindsOf,
  type MessageKind,
  type Moment,
  NO_ALERTS,
} from './kinds.ts'
import { type Due, ENTRY, openOutbox } from './outbox.ts'

/** Maximum number of accounts checked in one turn of the event loop, some 10 µs each. */
const CHECKS_PER_TURN = 80
const TURN_MS = 100
/** Maximum number of accounts that messages are sent for at a time. */
const IN_FLIGHT_MAX = 16

type AlertsParts = KeyedParts & DeliveryParts & { audit: AuditLog }

export type Alerts = Awaited<ReturnType<typeof openAlerts>>

export async function openAlerts(parts: AlertsParts) {
  const { accounts, audit, log, allowPrivate, operatorWebhook } = parts
  const choices = await openKeyedStore(parts, 'alerts', CHOICE)
  if (choices.isNew && (await audit.has('alerts'))) log.warn({ file: 'alerts.jsonl' }, lostText('alerts'))
  const entries = await openKeyedStore(parts, 'alerts-outbox', ENTRY)
  const delivery = deliveryOf(parts)
  const { canEmail, email, emailProblem, addresses, outcomes } = delivery
  const inFlight = new Set<string>()
  let fullMs = 0
  const outbox = openOutbox(entries, (problem, error) => {
    if (problem === 'full') reportFull()
    else log.error({ err: error }, 'the alert queue cannot be written: an alert may be sent twice')
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
    afterTurn: sendDue,
    turnMs: TURN_MS,
    checksPerTurn: CHECKS_PER_TURN,
  })
  // Rolling a key does not lengthen the list of keys, so this listens.
  const stopFollowing = accounts.onDeed(({ what, key }) => {
    const rolled = what === 'roll' && key !== null ? accounts.key(key) : undefined
    if (rolled !== undefined) addFact(rolled.account, 'key.created', rolledFact(rolled, Date.now()))
  })

  function choiceOf(account: string): Choice {
    const chosen = choices.get(account)
    if (chosen !== undefined) return chosen
    const view = canEmail ? accounts.account(account) : undefined
    return view !== undefined && addresses(view).length > 0 ? FIRST_ALERTS : NO_ALERTS
  }

  /** Resolves when the choice is durable. Conditions that hold already are reported at once. @throws the error of the write */
  async function choose(account: string, choice: Choice): Promise<void> {
    const before = auditDetails(choiceOf(account))
    await choices.set(account, choice)
    audit.record({ what: 'alerts', account, details: { ...auditDetails(choice), before } })
    check(account)
  }

  async function addEmailAlert(account: string, kind: AlertKind): Promise<void> {
    const choice = choiceOf(account)
    if (canEmail && !choice.email.includes(kind))
      await choose(account, { ...choice, email: [...choice.email, kind] })
  }

  /** Sends a test to every channel. Returns false if the last test was less than a minute ago. */
  function sendTest({ id }: AccountView): boolean {
    const timeMs = Date.now()
    if (outbox.isTooSoon(id, 'test', timeMs)) return false
    outbox.add(id, 'test', [{ timeMs, subject: '', text: 'You requested this test.' }])
    return true
  }

  function report(account: string, kind: Moment, text: string): void {
    addFact(account, kind, { timeMs: Date.now(), subject: '', text })
  }

  function addFact(account: string, kind: AlertKind, fact: Fact): void {
    if (kindsOf(choiceOf(account)).has(kind)) outbox.add(account, kind, [fact])
  }

  function reportFull(): void {
    const nowMs = Date.now()
    if (Math.abs(nowMs - fullMs) < MINUTE_MS) return
    fullMs = nowMs
    log.warn('the alert queue is full: new alerts are dropped')
  }

  function check(id: string): void {
    const account = accounts.account(id)
    if (account === undefined) return
    const nowMs = Date.now()
    const wanted = kindsOf(choiceOf(id))
    for (const kind of KINDS) if (!wanted.has(kind)) outbox.forget(id, kind, nowMs)
    const keys = wanted.has('key.capped') || wanted.has('key.created') ? accounts.listKeys(id) : []
    for (const kind of CONDITIONS)
      if (wanted.has(kind)) outbox.setCondition(id, kind, factsOf(kind, accounts, account, keys, nowMs))
    if (operatorWebhook !== null)
      outbox.setCondition(id, 'operator', factsOf('balance.low', accounts, account, [], nowMs))
    if (wanted.has('key.created')) outbox.addNew(id, 'key.created', keys, createdFact)
  }

  function sendDue(nowMs: number): void {
    if (outbox.isIdle) return
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
    const tried =
      account === undefined ? [] : await delivery.attempt(account, due, channels, choiceOf(id).webhook)
    if (tried === null) return
    const left = tried.filter(({ problem }) => problem !== null).map(({ channel }) => channel)
    const nextMs = outbox.endAttempt(due, left, Date.now())
    if (left.length > 0 && nextMs === null)
      log.warn({ account: id, kind, channels: left }, 'alert dropped after the last attempt')
    delivery.keepOutcomes(due, tried, nextMs)
  }

  return {
    allowPrivate,
    canEmail,
    choiceOf,
    choose,
    addEmailAlert,
    email,
    emailProblem,
    addresses,
    sendTest,
    report,
    outcomes,
    /** Stops. A message in flight is sent again after the next start. */
    async close(): Promise<void> {
      watch.close()
      stopFollowing()
      delivery.close()
      await choices.close()
      await entries.close()
    },
  }
}

/** Returns a choice for the audit log, without the address, which may hold a secret. */
function auditDetails({ email, webhook }: Choice) {
  const [byEmail, byWebhook] = [email, webhook?.kinds ?? []].map(kinds => kinds.join(', ') || 'none')
  return { email: byEmail, webhook: byWebhook }
}
