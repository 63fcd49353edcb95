import { USAGE_CLASSES_MAX } from '../../../platform/limits.ts'
import type { LedgerEvent, UsageRow } from '../event.ts'
import type { Book } from './book.ts'

/** Sums of an account, or the last row of a key. */
interface Sums {
  /** Slot of the account. */
  account: number
  balanceMicros: number
  debtMicros: number
  queries: readonly number[]
  spentMicros: number
}

const NO_QUERIES: readonly number[] = new Array<number>(USAGE_CLASSES_MAX).fill(0)

/** Adds up a ledger by plain sums of its entries, without the book's arithmetic, as a check. */
export class Tally {
  entries = 0
  readonly #sums: Sums[] = []

  constructor({ slots }: Book) {
    for (const record of slots) {
      this.#open(record.slot, record.type === 'key' ? record.account.slot : record.slot)
      if (record.type === 'key') this.#use({ ...record, key: record.slot })
      else
        for (const entry of record.entries) this.#change(record.slot, entry.balanceMicros, entry.debtMicros)
    }
  }

  /** Adds one event. Returns a sentence if an account has a negative balance or debt, or both at once, or a count falls. */
  add(event: LedgerEvent): string | null {
    this.entries++
    switch (event.kind) {
      case 'account':
        return this.#open(event.slot, event.slot)
      case 'key':
        return this.#open(event.slot, event.account)
      case 'credit':
        return this.#change(event.account, event.micros - event.debtPaidMicros, -event.debtPaidMicros)
      case 'adjust':
        return this.#change(event.account, -event.takenMicros, event.micros - event.takenMicros)
      case 'closed':
        return this.#change(event.account, -event.takenMicros, 0)
      case 'usage':
        // The event counts as its first row.
        this.entries += event.rows.length - 1
        return event.rows.reduce<string | null>((flaw, row) => this.#use(row) ?? flaw, null)
      default:
        return null
    }
  }

  compare(book: Book): string[] {
    return book.slots.flatMap(record => {
      const { type, id } = record
      const sums = this.#of(record.slot)
      const [summed, booked] =
        type === 'account'
          ? [
              moneyText(sums),
              moneyText({ ...record, balanceMicros: record.creditedMicros - record.spentMicros }),
            ]
          : [sums, record].map(({ queries, spentMicros }) => [...queries, spentMicros].join(' '))
      return summed === booked ? [] : [`${type} ${id}: entries add up to ${summed}, the book has ${booked}`]
    })
  }

  #open(slot: number, account: number): null {
    this.#sums[slot] = { account, balanceMicros: 0, debtMicros: 0, queries: NO_QUERIES, spentMicros: 0 }
    return null
  }

  #change(slot: number, balanceMicros: number, debtMicros: number): string | null {
    const sums = this.#of(slot)
    sums.balanceMicros += balanceMicros
    sums.debtMicros += debtMicros
    return flawOf(sums)
  }

  #use({ key, queries, spentMicros }: UsageRow): string | null {
    const sums = this.#of(key)
    const addedMicros = spentMicros - sums.spentMicros
    const isLower = addedMicros < 0 || sums.queries.some((count, usage) => queries[usage] < count)
    Object.assign(sums, { queries, spentMicros })
    return isLower ? `usage of slot ${key} falls` : this.#change(sums.account, -addedMicros, 0)
  }

  #of(slot: number): Sums {
    const sums = this.#sums[slot]
    if (sums === undefined) throw new Error(`slot ${slot} is not an account or key`)
    return sums
  }
}

function flawOf({ account, balanceMicros, debtMicros }: Sums): string | null {
  const whose = `the account in slot ${account}`
  if (balanceMicros > 0 && debtMicros > 0)
    return `${whose} has a balance of ${balanceMicros} micros and a debt of ${debtMicros}`
  if (balanceMicros < 0) return `the balance of ${whose} falls to ${balanceMicros} micros`
  return debtMicros < 0 ? `the debt of ${whose} falls to ${debtMicros} micros` : null
}

function moneyText({ balanceMicros, debtMicros }: Pick<Sums, 'balanceMicros' | 'debtMicros'>): string {
  return `a balance of ${balanceMicros} and a debt of ${debtMicros}`
}
