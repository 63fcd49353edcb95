/** Commands on accounts and keys, and views, searches and reports of them, on the ledger thread. */
import type { MessagePort } from 'node:worker_threads'
import { closeAll } from '../../platform/close-all.ts'
import { identityKey } from '../ledger/book/book.ts'
import { type AccountRecord, type Identity, type KeyRecord, startsOf } from '../ledger/book/record.ts'
import { openLedger } from '../ledger/ledger.ts'
import { AccountError } from './account-error.ts'
import type { Transaction } from './account-store.ts'
import type { Change } from './audited-changes.ts'
import { Charging, type LedgerCalls } from './charging/charging.ts'
import type { SharedKey } from './charging/shared-key.ts'
import { attachThread } from './charging/thread-charging.ts'
import * as onAccount from './commands/change-account.ts'
import type { AdjustRequest, CreditRequest } from './commands/change-balance.ts'
import { adjust, closeAccount, credit } from './commands/change-balance.ts'
import * as onKey from './commands/change-key.ts'
import { type AccountsOptions, type CommandContext, commandContext } from './commands/run-command.ts'
import { ledgerStore } from './ledger-store.ts'
import { LiveState } from './live/live-state.ts'
import {
  type AccountSearch,
  accountCounter,
  activityOf,
  hasSecretLike,
  paceOf,
  searchAccounts,
} from './reports/account-search.ts'
import { serviceUsage } from './reports/service-usage.ts'
import { statement } from './reports/statement.ts'
import { type UsageQuery, usageReport } from './reports/usage-report.ts'
import { newSecret, randomText } from './secret.ts'
import { teamsOf } from './teams.ts'
import { accountView, keyView, type NamedKeyRules, NO_RULES } from './views.ts'

export type { NewAccount } from './commands/change-account.ts'
export type { AccountsOptions } from './commands/run-command.ts'

export type CreditResult = Awaited<ReturnType<Accounts['credit']>>

/** Accounts of this process. Commands name an account by its id or email. */
export type Accounts = ReturnType<typeof accountsOf>

/** Opens the ledger of a single node, and makes the live state from it. @throws LedgerError */
export async function openAccounts(options: AccountsOptions): Promise<Accounts> {
  const ledger = await openLedger(options)
  const live = LiveState.for(ledger.meter.slotsMax)
  return accountsOf(commandContext(ledger, ledgerStore(ledger, live), live, options))
}

export function accountsOf(context: CommandContext) {
  const { ledger, live, store, flusher } = context
  const { timeline, meter } = ledger
  const calls: LedgerCalls = { wake: flusher.wake, waitForLease: store.waitForLease }
  const charging = new Charging({ live, rows: meter.rows, timeline, thread: 0, ...calls })
  const views = viewsOf(context)
  let threads = 0
  return {
    charging,
    ...commandsOf(context, views),
    ...recordsOf(context, views),
    ...reportsOf(context),
    teams: teamsOf(context, views.ofAccount),
    /** Attaches a thread until `port` closes. It calls `openCharging` with the result and the other end. */
    attach: (port: MessagePort) => attachThread(++threads, port, ledger, live, calls),
    /** Returns the queries of the current windows; zeros without limits. @throws ACCOUNT_NOT_FOUND */
    currentQueries: (idOrEmail: string) => charging.currentQueries(context.expectAccount(idOrEmail).slot),
    syncState: () => ledger.log.syncState(),
    /** Reads the newest commits of a fleet into the book. @throws AccountError UNAVAILABLE */
    catchUp: () => store.catchUp(),
    /** Flushes all charges to the ledger. Resolves with the last durable sequence number, for a backup. */
    async makeDurable(): Promise<number> {
      await flusher.flush()
      await ledger.untilDurable()
      return ledger.log.durableSequence
    },
    /** Calls `listener` with the ids of durably changed accounts. Returns a function that removes it. */
    onChange: (listener: (accounts: string[]) => void) => store.listeners.add(listener),
    onAudited: (listener: (change: Change) => void) => context.audited.add(listener),
    /** Stops charging, flushes, syncs and unlocks. Other threads must have closed. */
    close: () =>
      closeAll(
        () => live.stop(),
        () => flusher.drain(),
        () => flusher.stop(),
        () => store.close(),
        () => ledger.close(),
      ),
  }
}

