import { USAGE_CLASSES_MAX } from '../../../platform/limits.ts'
import type { LedgerEvent, UsageRow } from '../event.ts'
import type { Book } from './book.ts'
import type { AccountRecord, KeyRecord } from './record.ts'

interface AccountSum {
  balanceMicros: number
  debtMicros: number
}

interface KeySum {
  account: AccountSum
  /** Cumulative counts of the key's last row. */
  queries: readonly number[]
  spentMicros: number
}

/** Adds up a ledger by plain sums of its entries, without the book's arithmetic, as a check. */
export class Tally {
  entries = 0
  readonly #accounts = new Map<number, AccountSum>()
  readonly #keys = new Map<number, KeySum>()

  constructor(book: Book) {
    for (const record of book.slots) {
      if (record.type === 'account') {
        const balanceMicros = record.entries.reduce((sum, entry) => sum + entry.balanceMicros, 0)
        const debtMicros = record.entries.reduce((sum, entry) => sum + entry.debtMicros, 0)
        this.#accounts.set(record.slot, { balanceMicros, debtMicros })
      } else {
        const account = this.#account(record.account.slot)
        account.balanceMicros -= record.spentMicros
        const { slot, queries, spentMicros } = record
        this.#keys.set(slot, { account, queries: [...queries], spentMicros })
      }
    }
  }

  /** Adds one event. Returns a sentence if an account has a negative balance or debt, or both at once, or a count falls. */
  add(event: LedgerEvent): string | null {
    this.entries++
    switch (event.kind) {
      case 'account':
        this.#accounts.set(event.slot, { balanceMicros: 0, debtMicros: 0 })
        return null
      case 'key':
        this.#keys.set(event.slot, {
          account: this.#account(event.account),
          queries: new Array(USAGE_CLASSES_MAX).fill(0),
          spentMicros: 0,
        })
        return null
      case 'credit': {
        const account = this.#account(event.account)
        account.balanceMicros += event.micros - event.debtPaidMicros
        account.debtMicros -= event.debtPaidMicros
        return flawOf(account, `the account in slot ${event.account}`)
      }
      case 'adjust':
      case 'closed': {
        const account = this.#account(event.account)
        account.balanceMicros -= event.takenMicros
        if (event.kind === 'adjust') account.debtMicros += event.micros - event.takenMicros
        return flawOf(account, `the account in slot ${event.account}`)
      }
      case 'usage':
        return this.#addUsage(event.rows)
      default:
        return null
    }
  }

  compare(book: Book): string[] {
    return book.slots.flatMap(record => {
      const { type, id } = record
      const [summed, booked] = type === 'account' ? this.#ofAccount(record) : this.#ofKey(record)
      return summed === booked ? [] : [`${type} ${id}: entries add up to ${summed}, the book has ${booked}`]
    })
  }

  #ofAccount({ slot, creditedMicros, spentMicros, debtMicros }: AccountRecord): string[] {
    const sum = this.#account(slot)
    const booked = { balanceMicros: creditedMicros - spentMicros, debtMicros }
    return [sum, booked].map(has => `a balance of ${has.balanceMicros} and a debt of ${has.debtMicros}`)
  }

  #ofKey({ slot, queries, spentMicros }: KeyRecord): string[] {
    const sum = this.#keys.get(slot)
    return [sum, { queries, spentMicros }].map(
      has => has?.queries.concat(has.spentMicros).join(' ') ?? 'nothing',
    )
  }

  #addUsage(rows: readonly UsageRow[]): string | null {
    // The event counts as its first row.
    this.entries += rows.length - 1
    for (const { key: slot, queries, spentMicros } of rows) {
      const key = this.#keys.get(slot)
      if (key === undefined) return `slot ${slot} has usage, but is not a key`
      if (spentMicros < key.spentMicros || key.queries.some((count, usage) => queries[usage] < count))
        return `usage of slot ${slot} falls`
      key.account.balanceMicros -= spentMicros - key.spentMicros
      key.queries = queries
      key.spentMicros = spentMicros
      const problem = flawOf(key.account, `the account of slot ${slot}`)
      if (problem !== null) return problem
    }
    return null
  }

  #account(slot: number): AccountSum {
    const sum = this.#accounts.get(slot)
    if (sum === undefined) throw new Error(`slot ${slot} is not an account`)
    return sum
  }
}

function flawOf({ balanceMicros, debtMicros }: AccountSum, whose: string): string | null {
  if (balanceMicros > 0 && debtMicros > 0)
    return `${whose} has a balance of ${balanceMicros} micros and a debt of ${debtMicros}`
  if (balanceMicros < 0) return `the balance of ${whose} falls to ${balanceMicros} micros`
  return debtMicros < 0 ? `the debt of ${whose} falls to ${debtMicros} micros` : null
}
