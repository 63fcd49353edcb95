/** Commands on accounts and keys, and views, searches and reports of them, on the ledger thread. */
import type { MessagePort } from 'node:worker_threads'
import { closeAll } from '../../platform/promises.ts'
import { identityKey } from '../ledger/book/book.ts'
import { type AccountRecord, startsOf } from '../ledger/book/record.ts'
import { openLedger } from '../ledger/ledger.ts'
import type { Change } from './audited-changes.ts'
import { Charging, type LedgerCalls } from './charging/charging.ts'
import type { SharedKey } from './charging/shared-key.ts'
import { attachThread } from './charging/thread-charging.ts'
import { accountCommands } from './commands/change-account.ts'
import { balanceCommands } from './commands/change-balance.ts'
import { keyCommands } from './commands/change-key.ts'
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
import { teamsOf } from './teams.ts'
import { type Views, viewsOf } from './views.ts'

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
    ...accountCommands(context, views),
    ...balanceCommands(context, views),
    ...keyCommands(context, views),
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
    /** Returns the keys whose present secret or a previous one begins with `start`. Passes over all keys. */
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
