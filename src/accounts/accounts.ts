/** Accounts, keys and balances: rebuilt from the ledger at opening, charged through the meter. */
import { type Clock, systemClock } from '../ledger/clock.ts'
import type { FileSystem } from '../ledger/disk/file-system.ts'
import { Ledger } from '../ledger/ledger.ts'
import { FLUSH_MS_DEFAULT, QUERY_PRICE_MICROS } from '../limits.ts'
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
import { adjust, credit } from './commands/credit-commands.ts'
import { Desk } from './commands/desk.ts'
import { createKey, renameKey, revokeKey, setKeyCap } from './commands/key-commands.ts'
import { AccountError } from './errors.ts'
import { pictureAccount, pictureKey } from './reports/pictures.ts'
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
  /** Longest time a charge waits before it is on its way to the disk. Default 5. */
  flushMs?: number
  /** Called once when a write or sync has failed; `healthy` is already false. The caller answers 503 and exits. */
  onFatal?: (error: Error) => void
  /** Called with sentences for the log: a torn tail that was cut, a snapshot that failed. */
  onNotice?: (notice: string) => void
  fs?: FileSystem
  clock?: Clock
  /** Bytes after which a segment of the ledger is complete. Default 64 MiB. */
  segmentBytesMax?: number
  /** Complete segments kept for `ledger show` although snapshots cover them. Default 64, which is 4 GiB. */
  segmentsKept?: number
  /** Slots of a new meter: one per account and key. Default 1024. */
  slotsMin?: number
}

/**
 * Everything that is known of accounts. Reads are synchronous; commands resolve after their sync and reject with an
 * `AccountError`. Wherever an account is asked for, its id or its email will do. After `close`, nothing may be called.
 */
export class Accounts extends Charging {
  readonly #desk: Desk

  private constructor(ledger: Ledger, flushMs: number, clock: Clock) {
    const desk = new Desk(ledger)
    const flusher = new Flusher(ledger, flushMs, clock, desk.listeners)
    super(ledger, flusher, new KeyCache(desk.registry.byHash))
    this.#desk = desk
  }

  /** Opens the ledger under its lock and rebuilds all state. @throws LedgerError naming file, offset and remedy. */
  static async open(options: AccountsOptions): Promise<Accounts> {
    const { flushMs = FLUSH_MS_DEFAULT, clock = systemClock, onFatal } = options
    let accounts: Accounts | null = null
    const onFail = (error: Error): void => {
      // While opening, the rejection tells it.
      if (accounts === null) return
      accounts.stop()
      onFatal?.(error)
    }
    const ledger = await Ledger.open({ ...options, priceMicros: QUERY_PRICE_MICROS, onFail })
    accounts = new Accounts(ledger, flushMs, clock)
    return accounts
  }

  /** Flushes, syncs, writes a snapshot and gives the lock back. Commands under way are finished first. */
  async close(): Promise<void> {
    this.flusher.flush()
    this.stop()
    await this.ledger.close()
  }

  /** @throws EMAIL_TAKEN, IDENTITY_TAKEN, TOO_MANY_ACCOUNTS, INVALID_… */
  async createAccount(account: NewAccount): Promise<AccountView> {
    return this.#picture(await createAccount(this.#desk, account))
  }

