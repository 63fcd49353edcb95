/** What a snapshot says: a book as the payloads of frames that every reader accepts, and back. */
import { createHash } from 'node:crypto'
import { FRAME_BYTES_WANTED } from '../../limits.ts'
import { type Book, identityKey } from '../book/book.ts'
import type { AccountRecord, Entry } from '../book/record.ts'
import { packValue, unpackValue } from '../event.ts'
import { packRecord, type StoredRecord, unpackRecord } from './stored-record.ts'

type Identity = AccountRecord['identities'][number]

type Payload =
  | ['records', ...StoredRecord[]]
  | ['entries', slot: number, ...Entry[]]
  | ['identities', slot: number, ...Identity[]]
  | ['end', slots: number, digest: Uint8Array]
/** In version 1 a frame held 1,000 records whatever their size, and nothing but the end had a name. */
type PayloadV1 = StoredRecord[] | ['end', number]

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
    yield* records.add(packRecord({ ...record, entries: [], identities: [] }))
    yield* records.finish()
    yield* payloadsOfList('entries', record.slot, record.entries)
    yield* payloadsOfList('identities', record.slot, record.identities)
  }
  yield* records.finish()
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
  const value = unpackValue(bytes, start, end)
  if (version > 1) return addNamed(book, value as Payload)
  const payload = value as PayloadV1
  if (isEndV1(payload)) return { slots: payload[1], digest: null }
  for (const stored of payload) unpackRecord(book, stored)
  return null
}

function isEndV1(payload: PayloadV1): payload is ['end', number] {
  return payload[0] === 'end'
}

function addNamed(book: Book, payload: Payload): Ending | null {
  switch (payload[0]) {
    case 'records':
      for (let index = 1; index < payload.length; index++) unpackRecord(book, payload[index] as StoredRecord)
      return null
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
    case 'end':
      return { slots: payload[1], digest: payload[2] }
    default:
      payload satisfies never
      throw new Error(`a frame of the unknown kind ${JSON.stringify((payload as unknown[])[0])}`)
  }
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
  for (const value of values) yield* builder.add(value)
  yield* builder.finish()
}

/** Gathers values into MessagePack arrays of a bounded size that all begin with `head`. */
class PayloadBuilder {
  readonly #head: readonly Buffer[]
  #pieces: Buffer[] = []
  #bytes = 0

  constructor(...head: (string | number)[]) {
    this.#head = head.map(packValue)
  }

  /** Yields what has gathered when `value` no longer fits. A value larger than the bound gets a payload to itself. */
  *add(value: unknown): Generator<Buffer> {
    const piece = packValue(value)
    if (this.#bytes + piece.length > FRAME_BYTES_WANTED) yield* this.finish()
    this.#pieces.push(piece)
    this.#bytes += piece.length
  }

  *finish(): Generator<Buffer> {
    if (this.#pieces.length === 0) return
    // The header of a MessagePack `array 32`: a marker, and the count in four bytes, big-endian.
    const header = Buffer.alloc(5, 0xdd)
    header.writeUInt32BE(this.#head.length + this.#pieces.length, 1)
    yield Buffer.concat([header, ...this.#head, ...this.#pieces])
    this.#pieces = []
    this.#bytes = 0
  }
}
