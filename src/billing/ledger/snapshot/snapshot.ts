/** Writes, reads and proves the file of a snapshot. */
import { createHash } from 'node:crypto'
import { Book } from '../book/book.ts'
import type { FileSystem } from '../disk/file-system.ts'
import { type NumberedFile, replaceFile, snapshotPath, withFile, writeAll } from '../disk/files.ts'
import { damage, LedgerError } from '../ledger-error.ts'
import { encodeFileHeader, FILE_HEADER_BYTES, readFileHeader, SNAPSHOT_MAGIC } from '../log/file-header.ts'
import { type Chain, encodeBatch, readFramesOf } from '../log/frame.ts'
import type { Anchor } from '../log/walk.ts'
import { addPayload, digestOf, type Ending, endingPayload, payloadsOf } from './snapshot-items.ts'

export interface BookAt {
  book: Book
  anchor: Anchor
}

/** Writes `book`, as of `anchor`, durably. Waits after every frame. @param isTooLate true gives the snapshot up */
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
  const path = snapshotPath(folder, sequence)
  await replaceFile(fs, path, async file => {
    const header = { epoch, ledgerId, sequence, chainCrc, createdMs: nowMs }
    await writeAll(file, encodeFileHeader(SNAPSHOT_MAGIC, header), 0)
    const chain: Chain = { sequence: 0, crc: 0, epoch }
    const digest = createHash('sha256')
    let position = FILE_HEADER_BYTES
    const write = async (payload: Buffer): Promise<void> => {
      const frame = encodeBatch([payload], chain)
      await writeAll(file, frame, position)
      position += frame.length
    }
    for (const payload of payloadsOf(book)) {
      if (isTooLate()) throw new Error('it took too long and was given up')
      digest.update(payload)
      await write(payload)
    }
    await write(endingPayload(book.slots.length, digest.digest()))
  })
  return path
}

/** Reads a snapshot and compares its digest with the writer's. Only a proved snapshot allows deletions. Returns the digest. */
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
): Promise<BookAt & { ending: Ending }> {
  return withFile(fs, path, 'read', async file => {
    const header = await readFileHeader(file, path, SNAPSHOT_MAGIC)
    if ('found' in header) throw new LedgerError('DAMAGED', header)
    if (header.sequence !== sequence)
      throw damage(path, 32, `a snapshot of sequence ${header.sequence}`, `${sequence}, as in its name`)
    const book = new Book()
    const chain: Chain = { sequence: 0, crc: 0, epoch: 0 }
    const digest = createHash('sha256')
    const endings: Ending[] = []
    const fault = await readFramesOf(file, chain, (payload, offset) => {
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
    if (fault !== null) throw damage(path, fault.offset, fault.found, fault.expected)
    const [ending] = endings
    if (ending === undefined)
      throw damage(path, await file.size(), 'the end of the file', 'the closing frame of the snapshot')
    const { length } = book.slots
    if (length !== ending.slots) throw damage(path, 0, `${length} accounts and keys`, `${ending.slots}`)
    const { ledgerId, chainCrc: crc, epoch } = header
    return { book, ending, anchor: { ledgerId, sequence, crc, epoch } }
  })
}
