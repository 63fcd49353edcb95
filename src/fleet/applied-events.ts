/** What a committed transaction changes in this node besides the book: the journal, the live state, those who listen. */
import type { AttachedThreads } from '../accounts/attached-threads.ts'
import type { Listeners } from '../accounts/listeners.ts'
import type { Change } from '../accounts/views.ts'
import type { AccountRecord, KeyRecord } from '../ledger/book/record.ts'
import type { LedgerEvent } from '../ledger/event.ts'
import type { Ledger } from '../ledger/ledger.ts'
import type { FleetRegistry } from './fleet-registry.ts'
import { mirror } from './journal.ts'
import type { Replica } from './replica.ts'
import type { Committed } from './store.ts'

export class AppliedEvents {
  readonly #replica: Replica
  readonly #journal: Ledger
  readonly #registry: FleetRegistry
  readonly #threads: AttachedThreads
  readonly #listeners: Listeners

  constructor(parts: {
    replica: Replica
    journal: Ledger
    registry: FleetRegistry
    threads: AttachedThreads
    listeners: Listeners
  }) {
    this.#replica = parts.replica
    this.#journal = parts.journal
    this.#registry = parts.registry
    this.#threads = parts.threads
    this.#listeners = parts.listeners
  }

  /**
   * Resolves when all threads of this node see it.
   * @param isOwn whether a command of this node has made it, which notifies the listeners itself
   * @throws what the journal's write or sync failed with
   */
  async apply(committed: Committed, isOwn: boolean): Promise<void> {
    // The others of a transaction concern the account that the first one opens.
    const [first] = committed.events
    const limitsBefore =
      first.kind === 'rules' ? JSON.stringify(this.#replica.book.key(first.key).rules?.limits) : undefined
    this.#replica.apply(committed)
    await this.#follow(first, limitsBefore)
    const account = isOwn ? undefined : this.#accountOf(first)
    if (account !== undefined) this.#listeners.notify(changeOf(first), account.id)
  }

  async #follow(event: LedgerEvent, limitsBefore: string | undefined): Promise<void> {
    const { book } = this.#replica
    switch (event.kind) {
      case 'account':
        await this.#mirror(event)
        return this.#registry.openAccount(book.account(event.slot))
      case 'key':
        await this.#mirror(event)
        this.#registry.openKey(book.key(event.slot))
        return this.#threads.seen()
      case 'revoke':
        return this.#registry.keyLines.renewState(book.key(event.key))
      case 'cap':
        this.#registry.capChangedAt.set(event.key, this.#replica.sequence)
        return this.#registry.renewCap(book.key(event.key))
      case 'limits':
        return this.#limit(book.account(event.account))
      case 'credit':
        return this.#registry.addElsewhere(book.account(event.account), event.micros - event.debtPaidMicros)
      case 'adjust':
        return this.#registry.addElsewhere(book.account(event.account), -event.takenMicros)
      case 'closed':
        this.#registry.addElsewhere(book.account(event.account), -event.takenMicros)
        return this.#registry.renewStanding(book.account(event.account))
      case 'suspended':
      case 'resumed':
        return this.#registry.renewStanding(book.account(event.account))
      case 'rules':
        return this.#rule(book.key(event.key), limitsBefore)
      case 'overlap':
        await this.#roomForRules()
        return this.#registry.keyLines.renewRules(book.key(event.key))
      case 'roll':
        await this.#roomForRules()
        this.#registry.renewSecrets(book.key(event.key))
        return this.#threads.seen()
      case 'invited':
      case 'uninvited':
      case 'member':
      case 'open':
      case 'identity':
      case 'rename':
      case 'profile':
      case 'usage':
        return
      default:
        event satisfies never
    }
  }

  async #mirror(event: LedgerEvent): Promise<void> {
    while (!this.#threads.hasRoom) await this.#threads.grow()
    mirror(this.#journal, event)
    await this.#journal.settled()
  }

  async #limit(account: AccountRecord): Promise<void> {
    if (account.limits !== null) await this.#registry.ensureWindows(account, () => this.#threads.row())
    this.#registry.setLimits(account, account.limits)
  }

  /** @param limitsBefore its own limits until now, as text */
  async #rule(key: KeyRecord, limitsBefore: string | undefined): Promise<void> {
    if (key.rules?.limits != null) await this.#registry.ensureWindows(key, () => this.#threads.row())
    await this.#roomForRules()
    this.#registry.keyLines.renewRules(key)
    if (JSON.stringify(key.rules?.limits) !== limitsBefore) this.#registry.renewOwnLimits(key)
  }

  async #roomForRules(): Promise<void> {
    while (!this.#threads.hasRoomForRules) await this.#threads.grow()
  }

  #accountOf(event: LedgerEvent): AccountRecord | undefined {
    const { book } = this.#replica
    if (event.kind === 'account') return book.account(event.slot)
    if ('account' in event) return book.account(event.account)
    return 'key' in event ? book.key(event.key).account : undefined
  }
}

/** How the command that made an event reports it. */
function changeOf(event: LedgerEvent): Change['kind'] {
  switch (event.kind) {
    case 'key':
    case 'rename':
    case 'revoke':
    case 'cap':
    case 'rules':
    case 'roll':
    case 'overlap':
      return 'key'
    case 'limits':
    case 'profile':
      return event.kind
    case 'credit':
    case 'adjust':
      return 'credit'
    default:
      return 'account'
  }
}
