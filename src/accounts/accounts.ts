/** Accounts, keys and balances: rebuilt from the ledger at opening, charged by any number of threads. */
import type { MessagePort } from 'node:worker_threads'
import type { AccountRecord } from '../ledger/book/record.ts'
import type { Ledger } from '../ledger/ledger.ts'
import type { SyncState } from '../ledger/sync-watch.ts'
import { AccountKeys } from './account-keys.ts'
import type { UsageAhead } from './account-store.ts'
import { SharedAccount } from './charging/shared-account.ts'
import type { ThreadShare } from './charging/thread-share.ts'
import {
  createAccount,
  type Identity,
  linkIdentity,
  type NewAccount,
  setLimits,
  setLowBalance,
} from './commands/account-commands.ts'
import type { CommandContext } from './commands/command-context.ts'
import { adjust, credit } from './commands/credit-commands.ts'
import { closeAccount, resumeAccount, suspendAccount } from './commands/standing-commands.ts'
import type { Deed } from './deeds.ts'
import { type LockWaits, lockWaits } from './live/lock.ts'
import { type AccountsOptions, type AccountsParts, openAccounts } from './open-accounts.ts'
import { activityOf, searchAccounts } from './reports/account-search.ts'
import { accountView } from './reports/account-view.ts'
import { serviceUsage } from './reports/service-usage.ts'
import { freeCreditMicros, statement, usageReport } from './reports/usage-report.ts'
import { Teams } from './teams.ts'
import { type RateLimits, USAGE_CLASSES } from './types.ts'
import type {
  AccountPage,
  AccountSearch,
  AccountView,
  AdjustRequest,
  Change,
  CreditRequest,
  CreditResult,
  PresentUse,
  ServiceUsage,
  StatementRow,
  UsageQuery,
  UsageRow,
} from './views.ts'

export type { Identity, NewAccount } from './commands/account-commands.ts'

export type { AccountsOptions } from './open-accounts.ts'

/**
 * Everything that is known of accounts, on the ledger thread. Reads are synchronous; commands resolve after their sync and
 * reject with an `AccountError`. Wherever an account is asked for, its id or its email will do. It charges as other threads
 * do, as thread 0. After `close`, nothing may be called.
 */
export class Accounts extends AccountKeys {
  protected readonly ledger: Ledger
  /** Who may act for which account. */
  readonly teams: Teams
  readonly #context: CommandContext
  readonly #usage: UsageAhead
  readonly #freeAnswersMax: number
  /** Ends charging on every thread. */
  readonly #stop: () => void
  readonly #leave: () => Promise<void>

