/** Writes, reads and proves the file of a snapshot. */

import { createHash } from 'node:crypto'
import { Book } from '../book/book.ts'
import { AccountRecord, type Entry, KeyRecord } from '../book/record.ts'
import { addMember, ensureTeam } from '../book/team.ts'
import type { FileSystem } from '../disk/file-system.ts'
import { type NumberedFile, numberedPath, rewriteFile, withFile, writeAll } from '../disk/files.ts'
import { damage, damageOf } from '../ledger-error.ts'
import { encodeFileHeader, FILE_HEADER_BYTES, readFileHeader, SNAPSHOT_MAGIC } from '../log/file-header.ts'
import { type Chain, encodeBatch, expectPayload, PAYLOAD_BYTES_MAX, readFramesOf } from '../log/frame.ts'
import type { Anchor } from '../log/walk.ts'
import { describeValue, packValue, unpackOwn } from '../plain-message-pack.ts'

/** Bytes at which a writer of many small values closes a frame and begins the next. */
const FRAME_BYTES_WANTED = 256 * 1024

export type BookAt = { book: Book; anchor: Anchor }

/** Writes `book`, as of `anchor`, durably, with waits. @param isTooLate true gives the snapshot up */
export async function writeSnapshot(
  fs: FileSystem,
  folder: string,
  anchor: Anchor,
  book: Book,
  nowMs: number,
  isTooLate = () => false,
): Promise<string> {
  const { ledgerId, sequence, crc: chainCrc, epoch } = anchor
  if (ledgerId === null) throw new Error('a ledger without files has no snapshot')
  const path = numberedPath(folder, sequence, 'snapshot')
  await rewriteFile(fs, path, async file => {
    const header = { epoch, ledgerId, sequence, chainCrc, createdMs: nowMs }
    await writeAll(file, encodeFileHeader(SNAPSHOT_MAGIC, header), 0)
    const chain: Chain = { sequence: 0, crc: 0, epoch }
    const digest = createHash('sha256')
    let position = FILE_HEADER_BYTES
    const write = async (payload: Buffer): Promise<void> => {
      expectPayload(payload, PAYLOAD_BYTES_MAX)
      const frame = encodeBatch([payload], chain)
      await writeAll(file, frame, position)
      position += frame.length
    }
    for (const payload of payloadsOf(book)) {
      if (isTooLate()) throw new Error('it took too long and was given up')
      digest.update(payload)
      await write(payload)
    }
    await write(packValue({ item: 'end', slots: book.slots.length, digest: digest.digest() } satisfies Item))
  })
  return path
}

/** Reads a snapshot and compares its digest, which allows deletions. Returns the digest. */
export async function proveSnapshot(fs: FileSystem, file: NumberedFile): Promise<Buffer> {
  const { book, ending } = await readSnapshot(fs, file)
  const found = digestOf(book)
  if (!found.equals(ending.digest)) {
    const expected = `${Buffer.from(ending.digest).toString('hex')}, the writer's digest of the book`
    throw damage(file.path, 0, `a book with the digest ${found.toString('hex')}`, expected)
  }
  return found
}

/** @throws LedgerError DAMAGED, OTHER_FORMAT */
export function readSnapshot(
  fs: FileSystem,
  { path, sequence }: NumberedFile,
): Promise<BookAt & { ending: EndItem }> {
  return withFile(fs, path, 'read', async file => {
    const header = await readFileHeader(file, path, SNAPSHOT_MAGIC)
    if ('found' in header) throw damageOf(path, header)
    if (header.sequence !== sequence)
      throw damage(path, 32, `a snapshot of sequence ${header.sequence}`, `${sequence}, as in its name`)
    const book = new Book()
    const chain: Chain = { sequence: 0, crc: 0, epoch: 0 }
    const digest = createHash('sha256')
    const endings: EndItem[] = []
    const flaw = await readFramesOf(file, chain, (payload, offset) => {
      try {
        if (endings.length > 0) throw new Error('a frame after the closing one')
        const ending = addPayload(book, payload)
        if (ending === null) digest.update(payload)
        else if (digest.digest().equals(ending.digest)) endings.push(ending)
        else throw new Error('the digest does not fit the payloads')
      } catch (error) {
        const expected = "the payload of the writer's digest"
        throw damage(path, offset, `in frame ${chain.sequence}: ${String(error)}`, expected)
      }
    })
    if (flaw !== null) throw damageOf(path, flaw)
    const [ending] = endings
    if (ending === undefined)
      throw damage(path, await file.size(), 'the end of the file', 'the closing frame of the snapshot')
    const { length } = book.slots
    if (length !== ending.slots) throw damage(path, 0, `${length} accounts and keys`, `${ending.slots}`)
    const { ledgerId, chainCrc: crc, epoch } = header
    return { book, ending, anchor: { ledgerId, sequence, crc, epoch } }
  })
}

