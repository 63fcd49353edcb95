/** Runs commands, on a single node and in a fleet: from the checks to the listeners of durable changes. */

import { ACCOUNTS_MAX_DEFAULT, KEYS_MAX_DEFAULT } from '../../../platform/limits.ts'
import { Listeners } from '../../../platform/listeners.ts'
import type { AccountRecord, KeyRecord } from '../../ledger/book/record.ts'
import type { Ledger, LedgerSettings } from '../../ledger/ledger.ts'
import { AccountError } from '../account-error.ts'
import { type AccountStore, type Debit, StaleError, type Transaction } from '../account-store.ts'
import { presentActor } from '../actor.ts'
import { type Change, changesOf, replacedBy } from '../audited-changes.ts'
import { flusherOf } from '../charging/flusher.ts'
import type { LiveState } from '../live/live-state.ts'

/** Maximum number of commands on accounts that may wait. Further ones are refused. */
const COMMANDS_WAITING_MAX = 100_000

/** Kind of charged request. Its number in the ledger is its place in the list that is handed in. */
export type UsageClass = { readonly name: string; readonly alias?: string }

export interface AccountsOptions extends LedgerSettings {
  /** Kinds of charged requests, by number. */
  usageClasses: readonly UsageClass[]
  /** Milliseconds between flushes. Default FLUSH_MS_DEFAULT. */
  flushMs?: number
  /** Called once after a failed write or sync. `healthy` is already false. The caller exits. */
  onFatal?: (error: Error) => void
}

export type CommandContext = ReturnType<typeof commandContext>

/** @param ledger ledger of this process; in a fleet, it has only the charges of this node */
export function commandContext(
  ledger: Ledger,
  store: AccountStore,
  live: LiveState,
  options: AccountsOptions,
) {
  const { accountsMax = ACCOUNTS_MAX_DEFAULT, keysMax = KEYS_MAX_DEFAULT, usageClasses } = options
  const { book } = store
  const audited = new Listeners<Change>()
  const flusher = flusherOf(ledger, store, live, options.flushMs, options.clock)
  let waiting = 0

  function fail(error: unknown): void {
    live.stop()
    flusher.stop()
    options.onFatal?.(error instanceof Error ? error : new Error(String(error)))
  }

  /** Returns true if the creation of a record is durable. The book also has others. */
  const isDurable = ({ slot }: AccountRecord | KeyRecord): boolean => live.has(slot)
  const ifDurable = <R extends AccountRecord | KeyRecord>(record: R | undefined): R | undefined =>
    record && isDurable(record) ? record : undefined
  const findAccount = (idOrEmail: string) =>
    ifDurable(book.byEmail.get(idOrEmail.trim().toLowerCase()) ?? book.accounts.get(idOrEmail))
  const findKey = (id: string) => ifDurable(book.keys.get(id))

  /** @throws ACCOUNT_NOT_FOUND */
  function expectAccount(idOrEmail: string): AccountRecord {
    const found = findAccount(idOrEmail)
    if (found !== undefined) return found
    throw new AccountError('ACCOUNT_NOT_FOUND', `There is no account ${JSON.stringify(idOrEmail)}.`)
  }

  /** @throws KEY_NOT_FOUND */
  function expectKey(id: string): KeyRecord {
    const found = findKey(id)
    if (found !== undefined) return found
    throw new AccountError('KEY_NOT_FOUND', `There is no key ${JSON.stringify(id)}.`)
  }

  /**
   * Runs a command. Resolves with its events.
   *
   * 1. `decide` checks it against the book. It returns events, or null if their effect is there already.
   * 2. In the same turn, the store commits the events. If a node was faster, 1 follows with the newer book.
   * 3. They are durable, and listeners are notified.
   *
   * @param debited account whose balance the command lowers, if it exists
   * @throws AccountError; UNAVAILABLE if no command is accepted now, or the disk or the database failed
   */
  function run<T extends Transaction | null>(decide: (debit: Debit) => T, debited?: AccountRecord) {
    return store.run(async debit => {
      expectAccepted()
      let events = decide(debit)
      // An opened account or key needs a row of the meter. Another command may take it during the wait.
      while (events !== null && 'slot' in events[0] && book.slots.length >= ledger.meter.slots) {
        await durable(ledger.meter.reserve(book.slots.length + 1))
        expectAccepted()
        events = decide(debit)
      }
      if (events === null) await durable(store.untilDurable())
      else await commit(events)
      return events
    }, debited)
  }

  async function commit(events: Transaction): Promise<void> {
    const actor = presentActor()
    const replaced = events.map(event => replacedBy(book, event))
    await durable(store.record(...events))
    const changes = changesOf(book, events, actor, replaced)
    for (const change of changes) audited.notify(change)
    store.listeners.notify([...new Set(changes.map(change => change.account))])
  }

  /** @throws UNAVAILABLE */
  function expectAccepted(): void {
    if (live.isStopped) throw new AccountError('UNAVAILABLE', 'The ledger takes no more entries.')
    if (waiting >= COMMANDS_WAITING_MAX)
      throw new AccountError('UNAVAILABLE', 'Too many commands are waiting.')
  }

  async function durable(work: Promise<void>): Promise<void> {
    waiting++
    try {
      await work
    } catch (error) {
      if (error instanceof StaleError) throw error
      const message = `The ledger could not be written: ${String(error)}`
      throw new AccountError('UNAVAILABLE', message, { cause: error })
    } finally {
      waiting--
    }
  }

  ledger.setOwner({ fail, setStalled: isStalled => live.setStalled(isStalled) })
  return {
    ledger,
    store,
    live,
    book,
    audited,
    flusher,
    accountsMax,
    keysMax,
    usageClasses,
    fail,
    isDurable,
    findAccount,
    findKey,
    expectAccount,
    expectKey,
    run,
    bookCharges: flusher.bookCharges,
    nowMs: () => store.timeline.nowMs(),
  }
}

/** Returns commands on the records that `find` finds. They resolve with the view of the changed record. */
export function commandsOn<Record, View>(
  { run }: CommandContext,
  find: (id: string) => Record,
  view: (record: Record) => View,
) {
  return <Rest extends unknown[]>(decide: (record: Record, ...rest: Rest) => Transaction | null) =>
    async (id: string, ...rest: Rest): Promise<View> => {
      await run(() => decide(find(id), ...rest))
      return view(find(id))
    }
}
