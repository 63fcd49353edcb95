/** Accounts, keys and balances: rebuilt from the ledger at opening, charged through the meter. */
import { type Clock, systemClock } from '../ledger/clock.ts'
import type { FileSystem } from '../ledger/disk/file-system.ts'
import { Ledger } from '../ledger/ledger.ts'
import type { SyncState } from '../ledger/sync-watch.ts'
import { FLUSH_MS_DEFAULT, FREE_ANSWERS_PER_MINUTE_DEFAULT, QUERY_PRICE_MICROS } from '../limits.ts'
import { Charging } from './charging/charging.ts'
import { Flusher } from './charging/flusher.ts'
import { KeyCache } from './charging/key-cache.ts'
import type { LiveAccount, LiveKey } from './charging/live.ts'
import {
  createAccount,
  type Identity,
  linkIdentity,
  type NewAccount,
  setLimits,
  setLowBalance,
} from './commands/account-commands.ts'
import { CommandContext } from './commands/command-context.ts'
import { adjust, credit } from './commands/credit-commands.ts'
import { createKey, renameKey, revokeKey, setKeyCap } from './commands/key-commands.ts'
import { AccountError } from './errors.ts'
import { accountView, keyView } from './reports/account-view.ts'
import { statement, usageReport } from './reports/usage-report.ts'
import type { RateLimits } from './types.ts'
import type {
  AccountView,
  AdjustRequest,
  Change,
  CreditRequest,
  CreditResult,
  KeyView,
  NewKey,
  PresentUse,
  StatementRow,
  UsageQuery,
  UsageRow,
} from './views.ts'

export type { Identity, NewAccount } from './commands/account-commands.ts'

export interface AccountsOptions {
  /** DATA_DIR. The ledger and the meter live in its folder `ledger`. */
  dir: string
  /** Longest time a charge waits before it is on its way to the disk, in milliseconds. Default FLUSH_MS_DEFAULT. */
  flushMs?: number
  /** Called once when a write or sync has failed; `healthy` is already false. The caller answers 503 and exits. */
  onFatal?: (error: Error) => void
  /** Called with sentences for the log: a torn tail that was cut, a snapshot that failed, a disk that does not answer. */
  onNotice?: (notice: string) => void
  fs?: FileSystem
  clock?: Clock
  /** Bytes after which a segment of the ledger is complete. Default 64 MiB. */
  segmentBytesMax?: number
  /** Complete segments kept for `ledger show` although snapshots cover them. Default 64, which is 4 GiB. */
  segmentsKept?: number
  /** Slots of a new meter: one per account and key. Default 1024. */
  slotsMin?: number
  /** False refuses a folder without a ledger; default true. */
  mayCreate?: boolean
  /** Free answers (404) that an account gets in a UTC minute before `admit` refuses it. */
  freeAnswersMax?: number
}

/**
 * Everything that is known of accounts. Reads are synchronous; commands resolve after their sync and reject with an
 * `AccountError`. Wherever an account is asked for, its id or its email will do. After `close`, nothing may be called.
 */
export class Accounts extends Charging {
  readonly #context: CommandContext

  private constructor(ledger: Ledger, flushMs: number, clock: Clock, freeAnswersMax: number) {
    const context = new CommandContext(ledger)
    const flusher = new Flusher(ledger, flushMs, clock, context.listeners)
    super(ledger, flusher, new KeyCache(hash => context.registry.keyByHash(hash)), freeAnswersMax)
    this.#context = context
  }

  /** Opens the ledger under its lock and rebuilds all state. @throws LedgerError naming file, offset and remedy. */
  static async open(options: AccountsOptions): Promise<Accounts> {
    const { flushMs = FLUSH_MS_DEFAULT, clock = systemClock, onFatal } = options
    const { freeAnswersMax = FREE_ANSWERS_PER_MINUTE_DEFAULT } = options
    let accounts: Accounts | null = null
    const onFail = (error: Error): void => {
      // While opening, the rejection carries it.
      if (accounts === null) return
      accounts.stop()
      accounts.flusher.stop()
      onFatal?.(error)
    }
    const onStall = (isStalled: boolean): void => accounts?.stall(isStalled)
    const ledger = await Ledger.open({ ...options, priceMicros: QUERY_PRICE_MICROS, onFail, onStall })
    accounts = new Accounts(ledger, flushMs, clock, freeAnswersMax)
    return accounts
  }

  /** Charges nothing more, flushes, syncs and releases the lock. Commands in progress are finished first. */
  async close(): Promise<void> {
    this.stop()
    await this.flusher.drain()
    this.flusher.stop()
    await this.ledger.close()
  }

  /** How old the oldest usage or command is that is not synced, and how long syncs have taken. For metrics. */
  syncState(): SyncState {
    return this.ledger.syncState()
  }

  /** @throws EMAIL_TAKEN, IDENTITY_TAKEN, TOO_MANY_ACCOUNTS, INVALID_… */
  async createAccount(account: NewAccount): Promise<AccountView> {
    return this.#accountView(await createAccount(this.#context, account))
  }

  /** Oldest first. */
  listAccounts(): AccountView[] {
    return this.#context.registry.accounts().map(account => this.#accountView(account))
  }

