/** A record as a snapshot stores it; FORMAT.md has the fields. Packing and unpacking stand together, so they agree. */
import type { Book } from '../book/book.ts'
import { DAY_MS, DAYS_KEPT, History, HOUR_MS, HOURS_KEPT } from '../book/history.ts'
import { packRows } from '../book/packed-rows.ts'
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
  histories: Uint8Array,
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
    packHistories(record.hours.toPacked(), record.days.toPacked()),
    ...record.queries,
  ]
}

/** Puts a stored record into the book, which must hold all slots before it. @throws Error when it does not fit */
export function unpackRecord(book: Book, stored: StoredRecord): void {
  if (Array.isArray(stored)) {
    book.addKey(unpackKey(book, stored))
  } else if (stored.type === 'account') {
    book.addAccount({ ...stored, keys: [], activeKeys: 0 })
  } else {
    book.addKey({
      ...stored,
      account: book.account(stored.account),
      hours: new History(HOUR_MS, HOURS_KEPT, packRows(stored.hours)),
      days: new History(DAY_MS, DAYS_KEPT, packRows(stored.days)),
    })
  }
}

function unpackKey(book: Book, stored: StoredKey): KeyRecord {
  const start = keepBytes(stored[13])
  const middle = start + HISTORY_LENGTH_BYTES + chunk[start] + chunk[start + 1] * 256
  const end = start + stored[13].length
  if (middle > end) throw new Error(`the hours of key ${stored[2]} are cut short`)
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
    queries: stored.slice(14) as number[],
    spentMicros: stored[9],
    lastUsedMs: stored[10],
    month: stored[11],
    monthSpentMicros: stored[12],
    hours: new History(HOUR_MS, HOURS_KEPT, chunk, start + HISTORY_LENGTH_BYTES, middle),
    days: new History(DAY_MS, DAYS_KEPT, chunk, middle, end),
  }
}

const HISTORY_LENGTH_BYTES = 2

/** Both histories of a key: the length of the hours (u16), the hours, the days. One piece is read faster than two. */
function packHistories(hours: Uint8Array, days: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(HISTORY_LENGTH_BYTES + hours.length + days.length)
  bytes[0] = hours.length % 256
  bytes[1] = hours.length >> 8
  bytes.set(hours, HISTORY_LENGTH_BYTES)
  bytes.set(days, HISTORY_LENGTH_BYTES + hours.length)
  return bytes
}

/** The histories of many keys share a chunk: an array for each would cost a start as much as all the rest of its key. */
const CHUNK_BYTES = 1024 * 1024
let chunk = new Uint8Array(0)
let chunkUsed = 0

/** Copies `bytes` into the present chunk and returns where. The snapshot's own bytes are not kept. */
function keepBytes(bytes: Uint8Array): number {
  if (chunkUsed + bytes.length > chunk.length) {
    chunk = new Uint8Array(Math.max(CHUNK_BYTES, bytes.length))
    chunkUsed = 0
  }
  chunk.set(bytes, chunkUsed)
  chunkUsed += bytes.length
  return chunkUsed - bytes.length
}
