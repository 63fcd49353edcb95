import { type Book, identityKey } from '../ledger/book/book.ts'
import type { AccountRecord, KeyRecord } from '../ledger/book/record.ts'
import type { LiveState } from './live/live-state.ts'

/** Accounts and keys whose creation is durable. The live state has those, the book also others. */
export class Registry {
  readonly #book: Book
  readonly #live: LiveState

  constructor(book: Book, live: LiveState) {
    this.#book = book
    this.#live = live
  }

  account(idOrEmail: string): AccountRecord | undefined {
    const { byEmail, accounts } = this.#book
    return this.#ifDurable(byEmail.get(idOrEmail.trim().toLowerCase()) ?? accounts.get(idOrEmail))
  }

  accountByIdentity(issuer: string, subject: string): AccountRecord | undefined {
    return this.#ifDurable(this.#book.byIdentity.get(identityKey(issuer, subject)))
  }

  key(id: string): KeyRecord | undefined {
    return this.#ifDurable(this.#book.keys.get(id))
  }

  keys(): KeyRecord[] {
    return [...this.#book.keys.values()].filter(({ slot }) => this.#live.has(slot))
  }

  accounts(): AccountRecord[] {
    return [...this.#book.accounts.values()].filter(({ slot }) => this.#live.has(slot))
  }

  keysOf({ keys }: AccountRecord): KeyRecord[] {
    return keys.filter(({ slot }) => this.#live.has(slot))
  }

  #ifDurable<R extends AccountRecord | KeyRecord>(record: R | undefined): R | undefined {
    return record !== undefined && this.#live.has(record.slot) ? record : undefined
  }
}