type Views = ReturnType<typeof viewsOf>

/** Returns the views of records, with all their charges. */
function viewsOf(context: CommandContext) {
  const { bookCharges, isDurable } = context
  return {
    ofAccount: (account: AccountRecord) => accountView(bookCharges(account)),
    ofKey: (key: KeyRecord) => keyView(bookCharges(key), context),
    /** All durable keys of an account. There may be thousands. */
    ofKeys: (account: AccountRecord) =>
      bookCharges(account)
        .keys.filter(isDurable)
        .map(key => keyView(key, context)),
  }
}

function commandsOf(context: CommandContext, views: Views) {
  /** Returns commands on the records that `find` finds. They resolve with the changed record's view. */
  const commandsOn =
    <Record, View>(find: (id: string) => Record, view: (record: Record) => View) =>
    <Rest extends unknown[]>(command: (record: Record, ...rest: Rest) => Transaction | null) =>
    async (id: string, ...rest: Rest): Promise<View> => {
      await context.run(() => command(find(id), ...rest))
      return view(find(id))
    }
  const onAccountOf = commandsOn(context.expectAccount, views.ofAccount)
  const onKeyOf = commandsOn(context.expectKey, views.ofKey)

  /** `applied` is false if the reference was already applied, with the same amount to the same account. */
  async function changeBalance(id: string, decide: () => Transaction | null, isDebit: boolean) {
    const events = await context.run(decide, isDebit ? context.findAccount(id) : undefined)
    const { balanceMicros, debtMicros } = views.ofAccount(context.expectAccount(id))
    return { applied: events !== null, balanceMicros, debtMicros }
  }

  return {
    linkIdentity: onAccountOf((account, identity: Identity) =>
      onAccount.linkIdentity(context, account, identity),
    ),
    setLimits: onAccountOf(onAccount.setLimits),
    setLowBalance: onAccountOf(onAccount.setLowBalance),
    setNote: onAccountOf(onAccount.setNote),
    suspend: onAccountOf(onAccount.changeStanding('suspended')),
    resume: onAccountOf(onAccount.changeStanding('resumed')),
    renameKey: onKeyOf(onKey.renameKey),
    revokeKey: onKeyOf(onKey.revokeKey),
    switchKey: onKeyOf(onKey.switchKey),
    setKeyCap: onKeyOf(onKey.setKeyCap),
    setKeyRules: onKeyOf((key, rules: NamedKeyRules) => onKey.setKeyRules(context, key, rules)),
    endKeyOverlap: onKeyOf(key => onKey.endKeyOverlap(key, context.nowMs())),
    async createAccount(options: onAccount.NewAccount) {
      const [{ slot }] = await context.run(() => onAccount.createAccount(context, options))
      return views.ofAccount(context.book.account(slot))
    },
    credit: (request: CreditRequest) => changeBalance(request.account, () => credit(context, request), false),
    adjust: (request: AdjustRequest) => changeBalance(request.account, () => adjust(context, request), true),
    /** Refuses all keys for ever, and takes the balance. A repetition only returns the same micros. */
    async closeAccount(id: string, reason: string) {
      await changeBalance(id, () => closeAccount(context, context.expectAccount(id), reason), true)
      const account = context.expectAccount(id)
      const takenMicros = -(account.entries.findLast(({ kind }) => kind === 'closed')?.balanceMicros ?? 0)
      return { ...views.ofAccount(account), takenMicros }
    },
    /** @throws REPEATED if there is a key with this id */
    async createKey(account: string, input: Partial<onKey.NewKeyInput> = {}) {
      const { label = '', rules = NO_RULES, id = `key_${randomText(12)}` } = input
      const secret = newSecret()
      const create = () => onKey.createKey(context, account, { label, rules, id }, secret)
      const events = await context.run(create)
      if (events === null) throw new AccountError('REPEATED', `The key ${id} exists.`)
      return { ...views.ofKey(context.expectKey(id)), secret }
    },
    /** @param from start of the secret to replace, by default the present one @throws REPEATED for another */
    async rollKey(id: string, overlapMs: number, from?: string) {
      const secret = newSecret()
      const roll = () => onKey.rollKey(context, context.expectKey(id), { overlapMs, from, secret })
      const events = await context.run(roll)
      const key = views.ofKey(context.expectKey(id))
      if (events === null)
        throw new AccountError('REPEATED', `The key ${id} begins with ${key.start} by now.`)
      return { ...key, secret }
    },
  }
}

