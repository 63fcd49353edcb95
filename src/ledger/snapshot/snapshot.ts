/** The file of a snapshot: written, read, and proved to say what its writer meant. */
import { createHash } from 'node:crypto'
import { Book } from '../book/book.ts'
import type { FileSystem, OpenFile } from '../disk/file-system.ts'
import { type NumberedFile, readFully, replaceFile, snapshotPath, writeAll } from '../disk/files.ts'
import { LedgerError, REMEDY_RESTORE } from '../errors.ts'
import {
  decodeFileHeader,
  encodeFileHeader,
  FILE_HEADER_BYTES,
  newerFormat,
  SNAPSHOT_MAGIC,
} from '../log/file-header.ts'
import { type Chain, encodeBatch } from '../log/frame.ts'
import { readFramesOf } from '../log/frame-window.ts'
import type { Anchor } from '../log/walk.ts'
import { UnknownClassError } from '../usage-rows.ts'
import { addPayload, digestOf, type Ending, endingPayload, payloadsOf } from './snapshot-payloads.ts'

/** A book, and the frame up to which it adds up the ledger. */
export interface BookAt {
  book: Book
  anchor: Anchor
}

/**
 * Writes what `book` holds after `anchor` as a snapshot, durably. Yields to the event loop after every frame, and calls
 * `expectTime` before it, which may throw to give the snapshot up.
 * @throws RangeError for a record that no reader would accept; nothing is left behind then
 */
export async function writeSnapshot(
  fs: FileSystem,
  folder: string,
  anchor: Anchor,
  book: Book,
  nowMs: number,
  expectTime = () => {},
): Promise<string> {
  const { ledgerId, sequence, crc: chainCrc, epoch } = anchor
  if (ledgerId === null) throw new Error('a ledger without files has no snapshot')
  const path = snapshotPath(folder, sequence)
  await replaceFile(fs, folder, path, async file => {
    const header = { epoch, ledgerId, sequence, chainCrc, createdMs: nowMs }
    await writeAll(file, encodeFileHeader(SNAPSHOT_MAGIC, header), 0)
    await writeFrames(file, book, epoch, expectTime)
  })
  return path
}

async function writeFrames(file: OpenFile, book: Book, epoch: number, expectTime: () => void): Promise<void> {
  const chain: Chain = { sequence: 0, crc: 0, epoch }
  const digest = createHash('sha256')
  let position = FILE_HEADER_BYTES
  const write = async (payload: Buffer): Promise<void> => {
    const frame = encodeBatch([payload], chain)
    await writeAll(file, frame, position)
    position += frame.length
  }
  for (const payload of payloadsOf(book)) {
    expectTime()
    digest.update(payload)
    await write(payload)
  }
  await write(endingPayload(book.slots.length, digest.digest()))
}

/**
 * Reads a snapshot of any length. @throws LedgerError DAMAGED, which the caller passes over when the segments reach back
 * further; NEWER_FORMAT
 */
export async function readSnapshot(fs: FileSystem, file: NumberedFile): Promise<BookAt> {
  const { book, anchor } = await read(fs, file)
  return { book, anchor }
}

/**
 * Reads a snapshot, packs what was read again and compares that with the digest that its writer took of the book in
 * memory. Only then may something be deleted because the snapshot holds it. Costs twice as much as reading.
 * @throws LedgerError DAMAGED or NEWER_FORMAT
 */
export async function proveSnapshot(fs: FileSystem, file: NumberedFile): Promise<BookAt> {
  const { book, anchor, ending } = await read(fs, file)
  const found = digestOf(book)
  if (ending.digest !== null && !found.equals(ending.digest)) {
    const expected = `${Buffer.from(ending.digest).toString('hex')}, which its writer took of the book`
    throw damaged(file.path, 0, `a book with the digest ${found.toString('hex')}`, expected)
  }
  return { book, anchor }
}

async function read(fs: FileSystem, { path, sequence }: NumberedFile): Promise<BookAt & { ending: Ending }> {
  const file = await fs.open(path, 'read')
  try {
    const head = Buffer.alloc(FILE_HEADER_BYTES)
    const header = decodeFileHeader(path, SNAPSHOT_MAGIC, head.subarray(0, await readFully(file, head, 0)))
    if ('found' in header) throw new LedgerError('DAMAGED', header)
    if (header.sequence !== sequence) {
      throw damaged(path, 32, `a snapshot of sequence ${header.sequence}`, `${sequence}, as its name says`)
    }
    const book = new Book()
    const ending = await readInto(book, header.version, path, file)
    const { ledgerId, chainCrc: crc, epoch } = header
    return { book, ending, anchor: { ledgerId, sequence, crc, epoch } }
  } finally {
    await file.close()
  }
}

async function readInto(book: Book, version: number, path: string, file: OpenFile): Promise<Ending> {
  const chain: Chain = { sequence: 0, crc: 0, epoch: 0 }
  const endings: Ending[] = []
  const fault = await readFramesOf(file, FILE_HEADER_BYTES, chain, (bytes, start, end) => {
    try {
      if (endings.length > 0) throw new Error('a frame after the closing one')
      const ending = addPayload(book, version, bytes, start, end)
      if (ending !== null) endings.push(ending)
    } catch (error) {
      if (error instanceof UnknownClassError) throw newerFormat(path, 0, error)
      throw damaged(path, 0, `in frame ${chain.sequence}: ${String(error)}`, 'a record that fits the book')
    }
  })
  if (fault !== null) throw damaged(path, fault.offset, fault.found, fault.expected)
  const ending = endings[0]
  if (ending === undefined)
    throw damaged(path, await file.size(), 'the end of the file', 'the closing frame of the snapshot')
  expectCount(path, 'accounts and keys', book.slots.length, ending.slots)
  // Texts that were different in memory and are equal in the file would merge two payments into one.
  let entries = 0
  for (const account of book.accounts.values()) entries += account.entries.length
  expectCount(path, 'references', book.references.size, entries)
  return ending
}

function expectCount(path: string, what: string, found: number, expected: number): void {
  if (found !== expected) throw damaged(path, 0, `${found} ${what}`, `${expected}`)
}

function damaged(file: string, offset: number, found: string, expected: string): LedgerError {
  return new LedgerError('DAMAGED', { file, offset, found, expected, remedy: REMEDY_RESTORE })
}