  /** @param parts of `openAccounts`, or of the node of a fleet */
  constructor({ ledger, context, usage, live, freeAnswersMax, lease, stop, leave }: AccountsParts) {
    const { timeline, meter } = ledger
    const charging = { live, rows: meter.rows, timeline, thread: 0, freeAnswersMax, lease }
    super({ ...charging, wake: () => context.flusher.wake() }, context, usage)
    this.ledger = ledger
    this.#context = context
    this.teams = new Teams(context, account => this.#accountView(account))
    this.#usage = usage
    this.#freeAnswersMax = freeAnswersMax
    this.#stop = stop
    this.#leave = leave
  }

  /** Opens the ledger under its lock and rebuilds all state. @throws LedgerError naming file, offset and remedy. */
  static async open(options: AccountsOptions): Promise<Accounts> {
    return new Accounts(await openAccounts(options))
  }

  /**
   * Attaches a thread that charges: it opens a `SharedCharging` with what this returns, which is structured-cloneable, and the
   * other end of `port`. The thread is attached until the port closes.
   */
  attach(port: MessagePort): ThreadShare {
    return this.#context.threads.attach(port, this.#freeAnswersMax)
  }

  /**
   * Charges nothing more, flushes, syncs and releases the lock. Commands in progress are finished first. Other threads must
   * have closed what they opened: the memory of the meter is gone afterwards.
   */
  async close(): Promise<void> {
    const { flusher, threads } = this.#context
    this.#stop()
    try {
      await flusher.drain()
    } finally {
      flusher.stop()
      threads.close()
      await this.#leave()
      await this.ledger.close()
    }
  }

  /** How old the oldest usage or command is that is not synced, and how long syncs have taken. For metrics. */
  syncState(): SyncState {
    return this.ledger.syncState()
  }

  /** How often any thread found the lock of an account taken, and how often so long that it slept. For metrics. */
  lockWaits(): LockWaits {
    return lockWaits(this.live.header)
  }

  /** @throws EMAIL_TAKEN, IDENTITY_TAKEN, TOO_MANY_ACCOUNTS, INVALID_… */
  async createAccount(account: NewAccount): Promise<AccountView> {
    return this.#accountView(await this.#context.run(context => createAccount(context, account)))
  }

  /** Oldest first. */
  listAccounts(): AccountView[] {
    return this.#context.registry.accounts().map(account => this.#accountView(account))
  }

  /** One page of the accounts that match. For operators. */
  search(search: AccountSearch): AccountPage {
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

  /** The number of an account in the ledger, by which the server threads know it. @throws ACCOUNT_NOT_FOUND */
  slotOf(idOrEmail: string): number {
    return this.#context.account(idOrEmail).slot
  }

  /** Queries counted in the present windows; zeros while rate limiting is off. @throws ACCOUNT_NOT_FOUND */
  presentUse(idOrEmail: string): PresentUse {
    const { slot } = this.#context.account(idOrEmail)
    const account = new SharedAccount(this.live, slot)
    if (account.limits === null) return { minute: 0, hour: 0, day: 0 }
    // Nothing asked for is nothing counted, but windows that have passed end here.
    this.admitQueries(account, null, 0)
    return { minute: account.currentMinute, hour: account.currentHour, day: account.currentDay }
  }

  accountByIdentity(issuer: string, subject: string): AccountView | undefined {
    const account = this.#context.registry.accountByIdentity(issuer, subject)
    return account && this.#accountView(account)
  }

  /** The sign-ins linked to an account, oldest first. @throws ACCOUNT_NOT_FOUND */
  identities(account: string): readonly Identity[] {
    return this.#context.account(account).identities
  }

  /** Linking the same pair to the same account again changes nothing. @throws IDENTITY_TAKEN */
  async linkIdentity(account: string, identity: Identity): Promise<AccountView> {
    return this.#accountView(await this.#context.run(context => linkIdentity(context, account, identity)))
  }

  /** Adds money. A debt is paid first. @throws REFERENCE_CONFLICT, BALANCE_TOO_HIGH, INVALID_… */
  credit(request: CreditRequest): Promise<CreditResult> {
    return this.#context.run(context => credit(context, request))
  }

  /** Takes money back; what exceeds the available balance becomes a debt. @throws REFERENCE_CONFLICT, INVALID_… */
  adjust(request: AdjustRequest): Promise<CreditResult> {
    return this.#context.run(context => adjust(context, request), request.account)
  }

  /** Null switches rate limiting off. */
  async setLimits(account: string, limits: RateLimits | null): Promise<AccountView> {
    return this.#accountView(await this.#context.run(context => setLimits(context, account, limits)))
  }

  /** The dashboard's warning threshold; null: none. */
  async setLowBalance(account: string, micros: number | null): Promise<AccountView> {
    return this.#accountView(await this.#context.run(context => setLowBalance(context, account, micros)))
  }

  /** The next request with any of its keys is refused. The actor of the moment is noted. @throws ACCOUNT_CLOSED, INVALID_REASON */
  async suspend(account: string, reason: string): Promise<AccountView> {
    return this.#accountView(await this.#context.run(context => suspendAccount(context, account, reason)))
  }

  /** Its keys work again, except revoked ones. @throws ACCOUNT_CLOSED, INVALID_REASON */
  async resume(account: string, reason: string): Promise<AccountView> {
    return this.#accountView(await this.#context.run(context => resumeAccount(context, account, reason)))
  }

  /** Its keys are refused for good, and what is left of its balance is taken. @throws REFERENCE_CONFLICT, INVALID_REASON */
  async closeAccount(account: string, reason: string): Promise<AccountView> {
    return this.#accountView(
      await this.#context.run(context => closeAccount(context, account, reason), account),
    )
  }

  /** Queries charged since the start, up to the last flush, by the names of their usage classes. For metrics. */
  chargedQueries(): { usage: string; queries: number }[] {
    const { charged } = this.#context.flusher
    return USAGE_CLASSES.map((usage, i) => ({ usage, queries: charged[i] }))
  }

  /** Usage per key, oldest first: at least 48 hours by hour and 90 days by day. @throws ACCOUNT_NOT_FOUND */
  usage(account: string, query: UsageQuery): UsageRow[] {
    return usageReport(this.#flushed(account), query)
  }

  /** What all accounts together have used in 90 days. Takes about a second for 200,000 keys, in small turns. */
  serviceUsage(): Promise<ServiceUsage> {
    return serviceUsage(this.#context.registry, this.timeline.nowMs())
  }

  /** Every credit, adjustment and day of usage, oldest first. @throws ACCOUNT_NOT_FOUND */
  statement(account: string): StatementRow[] {
    return statement(this.#flushed(account), this.timeline.nowMs())
  }

  /** What the account was given for nothing, in micro-dollars. @throws ACCOUNT_NOT_FOUND */
  freeCreditMicros(account: string): number {
    return freeCreditMicros(this.#context.account(account))
  }

  /**
   * Brings every charge made so far into the ledger. Resolves with the last durable sequence number, for a backup.
   * @throws what the write or sync failed with
   */
  async makeDurable(): Promise<number> {
    await this.#context.flusher.flushWaiting()
    await this.ledger.settled()
    return this.ledger.durableSequence
  }

  /** Calls `listener` after each durable change; returns a function that ends it. */
  onChange(listener: (change: Change) => void): () => void {
    return this.#context.listeners.add(listener)
  }

  /** Calls `listener` with each durable change that a command made, and who gave it; returns a function that ends this. */
  onDeed(listener: (deed: Deed) => void): () => void {
    return this.#context.onDeed(listener)
  }

  /** An account whose usage up to now is in the book. */
  #flushed(idOrEmail: string): AccountRecord {
    const account = this.#context.account(idOrEmail)
    this.#context.flusher.flushKeys(this.#context.registry.keysOf(account))
    return account
  }

  #accountView(account: AccountRecord): AccountView {
    return accountView(account, this.#context.registry, this.#usage)
  }
}
