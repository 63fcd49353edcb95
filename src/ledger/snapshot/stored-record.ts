import type { Book } from '../book/book.ts'
import { DAY_MS, DAYS_KEPT, History, HOUR_MS, HOURS_KEPT } from '../book/history.ts'
import type { AccountRecord, KeyRecord } from '../book/record.ts'

/** A record as a snapshot stores it: the account without its keys, the key with its account's slot and flat histories. */
export type StoredRecord = StoredAccount | StoredKey
type StoredAccount = Omit<AccountRecord, 'keys'>
interface StoredKey extends Omit<KeyRecord, 'account' | 'hours' | 'days'> {
  account: number
  hours: number[]
  days: number[]
}

export function packRecord(record: AccountRecord | KeyRecord): StoredRecord {
  if (record.type === 'account') {
    const { keys: _, ...stored } = record
    return stored
  }
  return {
    ...record,
    account: record.account.slot,
    hours: record.hours.toRows(),
    days: record.days.toRows(),
  }
}

/** Puts a stored record into the book, which must hold all slots before it. @throws Error when it does not fit */
export function unpackRecord(book: Book, stored: StoredRecord): void {
  if (stored.type === 'account') {
    book.addAccount({ ...stored, keys: [] })
    return
  }
  book.addKey({
    ...stored,
    account: book.account(stored.account),
    hours: new History(HOUR_MS, HOURS_KEPT, stored.hours),
    days: new History(DAY_MS, DAYS_KEPT, stored.days),
  })
}