type KeyItem = ReturnType<typeof keyItem>
type Item =
  | ReturnType<typeof accountItem>
  | { item: 'entry'; account: number; entry: Entry }
  | KeyItem
  | EndItem

type EndItem = { item: 'end'; slots: number; digest: Uint8Array }

/** Yields the payloads of `book`, without the ending: about FRAME_BYTES_WANTED, or one larger item. */
export function* payloadsOf(book: Book): Generator<Buffer> {
  let values: Buffer[] = []
  let bytes = 0
  for (const item of itemsOf(book)) {
    const value = packValue(item)
    if (bytes > 0 && bytes + value.length > FRAME_BYTES_WANTED) {
      yield Buffer.concat(values)
      values = []
      bytes = 0
    }
    values.push(value)
    bytes += value.length
  }
  if (bytes > 0) yield Buffer.concat(values)
}

export function digestOf(book: Book): Buffer {
  const digest = createHash('sha256')
  for (const payload of payloadsOf(book)) digest.update(payload)
  return digest.digest()
}

/** Adds the next payload of a snapshot to `book`. Returns the last item of the snapshot, or null. */
export function addPayload(book: Book, payload: Uint8Array): EndItem | null {
  let ending: EndItem | null = null
  for (const item of unpackOwn(payload) as Item[]) {
    if (ending !== null) throw new Error('an item after the last one')
    if (item.item === 'end') ending = item
    else addItem(book, item)
  }
  return ending
}

function* itemsOf(book: Book): Generator<Item> {
  for (const record of book.slots) {
    if (record.type === 'key') yield keyItem(record)
    else {
      yield accountItem(record)
      // One by one, since an account may have more than fit a frame.
      for (const entry of record.entries) yield { item: 'entry', account: record.slot, entry }
    }
  }
}

function accountItem(record: AccountRecord) {
  const { type: _, team, keys: _keys, entries: _entries, ...account } = record
  const people = team && { members: [...team.members], invitations: [...team.invitations.values()] }
  return { item: 'account' as const, ...account, team: people }
}

/** Queries are without the zeros at the end. Rare fields are left out where they say nothing. */
function keyItem({ type: _, months, offMs, previousStarts, ...key }: KeyRecord) {
  const queries = key.queries.slice(0, 1 + key.queries.findLastIndex(count => count > 0))
  const usage = { queries, hours: key.hours.packed(), days: key.days.packed() }
  const rare = {
    ...(months.length > 0 && { months }),
    ...(offMs > 0 && { offMs }),
    ...(previousStarts.length > 0 && { previousStarts }),
  }
  return { item: 'key' as const, ...key, account: key.account.slot, ...usage, ...rare }
}

function addItem(book: Book, item: Exclude<Item, EndItem>): void {
  switch (item.item) {
    case 'account': {
      const { item: _, identities, team, ...fields } = item
      const account = Object.assign(new AccountRecord(fields, fields.createdMs), fields)
      book.addAccount(account)
      for (const { issuer, subject } of identities) book.addIdentity(account, issuer, subject)
      if (team === null) return
      const { invitations } = ensureTeam(account)
      for (const invitation of team.invitations) invitations.set(invitation.id, invitation)
      for (const [person, role] of team.members) addMember(account, person, role, book.memberships)
      return
    }
    case 'entry':
      return book.addEntry(book.account(item.account), item.entry)
    case 'key':
      return book.addKey(keyOf(book, item))
    default:
      throw new Error(`unknown item ${describeValue(item satisfies never)}`)
  }
}

/** Copies field by field: rest properties would take a tenth of a start. */
function keyOf(book: Book, item: KeyItem): KeyRecord {
  const key = new KeyRecord(item, book.account(item.account), item.createdMs)
  key.revokedMs = item.revokedMs
  key.offMs = item.offMs ?? 0
  key.capMicros = item.capMicros
  key.rules = item.rules
  key.previous = item.previous
  key.previousStarts = item.previousStarts ?? []
  key.spentMicros = item.spentMicros
  key.lastUsedMs = item.lastUsedMs
  key.months = item.months ?? []
  if (item.queries.length > 0) key.queries = key.queries.map((_, usage) => item.queries[usage] ?? 0)
  key.hours.restore(item.hours)
  key.days.restore(item.days)
  return key
}
