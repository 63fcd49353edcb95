/** A second way to add up a ledger, by plain sums of its entries, that shares no arithmetic with the book. */

import { type LedgerEvent, USAGE_ROW } from '../event.ts'
import type { Book } from './book.ts'
import type { AccountRecord, KeyRecord } from './record.ts'

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

  /** Adds one event. Returns a sentence when a balance or debt would be negative or a count would fall. */
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
      case 'credit': {
        const account = this.#account(event.account)
        account.creditMicros += event.micros - event.debtPaidMicros
        account.debtMicros -= event.debtPaidMicros
        return negative(account, `the account in slot ${event.account}`)
      }
      case 'adjust': {
        const account = this.#account(event.account)
        account.adjustMicros += event.takenMicros
        account.debtMicros += event.micros - event.takenMicros
        return negative(account, `the account in slot ${event.account}`)
      }
      case 'closed': {
        const account = this.#account(event.account)
        account.adjustMicros += event.takenMicros
        return negative(account, `the account in slot ${event.account}`)
      }
      case 'usage':
        return this.#addUsage(event.rows)
      // What moves no money. A new kind of event has to be put here or above.
      case 'open':
      case 'identity':
      case 'rename':
      case 'revoke':
      case 'cap':
      case 'limits':
      case 'profile':
      case 'suspended':
      case 'resumed':
        return null
      default:
        event satisfies never
        return `an unknown kind of event ${JSON.stringify((event as LedgerEvent).kind)}`
    }
  }

  /** Sentences for everything in which the book differs from these sums. */
  compare(book: Book): string[] {
    return book.slots.flatMap(record =>
      record.type === 'account' ? this.#compareAccount(record) : this.#compareKey(record),
    )
  }

  #compareAccount(record: AccountRecord): string[] {
    const sum = this.#account(record.slot)
    const balance = record.creditedMicros - record.spentMicros
    const problems: string[] = []
    if (balanceOf(sum) !== balance) {
      problems.push(`account ${record.id}: entries add up to ${balanceOf(sum)}, the balance is ${balance}`)
    }
    if (sum.debtMicros !== record.debtMicros) {
      const { debtMicros } = record
      problems.push(
        `account ${record.id}: entries leave a debt of ${sum.debtMicros}, the book has ${debtMicros}`,
      )
    }
    return problems
  }

  #compareKey(record: KeyRecord): string[] {
    const sum = this.#keys.get(record.slot)?.row.slice(1).join(' ')
    const booked = [...record.queries, record.spentMicros].join(' ')
    return sum === booked ? [] : [`key ${record.id}: entries add up to ${sum}, the book has ${booked}`]
  }

  #addUsage(rows: readonly number[]): string | null {
    for (let start = 0; start < rows.length; start += USAGE_ROW) {
      this.entries += start === 0 ? 0 : 1
      const row = rows.slice(start, start + USAGE_ROW)
      const key = this.#keys.get(row[0])
      if (key === undefined) return `slot ${row[0]} is used and is not a key`
      if (row.some((value, index) => index > 0 && value < key.row[index]))
        return `usage of slot ${row[0]} falls`
      key.account.spentMicros += row[USAGE_ROW - 1] - key.row[USAGE_ROW - 1]
      key.row = row
      const problem = negative(key.account, `the account of slot ${row[0]}`)
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

function balanceOf({ creditMicros, adjustMicros, spentMicros }: AccountSum): number {
  return creditMicros - adjustMicros - spentMicros
}

function negative(sum: AccountSum, whose: string): string | null {
  if (balanceOf(sum) < 0) return `the balance of ${whose} falls to ${balanceOf(sum)} micros`
  return sum.debtMicros < 0 ? `the debt of ${whose} falls to ${sum.debtMicros} micros` : null
}
