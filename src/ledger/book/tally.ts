/** A second way to add up a ledger, by plain sums of its entries, that shares no arithmetic with the book. */

import type { LedgerEvent } from '../event.ts'
import { nextUsageRow, readUsageRow, USAGE_CLASSES_COUNT } from '../usage-rows.ts'
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
  /** What the key's rows have said last: counts are cumulative. */
  queries: number[]
  spentMicros: number
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
        const { slot, queries, spentMicros } = record
        this.#keys.set(slot, { account, queries, spentMicros })
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
          queries: new Array(USAGE_CLASSES_COUNT).fill(0),
          spentMicros: 0,
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
      case 'rules':
      case 'roll':
      case 'overlap':
      case 'invited':
      case 'uninvited':
      case 'member':
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
    const sum = this.#keys.get(record.slot)
    const summed = sum && [...sum.queries, sum.spentMicros].join(' ')
    const booked = [...record.queries, record.spentMicros].join(' ')
    return summed === booked ? [] : [`key ${record.id}: entries add up to ${summed}, the book has ${booked}`]
  }

  #addUsage(rows: readonly number[]): string | null {
    for (let row = 0; row < rows.length; row = nextUsageRow(rows, row)) {
      this.entries += row === 0 ? 0 : 1
      const slot = rows[row]
      const key = this.#keys.get(slot)
      if (key === undefined) return `slot ${slot} is used and is not a key`
      const queries = [...key.queries]
      readUsageRow(rows, row, queries)
      const spentMicros = rows[nextUsageRow(rows, row) - 1]
      if (spentMicros < key.spentMicros || queries.some((count, usage) => count < key.queries[usage]))
        return `usage of slot ${slot} falls`
      key.account.spentMicros += spentMicros - key.spentMicros
      key.queries = queries
      key.spentMicros = spentMicros
      const problem = negative(key.account, `the account of slot ${slot}`)
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
