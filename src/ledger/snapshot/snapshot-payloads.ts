/** What a snapshot says: a book as the payloads of frames that every reader accepts, and back. */
import { createHash } from 'node:crypto'
import { FRAME_BYTES_WANTED } from '../../limits.ts'
import { type Book, identityKey } from '../book/book.ts'
import type { AccountRecord, Entry, Identity, RolledSecret } from '../book/record.ts'
import { expectKnownClasses } from '../decode-payload.ts'
import { type KeyRules, packValue, unpackValue } from '../event.ts'
import { cursorOf, isTextNext, readArrayLength, readText } from '../message-pack.ts'
import { packAccount, packRecord, unpackRecord } from './stored-record.ts'

/** What a payload holds besides records, which are read in place. */
type Payload =
  | ['entries', slot: number, ...Entry[]]
  | ['identities', slot: number, ...Identity[]]
  | ['rules', ...StoredRules[]]
  | ['end', slots: number, digest: Uint8Array]
/** What a key may do, and the secret that it had before. */
interface StoredRules {
  /** Its slot. */
  key: number
  rules: KeyRules | null
  rolled: RolledSecret | null
}

/** What the closing frame claims. */
export interface Ending {
  slots: number
  /** SHA-256 of all payloads before it; null in version 1. */
  digest: Uint8Array | null
}

/**
 * The payloads of `book` in order, all but the closing one, each of about FRAME_BYTES_WANTED at most. An account whose
 * lists alone would exceed that is stored without them, and they follow in payloads of their own.
 */
export function* payloadsOf(book: Book): Generator<Buffer> {
  const records = new PayloadBuilder('records')
  for (const record of book.slots) {
    if (record.type === 'key' || listBytesMax(record) <= FRAME_BYTES_WANTED) {
      yield* records.add(packRecord(record))
      continue
    }
    yield* records.add(packAccount(record, [], []))
    yield* records.finish()
    yield* payloadsOfList('entries', record.slot, record.entries)
    yield* payloadsOfList('identities', record.slot, record.identities)
  }
  yield* records.finish()
  yield* payloadsOfRules(book)
}

/** The closing payload. */
export function endingPayload(slots: number, digest: Uint8Array): Buffer {
  return packValue(['end', slots, digest])
}

/** SHA-256 of everything that a snapshot of `book` would say. Costs as much as writing one, without the disk. */
export function digestOf(book: Book): Buffer {
  const digest = createHash('sha256')
  for (const payload of payloadsOf(book)) digest.update(payload)
  return digest.digest()
}

/**
 * Adds what `bytes[start, end)` says to `book`, which holds everything before it. Returns what the closing payload
 * claims, else null. @throws Error when it does not fit the book
 */
export function addPayload(
  book: Book,
  version: number,
  bytes: Buffer,
  start: number,
  end: number,
): Ending | null {
  const cursor = cursorOf(bytes, start, end)
  let records = readArrayLength(cursor)
  if (version > 1) {
    if (readText(cursor) !== 'records') return addNamed(book, unpackValue(bytes, start, end) as Payload)
    records--
  } else if (records > 0 && isTextNext(cursor)) {
    // In version 1 a frame held 1,000 records whatever their size, and nothing but the end had a name.
    const [, slots] = unpackValue(bytes, start, end) as ['end', number]
    return { slots, digest: null }
  }
  for (let record = 0; record < records; record++) unpackRecord(book, cursor)
  if (cursor.offset !== end) throw new Error(`${end - cursor.offset} bytes after the last record`)
  return null
}

function addNamed(book: Book, payload: Payload): Ending | null {
  switch (payload[0]) {
    case 'entries': {
      const account = book.account(payload[1])
      for (let index = 2; index < payload.length; index++) addEntry(book, account, payload[index] as Entry)
      return null
    }
    case 'identities': {
      const account = book.account(payload[1])
      for (let index = 2; index < payload.length; index++)
        addIdentity(book, account, payload[index] as Identity)
      return null
    }
    case 'rules':
      for (let index = 1; index < payload.length; index++) addRules(book, payload[index] as StoredRules)
      return null
    case 'end':
      return { slots: payload[1], digest: payload[2] }
    default:
      payload satisfies never
      throw new Error(`a frame of the unknown kind ${JSON.stringify((payload as unknown[])[0])}`)
  }
}

/** Books without any have no such payload, as those from before there were rules. */
function* payloadsOfRules(book: Book): Generator<Buffer> {
  const builder = new PayloadBuilder('rules')
  for (const record of book.slots) {
    if (record.type !== 'key' || (record.rules === null && record.rolled === null)) continue
    const { slot: key, rules, rolled } = record
    yield* builder.add(packValue({ key, rules, rolled } satisfies StoredRules))
  }
  yield* builder.finish()
}

function addRules(book: Book, { key, rules, rolled }: StoredRules): void {
  const record = book.key(key)
  expectKnownClasses(rules?.endpoints ?? null)
  record.rules = rules
  record.rolled = rolled
}

function addEntry(book: Book, account: AccountRecord, entry: Entry): void {
  account.entries.push(entry)
  book.references.set(entry.reference, { account, entry })
}

function addIdentity(book: Book, account: AccountRecord, identity: Identity): void {
  account.identities.push(identity)
  book.byIdentity.set(identityKey(identity.issuer, identity.subject), account)
}

/** No less than the bytes that the lists of an account take when packed: UTF-8 has at most three bytes a character. */
function listBytesMax({ entries, identities }: AccountRecord): number {
  let bytes = 0
  for (const { reference, note } of entries) bytes += 160 + 3 * (reference.length + note.length)
  for (const { issuer, subject } of identities) bytes += 40 + 3 * (issuer.length + subject.length)
  return bytes
}

function* payloadsOfList(name: string, slot: number, values: readonly unknown[]): Generator<Buffer> {
  const builder = new PayloadBuilder(name, slot)
  for (const value of values) yield* builder.add(packValue(value))
  yield* builder.finish()
}

/** Gathers packed values into MessagePack arrays of a bounded size that all begin with `head`. */
class PayloadBuilder {
  readonly #head: Buffer
  readonly #headValues: number
  #bytes: Buffer
  #end: number
  #values = 0

  constructor(...head: (string | number)[]) {
    // The header of a MessagePack `array 32`: a marker, and the count in four bytes, big-endian.
    this.#head = Buffer.concat([Buffer.alloc(ARRAY_HEADER_BYTES, 0xdd), ...head.map(packValue)])
    this.#headValues = head.length
    this.#bytes = this.#head
    this.#end = this.#head.length
  }

  /** Yields what has gathered when `piece` no longer fits. A value larger than the bound gets a payload to itself. */
  *add(piece: Uint8Array): Generator<Buffer> {
    if (this.#end - this.#head.length + piece.length > FRAME_BYTES_WANTED) yield* this.finish()
    if (this.#values === 0) this.#begin(piece.length)
    this.#bytes.set(piece, this.#end)
    this.#end += piece.length
    this.#values++
  }

  *finish(): Generator<Buffer> {
    if (this.#values === 0) return
    this.#bytes.writeUInt32BE(this.#headValues + this.#values, 1)
    yield this.#bytes.subarray(0, this.#end)
    this.#values = 0
    this.#end = this.#head.length
  }

  /** Memory of its own for each payload: what was yielded may be in the hands of a writer. */
  #begin(firstBytes: number): void {
    this.#bytes = Buffer.allocUnsafe(this.#head.length + Math.max(FRAME_BYTES_WANTED, firstBytes))
    this.#bytes.set(this.#head)
  }
}

const ARRAY_HEADER_BYTES = 5
