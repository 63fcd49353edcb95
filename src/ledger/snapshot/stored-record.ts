/** A record as a snapshot stores it; FORMAT.md has the fields. Packing and unpacking stand together, so they agree. */
import type { Book } from '../book/book.ts'
import { DAY_MS, DAYS_KEPT, History, HOUR_MS, HOURS_KEPT } from '../book/history.ts'
import type { AccountRecord, KeyRecord } from '../book/record.ts'

export type StoredRecord = StoredAccount | StoredKey | StoredKeyV1
type StoredAccount = Omit<AccountRecord, 'keys' | 'activeKeys'>

/** A key as an array: without the names of its fields, which a map repeats for each key, it is read in a third of the time. */
type StoredKey = [
  slot: number,
  account: number,
  id: string,
  label: string,
  start: string,
  hash: string,
  createdMs: number,
  revokedMs: number,
  capMicros: number | null,
  spentMicros: number,
  lastUsedMs: number,
  month: number,
  monthSpentMicros: number,
  hours: Uint8Array,
  days: Uint8Array,
  ...queries: number[],
]

/** A key as snapshots had it at first: a map, with its histories as plain numbers. */
interface StoredKeyV1 extends Omit<KeyRecord, 'account' | 'hours' | 'days'> {
  account: number
  hours: number[]
  days: number[]
}

export function packRecord(record: AccountRecord | KeyRecord): StoredRecord {
  if (record.type === 'account') {
    const { keys: _, activeKeys: __, ...stored } = record
    return stored
  }
  return [
    record.slot,
    record.account.slot,
    record.id,
    record.label,
    record.start,
    record.hash,
    record.createdMs,
    record.revokedMs,
    record.capMicros,
    record.spentMicros,
    record.lastUsedMs,
    record.month,
    record.monthSpentMicros,
    record.hours.toPacked(),
    record.days.toPacked(),
    ...record.queries,
  ]
}

/** Puts a stored record into the book, which must hold all slots before it. @throws Error when it does not fit */
export function unpackRecord(book: Book, stored: StoredRecord): void {
  if (Array.isArray(stored)) book.addKey(unpackKey(book, stored))
  else if (stored.type === 'account') book.addAccount({ ...stored, keys: [], activeKeys: 0 })
  else {
    book.addKey({
      ...stored,
      account: book.account(stored.account),
      hours: new History(HOUR_MS, HOURS_KEPT, stored.hours),
      days: new History(DAY_MS, DAYS_KEPT, stored.days),
    })
  }
}

function unpackKey(book: Book, stored: StoredKey): KeyRecord {
  return {
    type: 'key',
    slot: stored[0],
    id: stored[2],
    account: book.account(stored[1]),
    label: stored[3],
    start: stored[4],
    hash: stored[5],
    createdMs: stored[6],
    revokedMs: stored[7],
    capMicros: stored[8],
    queries: stored.slice(15) as number[],
    spentMicros: stored[9],
    lastUsedMs: stored[10],
    month: stored[11],
    monthSpentMicros: stored[12],
    // Copies: the bytes of the snapshot are not kept, and may be a window that moves on.
    hours: new History(HOUR_MS, HOURS_KEPT, Buffer.from(stored[13])),
    days: new History(DAY_MS, DAYS_KEPT, Buffer.from(stored[14])),
  }
}