  account(idOrEmail: string): AccountView | undefined {
    const account = this.#context.registry.account(idOrEmail)
    return account && this.#accountView(account)
  }

  /** Queries counted in the present windows; zeros while rate limiting is off. @throws ACCOUNT_NOT_FOUND */
  presentUse(account: string): PresentUse {
    const live = this.#context.registry.account(account)
    if (live === undefined) throw new AccountError('ACCOUNT_NOT_FOUND', `There is no account ${account}.`)
    if (live.limits === null) return { minute: 0, hour: 0, day: 0 }
    // Nothing asked for is nothing counted, but windows that have passed end here.
    this.admit(live, 0)
    return { minute: live.currentMinute, hour: live.currentHour, day: live.currentDay }
  }

  accountByIdentity(issuer: string, subject: string): AccountView | undefined {
    const account = this.#context.registry.accountByIdentity(issuer, subject)
    return account && this.#accountView(account)
  }

  /** The sign-ins linked to an account, oldest first. @throws ACCOUNT_NOT_FOUND */
  identities(account: string): readonly Identity[] {
    return this.#context.account(account).record.identities
  }

  /** Linking the same pair to the same account again changes nothing. @throws IDENTITY_TAKEN */
  async linkIdentity(account: string, identity: Identity): Promise<AccountView> {
    return this.#accountView(await linkIdentity(this.#context, account, identity))
  }

  /** Adds money. A debt is paid first. @throws REFERENCE_CONFLICT, BALANCE_TOO_HIGH, INVALID_… */
  credit(request: CreditRequest): Promise<CreditResult> {
    return credit(this.#context, request)
  }

  /** Takes money back; what exceeds the available balance becomes a debt. @throws REFERENCE_CONFLICT, INVALID_… */
  adjust(request: AdjustRequest): Promise<CreditResult> {
    return adjust(this.#context, request)
  }

  /** Null switches rate limiting off. */
  async setLimits(account: string, limits: RateLimits | null): Promise<AccountView> {
    return this.#accountView(await setLimits(this.#context, account, limits))
  }

  /** The dashboard's warning threshold; null: none. */
  async setLowBalance(account: string, micros: number | null): Promise<AccountView> {
    return this.#accountView(await setLowBalance(this.#context, account, micros))
  }

  /** @throws TOO_MANY_KEYS, INVALID_LABEL */
  async createKey(account: string, options: { label?: string } = {}): Promise<NewKey> {
    const { key, secret } = await createKey(this.#context, account, options.label ?? '')
    return { ...this.#keyView(key), key: secret }
  }

  /** Oldest first, revoked ones included. @throws ACCOUNT_NOT_FOUND */
  listKeys(account: string): KeyView[] {
    return this.#context.registry.keysOf(this.#context.account(account)).map(key => this.#keyView(key))
  }

  key(keyId: string): KeyView | undefined {
    const key = this.#context.registry.key(keyId)
    return key && this.#keyView(key)
  }

  async renameKey(keyId: string, label: string): Promise<KeyView> {
    return this.#keyView(await renameKey(this.#context, keyId, label))
  }

  /** Effective on the next request, acknowledged after the sync. Revoking twice changes nothing. */
  async revokeKey(keyId: string): Promise<KeyView> {
    return this.#keyView(await revokeKey(this.#context, keyId))
  }

  /** Spend of this key per UTC month; beyond it `charge` returns false. Null: no cap. */
  async setKeyCap(keyId: string, monthlyMicros: number | null): Promise<KeyView> {
    return this.#keyView(await setKeyCap(this.#context, keyId, monthlyMicros))
  }

  /** Usage per key, oldest first: at least 48 hours by hour and 90 days by day. @throws ACCOUNT_NOT_FOUND */
  usage(account: string, query: UsageQuery): UsageRow[] {
    const live = this.#flushed(account)
    return usageReport(live.record, query)
  }

  /** Every credit, adjustment and day of usage, oldest first. @throws ACCOUNT_NOT_FOUND */
  statement(account: string): StatementRow[] {
    const live = this.#flushed(account)
    return statement(live.record, this.ledger.timeline.nowMs())
  }

  /**
   * Brings every charge made so far into the ledger. Resolves with the last durable sequence number, for a backup.
   * @throws what the write or sync failed with
   */
  async makeDurable(): Promise<number> {
    await this.flusher.flushWaiting()
    await this.ledger.settled()
    return this.ledger.durableSequence
  }

  /** Calls `listener` after each durable change; returns a function that ends it. */
  onChange(listener: (change: Change) => void): () => void {
    return this.#context.listeners.add(listener)
  }

  protected override stop(): void {
    super.stop()
    this.#context.open = false
  }

  /** An account whose usage up to now is in the book. */
  #flushed(idOrEmail: string): LiveAccount {
    const account = this.#context.account(idOrEmail)
    this.flusher.flushKeys(this.#context.registry.keysOf(account))
    return account
  }

  #accountView(account: LiveAccount): AccountView {
    return accountView(account, this.ledger.meter.cells)
  }

  #keyView(key: LiveKey): KeyView {
    return keyView(key, this.ledger.meter.cells, this.ledger.timeline)
  }
}