/** Finds and lists durable accounts and keys. */
function recordsOf(context: CommandContext, { ofAccount, ofKey, ofKeys }: Views) {
  const { book, isDurable } = context
  return {
    listAccounts: () => [...book.accounts.values()].filter(isDurable).map(ofAccount),
    async search(search: AccountSearch) {
      const { accounts, ...found } = await searchAccounts(book, isDurable, search)
      const viewed = (account: AccountRecord) => {
        return { ...ofAccount(account), ...activityOf(account, search.nowMs) }
      }
      return { ...found, accounts: accounts.map(viewed) }
    },
    count: accountCounter(book, isDurable),
    /** True if secrets of several accounts begin with `start`. */
    isShared: (start: string) =>
      [...book.accounts.values()].filter(account => hasSecretLike(account, start)).length > 1,
    account(idOrEmail: string) {
      const account = context.findAccount(idOrEmail)
      return account && ofAccount(account)
    },
    accountAt: (slot: number) => ofAccount(book.account(slot)),
    slotOf: (idOrEmail: string) => context.expectAccount(idOrEmail).slot,
    keySlotOf: (id: string) => context.expectKey(id).slot,
    accountByIdentity(issuer: string, subject: string) {
      const account = book.byIdentity.get(identityKey(issuer, subject))
      return account && isDurable(account) ? ofAccount(account) : undefined
    },
    identities: (account: string) => context.expectAccount(account).identities,
    listKeys: (account: string) => ofKeys(context.expectAccount(account)),
    /** Returns the keys whose present secret or a replaced one begins with `start`. Passes over all keys. */
    keysWithStart: (start: string) =>
      [...book.keys.values()].filter(key => startsOf(key).includes(start) && isDurable(key)).map(ofKey),
    key(keyId: string) {
      const key = context.findKey(keyId)
      return key && ofKey(key)
    },
    viewOf: ({ slot }: Pick<SharedKey, 'slot'>) => ofKey(book.key(slot)),
  }
}

function reportsOf({ book, flusher, usageClasses, ledger: { timeline }, ...context }: CommandContext) {
  const booked = (idOrEmail: string) => context.bookCharges(context.expectAccount(idOrEmail))
  return {
    chargedQueries: () => usageClasses.map(({ name }, i) => ({ usage: name, queries: flusher.charged[i] })),
    /** Returns usage per key, oldest first: 48 hours or 90 days at least. @throws ACCOUNT_NOT_FOUND */
    usage: (account: string, query: UsageQuery) => usageReport(booked(account), query, usageClasses),
    /** Returns the spending a day, and how it is known. @throws ACCOUNT_NOT_FOUND */
    pace: (account: string, nowMs: number) => paceOf(booked(account), nowMs),
    serviceUsage: () => serviceUsage(book, timeline.nowMs()),
    statement: (account: string) => statement(booked(account), timeline.nowMs()),
    /** Returns the account, amount and time of the entry with a reference; null if it is free. */
    entryOf(reference: string) {
      const used = book.references.get(reference)
      if (used === undefined) return null
      const { timeMs, balanceMicros, debtMicros } = used.entry
      return { email: used.account.email, micros: balanceMicros - debtMicros, timeMs }
    },
  }
}