  /** Oldest first. */
  listAccounts(): AccountView[] {
    return [...this.#desk.registry.accounts.values()].map(account => this.#picture(account))
  }

  account(idOrEmail: string): AccountView | undefined {
    const account = this.#desk.registry.account(idOrEmail)
    return account && this.#picture(account)
  }

  /** Queries counted in the present windows; zeros while rate limiting is off. @throws ACCOUNT_NOT_FOUND */
  presentUse(account: string): PresentUse {
    const live = this.#desk.registry.account(account)
    if (live === undefined) throw new AccountError('ACCOUNT_NOT_FOUND', `There is no account ${account}.`)
    if (live.limits === null) return { minute: 0, hour: 0, day: 0 }
    // Nothing asked for is nothing counted, but windows that have passed end here.
    this.admit(live, 0)
    return { minute: live.currentMinute, hour: live.currentHour, day: live.currentDay }
  }

  accountByIdentity(issuer: string, subject: string): AccountView | undefined {
    const account = this.#desk.registry.accountByIdentity(issuer, subject)
    return account && this.#picture(account)
  }

  /** Linking the same pair to the same account again changes nothing. @throws IDENTITY_TAKEN */
  async linkIdentity(account: string, identity: Identity): Promise<AccountView> {
    return this.#picture(await linkIdentity(this.#desk, account, identity))
  }

  /** Adds money. A debt is paid first. @throws REFERENCE_CONFLICT, BALANCE_TOO_HIGH, INVALID_… */
  credit(request: CreditRequest): Promise<CreditResult> {
    return credit(this.#desk, request)
  }

  /** Takes money back; what exceeds the available balance becomes a debt. @throws REFERENCE_CONFLICT, INVALID_… */
  adjust(request: AdjustRequest): Promise<CreditResult> {
    return adjust(this.#desk, request)
  }

  /** Null switches rate limiting off. */
  async setLimits(account: string, limits: RateLimits | null): Promise<AccountView> {
    return this.#picture(await setLimits(this.#desk, account, limits))
  }

  /** The dashboard's warning threshold; null: none. */
  async setLowBalance(account: string, micros: number | null): Promise<AccountView> {
    return this.#picture(await setLowBalance(this.#desk, account, micros))
  }

  /** @throws TOO_MANY_KEYS, INVALID_LABEL */
  async createKey(account: string, options: { label?: string } = {}): Promise<NewKey> {
    const { key, secret } = await createKey(this.#desk, account, options.label ?? '')
    return { ...this.#pictureKey(key), key: secret }
  }

  /** Oldest first, revoked ones included. @throws ACCOUNT_NOT_FOUND */
  listKeys(account: string): KeyView[] {
    return this.#desk.registry.keysOf(this.#desk.account(account)).map(key => this.#pictureKey(key))
  }

  key(keyId: string): KeyView | undefined {
    const key = this.#desk.registry.keys.get(keyId)
    return key && this.#pictureKey(key)
  }

  async renameKey(keyId: string, label: string): Promise<KeyView> {
    return this.#pictureKey(await renameKey(this.#desk, keyId, label))
  }

  /** Effective on the next request, acknowledged after the sync. Revoking twice changes nothing. */
  async revokeKey(keyId: string): Promise<KeyView> {
    return this.#pictureKey(await revokeKey(this.#desk, keyId))
  }

  /** Spend of this key per UTC month; beyond it `charge` and `hold` return false. Null: no cap. */
  async setKeyCap(keyId: string, monthlyMicros: number | null): Promise<KeyView> {
    return this.#pictureKey(await setKeyCap(this.#desk, keyId, monthlyMicros))
  }

  /** Usage per key, oldest first: at least 48 hours by hour and 90 days by day. @throws ACCOUNT_NOT_FOUND */
  usage(account: string, query: UsageQuery): UsageRow[] {
    this.flusher.flush()
    return usageReport(this.#desk.account(account).record, query)
  }

  /** Every credit, adjustment and day of usage, oldest first. @throws ACCOUNT_NOT_FOUND */
  statement(account: string): StatementRow[] {
    this.flusher.flush()
    return statement(this.#desk.account(account).record)
  }

  /**
   * Brings every charge made so far into the ledger. Resolves with the last durable sequence number, for a backup.
   * @throws what the write or sync failed with
   */
  async makeDurable(): Promise<number> {
    this.flusher.flush()
    await this.ledger.settled()
    return this.ledger.durableSequence
  }

  /** Calls `listener` after each durable change; returns a function that ends it. */
  onChange(listener: (change: Change) => void): () => void {
    return this.#desk.listeners.add(listener)
  }

  protected override stop(): void {
    super.stop()
    this.#desk.open = false
  }

  #picture(account: LiveAccount): AccountView {
    return pictureAccount(account, this.#desk.registry, this.ledger.meter.cells)
  }

  #pictureKey(key: LiveKey): KeyView {
    return pictureKey(key, this.ledger.meter.cells, this.ledger.timeline)
  }
}
