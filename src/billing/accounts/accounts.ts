import type { MessagePort } from 'node:worker_threads'
import type { AccountRecord, Identity, KeyRecord } from '../ledger/book/record.ts'
import { openLedger } from '../ledger/ledger.ts'
import type { Timeline } from '../ledger/timeline.ts'
import type { Change } from './audited-changes.ts'
import { Charging } from './charging/charging.ts'
import type { Limited } from './charging/limited.ts'
import type { SharedKey } from './charging/shared-key.ts'
import { attachThread, type LedgerCalls, type ThreadShare } from './charging/thread-charging.ts'
import * as onAccount from './commands/change-account.ts'
import { adjust, type CreditResult, closeAccount, credit } from './commands/change-balance.ts'
import * as onKey from './commands/change-key.ts'
import { type AccountsOptions, CommandContext } from './commands/command-context.ts'
import { LedgerStore } from './ledger-store.ts'
import { LiveState } from './live/live-state.ts'
import { type AccountSearch, activityOf, paceOf, searchAccounts } from './reports/account-search.ts'
import { serviceUsage, statement, usageReport } from './reports/usage-report.ts'
import { type Teams, teamsOf } from './teams.ts'
import {
  type AccountView,
  type AdjustRequest,
  accountView,
  type CreditRequest,
  type KeyRulesView,
  type KeyView,
  keyView,
  type NewKey,
  NO_RULES,
  type ServiceUsage,
  type StatementRow,
  type UsageQuery,
  type UsageRow,
} from './views.ts'

export type { NewAccount } from './commands/change-account.ts'
export type { AccountsOptions } from './commands/command-context.ts'

type CommandOn<Record, Rest extends unknown[]> = (
  context: CommandContext,
  record: Record,
  ...rest: Rest
) => Promise<void>

/** Accounts, keys and balances, on the ledger thread. Any thread may charge. Accounts are named by id or email. */
export class Accounts {
  readonly charging: Charging
  readonly teams: Teams
  readonly timeline: Timeline
  readonly #context: CommandContext
  readonly #calls: LedgerCalls
  #threads = 0

