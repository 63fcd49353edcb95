/** A second way to add up a ledger, by plain sums of its entries, that shares no arithmetic with the book. */

import { type LedgerEvent, USAGE_ROW } from '../event.ts'
import type { Book } from './book.ts'

interface AccountSum {
  creditMicros: number
  adjustMicros: number
  spentMicros: number
  debtMicros: number
}

interface KeySum {
  account: AccountSum
  /** The last row of the key: counts are cumulative. */
  row: number[]
}

export class Tally {
  entries = 0
  readonly #accounts = new Map<number, AccountSum>()
  readonly #keys = new Map<number, KeySum>()

  /** Takes over what a snapshot holds, from its single entries. */
  constructor(book: Book) {
    for (const record of book.slots) {
      if (record.type === 'account') {
        const creditMicros = record.entries.reduce((sum, entry) => sum + entry.balanceMicros, 0)
        const debtMicros = record.entries.reduce((sum, entry) => sum + entry.debtMicros, 0)
        this.#accounts.set(record.slot, { creditMicros, adjustMicros: 0, spentMicros: 0, debtMicros })
      } else {
        const account = this.#account(record.account.slot)
        account.spentMicros += record.spentMicros
        this.#keys.set(record.slot, { account, row: [record.slot, ...record.queries, record.spentMicros] })
      }
    }
  }

  /** Adds one event. Returns a sentence when a balance would be negative or a count would fall. */
  add(event: LedgerEvent): string | null {
    this.entries++
    switch (event.kind) {
      case 'account':
        this.#accounts.set(event.slot, { creditMicros: 0, adjustMicros: 0, spentMicros: 0, debtMicros: 0 })
        return null
      case 'key':
        this.#keys.set(event.slot, {
          account: this.#account(event.account),
          row: new Array(USAGE_ROW).fill(0),
        })
        return null
      case 'credit':
        this.#account(event.account).creditMicros += event.micros - event.debtPaidMicros
        this.#account(event.account).debtMicros -= event.debtPaidMicros
        return null
      case 'adjust':
        this.#account(event.account).adjustMicros += event.takenMicros
        this.#account(event.account).debtMicros += event.micros - event.takenMicros
        return negative(this.#account(event.account), `the account in slot ${event.account}`)
      case 'usage':
        return this.#addUsage(event.rows)
      default:
        return null
    }
  }

  /** Sentences for everything in which the book differs from these sums. */
  compare(book: Book): string[] {
    const problems: string[] = []
    for (const record of book.slots) {
      if (record.type === 'account') {
        const { creditMicros, adjustMicros, spentMicros, debtMicros } = this.#account(record.slot)
        const sum = creditMicros - adjustMicros - spentMicros
        const balance = record.creditedMicros - record.spentMicros
        if (sum !== balance)
          problems.push(`account ${record.id}: entries add up to ${sum}, the balance is ${balance}`)
        if (debtMicros !== record.debtMicros)
          problems.push(
            `account ${record.id}: entries add up to a debt of ${debtMicros}, the book has ${record.debtMicros}`,
          )
      } else {
        const sum = this.#keys.get(record.slot)?.row.slice(1).join(' ')
        const booked = [...record.queries, record.spentMicros].join(' ')
        if (sum !== booked)
          problems.push(`key ${record.id}: entries add up to ${sum}, the book has ${booked}`)
      }
    }
    return problems
  }

  #addUsage(rows: readonly number[]): string | null {
    for (let start = 0; start < rows.length; start += USAGE_ROW) {
      this.entries += start === 0 ? 0 : 1
      const row = rows.slice(start, start + USAGE_ROW)
      const key = this.#keys.get(row[0] ?? -1)
      if (key === undefined) return `slot ${row[0]} is used and is no key`
      if (row.some((value, index) => value < (key.row[index] ?? 0) && index > 0))
        return `usage of slot ${row[0]} falls`
      key.account.spentMicros += (row.at(-1) ?? 0) - (key.row.at(-1) ?? 0)
      key.row = row
      const problem = negative(key.account, `the account of slot ${row[0]}`)
      if (problem !== null) return problem
    }
    return null
  }

  #account(slot: number): AccountSum {
    const sum = this.#accounts.get(slot)
    if (sum === undefined) throw new Error(`slot ${slot} is no account`)
    return sum
  }
}

function negative({ creditMicros, adjustMicros, spentMicros }: AccountSum, whose: string): string | null {
  const balance = creditMicros - adjustMicros - spentMicros
  return balance < 0 ? `the balance of ${whose} falls to ${balance} micros` : null
}
