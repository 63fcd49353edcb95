/** A record as a snapshot stores it; FORMAT.md has the fields. Packing and unpacking stand together, so they agree. */
import type { Book } from '../book/book.ts'
import { joinHistories } from '../book/key-usage.ts'
import { packRows } from '../book/packed-rows.ts'
import {
  AccountRecord,
  type Entry,
  type Identity,
  KeyRecord,
  type NewAccountRecord,
  type Standing,
  TEXTS_COUNT,
} from '../book/record.ts'
import { type StoredTeam, Team } from '../book/team.ts'
import { packValue, type RateLimits, unpackValue } from '../event.ts'
import {
  type Cursor,
  HEADER_BYTES_MAX,
  isArrayNext,
  NUMBER_BYTES_MAX,
  readArrayLength,
  readBinaryLength,
  readCount,
  readCountOrNull,
  readNumber,
  skipText,
  skipValue,
  writeArrayLength,
  writeBinaryLength,
  writeNumber,
  writeNumberOrNull,
} from '../message-pack.ts'
import { FIRST_CLASSES, UnknownClassError, USAGE_CLASSES_COUNT } from '../usage-rows.ts'

/** The fields of an account in the order in which they are stored. */
interface StoredAccount extends NewAccountRecord {
  type: 'account'
  creditedMicros: number
  debtMicros: number
  spentMicros: number
  limits: RateLimits | null
  lowBalanceMicros: number | null
  /** Missing while the keys of the account are answered, as in snapshots from before there was such a state. */
  standing?: Standing
  /** Missing where there is none, as in snapshots from before there were teams. */
  team?: StoredTeam
}

/** A key as snapshots had it at first: a map, with its histories as plain numbers. */
interface StoredKeyV1 {
  type: 'key'
  slot: number
  account: number
  id: string
  label: string
  start: string
  hash: string
  createdMs: number
  revokedMs: number
  capMicros: number | null
  queries: number[]
  spentMicros: number
  lastUsedMs: number
  month: number
  monthSpentMicros: number
  hours: number[]
  days: number[]
}

/** Numbers of a key's record besides its queries. */
const NUMBERS = 9
/** Values of a key's record besides its queries: its numbers, its texts and its histories. */
const VALUES = NUMBERS + TEXTS_COUNT + 1
/** No fewer than the bytes of a key's record without its texts and histories. */
const KEY_BYTES_MAX = 2 * HEADER_BYTES_MAX + (NUMBERS + USAGE_CLASSES_COUNT) * NUMBER_BYTES_MAX

/** The bytes of a record. Those of a key are valid until the next one is packed. */
export function packRecord(record: AccountRecord | KeyRecord): Buffer {
  return record.type === 'key' ? packKey(record) : packAccount(record, record.identities, record.entries)
}

/** As `packRecord`, with these lists instead of its own. */
export function packAccount(account: AccountRecord, identities: Identity[], entries: Entry[]): Buffer {
  const { type, slot, id, email, createdMs, creditedMicros, debtMicros, spentMicros } = account
  const { limits, lowBalanceMicros, standing, team } = account
  const stored: StoredAccount = {
    type,
    slot,
    id,
    email,
    createdMs,
    creditedMicros,
    debtMicros,
    spentMicros,
    limits,
    lowBalanceMicros,
    identities,
    entries,
    ...(standing !== null && { standing }),
    ...(team !== null && { team: team.stored() }),
  }
  return packValue(stored)
}

/**
 * Byte for byte what the library makes of the same array: the digests of older snapshots were taken of that. They had the first
 * classes only, so a key that has used no others is still packed as it was then.
 */
function packKey(key: KeyRecord): Buffer {
  const texts = key.packedTexts()
  const bytes = scratch(KEY_BYTES_MAX + texts.length + key.historiesBytesMax())
  const { classes } = key
  let end = writeArrayLength(bytes, 0, VALUES + classes)
  end = writeNumber(bytes, end, key.slot)
  end = writeNumber(bytes, end, key.account.slot)
  bytes.set(texts, end)
  end += texts.length
  end = writeNumber(bytes, end, key.createdMs)
  end = writeNumber(bytes, end, key.revokedMs)
  end = writeNumberOrNull(bytes, end, key.capMicros)
  end = writeNumber(bytes, end, key.spentMicros)
  end = writeNumber(bytes, end, key.lastUsedMs)
  end = writeNumber(bytes, end, key.month)
  end = writeNumber(bytes, end, key.monthSpentMicros)
  end = writeHistories(key, bytes, end)
  for (let usage = 0; usage < classes; usage++) end = writeNumber(bytes, end, key.queriesOf(usage))
  return bytes.subarray(0, end)
}