  constructor(context: CommandContext) {
    const { ledger, live, store } = context
    const { timeline } = ledger
    this.#calls = {
      wake: () => context.flusher.wake(),
      lease: (shortfall, msMax) => store.lease(shortfall, msMax),
    }
    const ends = { thread: 0, close: () => {}, ...this.#calls }
    this.charging = new Charging({ live, rows: ledger.meter.rows, timeline, ...ends })
    this.timeline = timeline
    this.teams = teamsOf(context, account => this.#accountView(account))
    this.#context = context
  }

  static async open(options: AccountsOptions): Promise<Accounts> {
    return new Accounts(await openContext(options))
  }

  /** Attaches a thread until `port` closes. The thread calls `openCharging` with the result and the other end of `port`. */
  attach(port: MessagePort): ThreadShare {
    const { ledger, live } = this.#context
    return attachThread(++this.#threads, port, ledger, live, this.#calls)
  }

  get healthy(): boolean {
    return this.charging.healthy
  }

  /** Stops charging, flushes, syncs, releases the lock. Other threads must have closed: the memory of the meter is freed. */
  async close(): Promise<void> {
    const { flusher, ledger, store } = this.#context
    this.#context.stop()
    try {
      await flusher.drain()
    } finally {
      flusher.stop()
      await store.close()
      await ledger.close()
    }
  }

  syncState() {
    return this.#context.ledger.log.syncState()
  }

  /** Reads the newest commits of a fleet into the book. @throws AccountError UNAVAILABLE */
  catchUp(): Promise<void> {
    return this.#context.store.catchUp()
  }

  listAccounts(): AccountView[] {
    return this.#context.registry.accounts().map(account => this.#accountView(account))
  }

  search(search: AccountSearch) {
    const { accounts, ...found } = searchAccounts(this.#context.registry, search)
    return {
      ...found,
      accounts: accounts.map(account => ({ ...this.#accountView(account), ...activityOf(account) })),
    }
  }

  account(idOrEmail: string): AccountView | undefined {
    const account = this.#context.registry.account(idOrEmail)
    return account && this.#accountView(account)
  }

  accountAt(slot: number): AccountView {
    return this.#accountView(this.#context.book.account(slot))
  }

  /** Returns the number of an account on the server threads. @throws ACCOUNT_NOT_FOUND */
  slotOf(idOrEmail: string): number {
    return this.#context.account(idOrEmail).slot
  }

  /** Returns the number of a key on the server threads. @throws KEY_NOT_FOUND */
  keySlotOf(id: string): number {
    return this.#context.key(id).slot
  }

  /** Returns the queries of the current windows; zeros without limits. @throws ACCOUNT_NOT_FOUND */
  currentQueries(idOrEmail: string): Limited {
    return this.charging.currentQueries(this.#context.account(idOrEmail).slot)
  }

  accountByIdentity(issuer: string, subject: string): AccountView | undefined {
    const account = this.#context.registry.accountByIdentity(issuer, subject)
    return account && this.#accountView(account)
  }

  identities(account: string): readonly Identity[] {
    return this.#context.account(account).identities
  }

  readonly linkIdentity = this.#onAccount(onAccount.linkIdentity)
  readonly setLimits = this.#onAccount(onAccount.setLimits)
  readonly setLowBalance = this.#onAccount(onAccount.setLowBalance)
  readonly setNote = this.#onAccount(onAccount.setNote)
  readonly suspend = this.#onAccount((context, account, reason: string) =>
    onAccount.changeStanding(context, account, 'suspended', reason),
  )
  readonly resume = this.#onAccount((context, account, reason: string) =>
    onAccount.changeStanding(context, account, 'resumed', reason),
  )
  readonly renameKey = this.#onKey(onKey.renameKey)
  readonly revokeKey = this.#onKey(onKey.revokeKey)
  readonly switchKey = this.#onKey(onKey.switchKey)
  readonly setKeyCap = this.#onKey(onKey.setKeyCap)
  readonly setKeyRules = this.#onKey(onKey.setKeyRules)
  readonly endKeyOverlap = this.#onKey(onKey.endKeyOverlap)

  async createAccount(options: onAccount.NewAccount): Promise<AccountView> {
    return this.#accountView(await this.#context.run(context => onAccount.createAccount(context, options)))
  }

  credit(request: CreditRequest): Promise<CreditResult> {
    return this.#context.run(context => credit(context, request))
  }

  adjust(request: AdjustRequest): Promise<CreditResult> {
    return this.#context.run(context => adjust(context, request), request.account)
  }

  /** Refuses all keys for ever, and takes the balance. A repetition changes nothing and returns the same micros. */
  async closeAccount(account: string, reason: string): Promise<AccountView & { takenMicros: number }> {
    const takenMicros = await this.#context.run(
      context => closeAccount(context, context.account(account), reason),
      account,
    )
    return { ...this.#accountView(this.#context.account(account)), takenMicros }
  }

  async createKey(
    account: string,
    {
      label = '',
      rules = NO_RULES,
      id = onKey.newKeyId(),
    }: { label?: string; rules?: KeyRulesView; id?: string } = {},
  ): Promise<NewKey> {
    const created = this.#context.run(context => onKey.createKey(context, account, { label, rules, id }))
    return this.#newKey(await created)
  }

  /** @param from start of the secret to replace; by default the present one @throws REPEATED if another secret is present */
  async rollKey(keyId: string, overlapMs: number, from?: string): Promise<NewKey> {
    const rolled = await this.#context.run(context => {
      const key = context.key(keyId)
      return onKey.rollKey(context, key, overlapMs, from ?? key.start)
    })
    return this.#newKey(rolled)
  }

  chargedQueries(): { usage: string; queries: number }[] {
    const { charged } = this.#context.flusher
    return this.#context.usageClasses.map(({ name }, i) => ({ usage: name, queries: charged[i] }))
  }

  /** Returns usage per key, oldest first: at least 48 hours by hour and 90 days by day. @throws ACCOUNT_NOT_FOUND */
  usage(account: string, query: UsageQuery): UsageRow[] {
    return usageReport(this.#booked(account), query, this.#context.usageClasses)
  }

  /** Returns the spending a day, and how it is known. @throws ACCOUNT_NOT_FOUND */
  pace(account: string, nowMs: number) {
    return paceOf(this.#booked(account), nowMs)
  }

  serviceUsage(): Promise<ServiceUsage> {
    return serviceUsage(this.#context.registry, this.timeline.nowMs())
  }

  statement(account: string): StatementRow[] {
    return statement(this.#booked(account), this.timeline.nowMs())
  }

  /** Returns the account, amount and time of the entry with a reference; null if it is free. */
  entryOf(reference: string) {
    const used = this.#context.book.references.get(reference)
    if (used === undefined) return null
    const { timeMs, balanceMicros, debtMicros } = used.entry
    return { email: used.account.email, micros: balanceMicros - debtMicros, timeMs }
  }

  /** Flushes all charges to the ledger. Resolves with the last durable sequence number, for a backup. */
  async makeDurable(): Promise<number> {
    await this.#context.flusher.flushWaiting()
    await this.#context.ledger.untilDurable()
    return this.#context.ledger.log.durableSequence
  }

  listKeys(account: string): KeyView[] {
    return this.#context.registry.keysOf(this.#context.account(account)).map(key => this.#keyView(key))
  }

  key(keyId: string): KeyView | undefined {
    const key = this.#context.registry.key(keyId)
    return key && this.#keyView(key)
  }

  viewOf({ slot }: Pick<SharedKey, 'slot'>): KeyView {
    return this.#keyView(this.#context.book.key(slot))
  }

  /** Calls `listener` with the ids of accounts after each durable change. Returns a function that removes it. */
  onChange(listener: (accounts: string[]) => void): () => void {
    return this.#context.store.listeners.add(listener)
  }

  onAudited(listener: (change: Change) => void): () => void {
    return this.#context.audited.add(listener)
  }

  #onAccount<Rest extends unknown[]>(command: CommandOn<AccountRecord, Rest>) {
    return async (idOrEmail: string, ...rest: Rest): Promise<AccountView> => {
      await this.#context.run(context => command(context, context.account(idOrEmail), ...rest))
      return this.#accountView(this.#context.account(idOrEmail))
    }
  }

  #onKey<Rest extends unknown[]>(command: CommandOn<KeyRecord, Rest>) {
    return async (id: string, ...rest: Rest): Promise<KeyView> => {
      await this.#context.run(context => command(context, context.key(id), ...rest))
      return this.#keyView(this.#context.key(id))
    }
  }

  #newKey({ key, secret }: onKey.WithSecret): NewKey {
    return { ...this.#keyView(key), key: secret }
  }

  #booked(idOrEmail: string): AccountRecord {
    const account = this.#context.account(idOrEmail)
    this.#context.bookUsage(account)
    return account
  }

  #accountView(account: AccountRecord): AccountView {
    this.#context.bookUsage(account)
    return accountView(account)
  }

  #keyView(key: KeyRecord): KeyView {
    this.#context.bookUsage(key.account)
    return keyView(key, this.#context)
  }
}

/** Opens the ledger of a single node, and makes the live state from it. @throws LedgerError */
export async function openContext(options: AccountsOptions): Promise<CommandContext> {
  const ledger = await openLedger(options)
  const live = LiveState.for(ledger.meter.slotsMax)
  return new CommandContext(ledger, new LedgerStore(ledger, live), live, options)
}
