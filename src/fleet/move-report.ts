/** What both directions of a move report, and how they refuse. */

import type { Book } from '../ledger/book/book.ts'
import { balanceMicros } from '../ledger/book/record.ts'

export interface MoveReport {
  /** The folder of the ledger, and the database without its password. */
  folder: string
  database: string
  fleet: string
  /** True when an earlier run had moved everything, and this one has only finished it. */
  isFinished: boolean
  accounts: number
  keys: number
  balanceMicros: number
  queries: number
  /** The ledger that was in the folder before, or null. */
  replaced: string | null
}

/** A move that must not be made. Neither side has changed. */
export class MoveRefusedError extends Error {}

export function totalsOf(book: Book): Pick<MoveReport, 'accounts' | 'keys' | 'balanceMicros' | 'queries'> {
  let balance = 0
  for (const account of book.accounts.values()) balance += balanceMicros(account)
  let queries = 0
  let keys = 0
  for (const key of book.keys.values()) {
    queries += key.queriesSum()
    keys++
  }
  return { accounts: book.accounts.size, keys, balanceMicros: balance, queries }
}

/** @throws MoveRefusedError with the differences, if there are any */
export function expectSame(differences: readonly string[]): void {
  if (differences.length === 0) return
  throw new MoveRefusedError(
    `What was written is not what was read, and nothing was changed: ${differences.join('; ')}. ` +
      'Ask `postrie ledger verify`; if the ledger is sound, report this as a fault of postrie.',
  )
}