/** How long the histories are is known once they are written, and how long their header is after that. */
function writeHistories(key: KeyRecord, bytes: Buffer, offset: number): number {
  const start = offset + HEADER_BYTES_MAX
  const end = key.writeHistories(bytes, start)
  const headerEnd = writeBinaryLength(bytes, offset, end - start)
  bytes.copyWithin(headerEnd, start, end)
  return headerEnd + end - start
}

let reused = Buffer.alloc(0)

function scratch(bytes: number): Buffer {
  if (reused.length < bytes) reused = Buffer.allocUnsafeSlow(bytes * 2)
  return reused
}

/** Puts the record that comes next into the book, which must hold all slots before it. @throws Error when it does not fit */
export function unpackRecord(book: Book, cursor: Cursor): void {
  if (isArrayNext(cursor)) return unpackKey(book, cursor)
  const start = cursor.offset
  skipValue(cursor)
  const stored = unpackValue(cursor.bytes, start, cursor.offset) as StoredAccount | StoredKeyV1
  if (stored.type === 'account') unpackAccount(book, stored)
  else unpackKeyV1(book, stored)
}

function unpackAccount(book: Book, stored: StoredAccount): void {
  book.expectSlot(stored.slot)
  const account = new AccountRecord(book.cells, stored)
  account.creditedMicros = stored.creditedMicros
  account.debtMicros = stored.debtMicros
  account.spentMicros = stored.spentMicros
  account.limits = stored.limits
  account.lowBalanceMicros = stored.lowBalanceMicros
  account.standing = stored.standing ?? null
  account.team = stored.team === undefined ? null : new Team(stored.team)
  book.addAccount(account)
}

/** The cursor's bytes must stay as they are: the histories are read from there when they are asked for. */
function unpackKey(book: Book, cursor: Cursor): void {
  const { bytes } = cursor
  const classes = readArrayLength(cursor) - VALUES
  if (classes < FIRST_CLASSES)
    throw new Error(`a key of ${VALUES + classes} values, not ${VALUES + FIRST_CLASSES}`)
  if (classes > USAGE_CLASSES_COUNT) throw new UnknownClassError(`a key with ${classes} usage classes`)
  const slot = readCount(cursor)
  book.expectSlot(slot)
  const account = book.account(readCount(cursor))
  const textsStart = cursor.offset
  for (let text = 0; text < TEXTS_COUNT; text++) skipText(cursor)
  book.texts.keepPacked(bytes, textsStart, cursor.offset)
  const key = new KeyRecord(book.cells, book.texts, slot, account, readNumber(cursor))
  key.revokedMs = readNumber(cursor)
  key.capMicros = readCountOrNull(cursor)
  key.spentMicros = readCount(cursor)
  key.lastUsedMs = readNumber(cursor)
  key.month = readCount(cursor)
  key.monthSpentMicros = readCount(cursor)
  const historiesEnd = readBinaryLength(cursor) + cursor.offset
  if (historiesEnd > cursor.end) throw new Error(`the histories of key ${key.id} are cut short`)
  key.restoreHistories(bytes, cursor.offset, historiesEnd)
  cursor.offset = historiesEnd
  for (let usage = 0; usage < classes; usage++) key.setQueries(usage, readCount(cursor))
  book.addKey(key)
}

function unpackKeyV1(book: Book, stored: StoredKeyV1): void {
  const { slot, id, label, start, hash, createdMs } = stored
  book.expectSlot(slot)
  book.texts.keep(id, label, start, hash)
  const key = new KeyRecord(book.cells, book.texts, slot, book.account(stored.account), createdMs)
  key.revokedMs = stored.revokedMs
  key.capMicros = stored.capMicros
  key.spentMicros = stored.spentMicros
  key.lastUsedMs = stored.lastUsedMs
  key.month = stored.month
  key.monthSpentMicros = stored.monthSpentMicros
  const histories = joinHistories(packRows(stored.hours), packRows(stored.days))
  key.restoreHistories(histories, 0, histories.length)
  for (let usage = 0; usage < FIRST_CLASSES; usage++) key.setQueries(usage, stored.queries[usage])
  book.addKey(key)
}
