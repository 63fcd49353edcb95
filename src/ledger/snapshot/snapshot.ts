import { Book } from '../book/book.ts'
import type { FileSystem } from '../disk/file-system.ts'
import { type NumberedFile, readWhole, replaceFile, snapshotPath, writeAll } from '../disk/files.ts'
import { LedgerError, REMEDY_RESTORE } from '../errors.ts'
import { packValue, unpackValue } from '../event.ts'
import { decodeFileHeader, encodeFileHeader, FILE_HEADER_BYTES, SNAPSHOT_MAGIC } from '../log/file-header.ts'
import { type Chain, encodeBatch, readFrames } from '../log/frame.ts'
import type { Anchor } from '../log/walk.ts'
import { packRecord, type StoredRecord, unpackRecord } from './stored-record.ts'

/** Records per frame: a few hundred kilobytes. */
const RECORDS_PER_FRAME = 1000

/** Writes what `book` holds after `anchor` as a snapshot, durably. Yields to the event loop after every frame. */
export async function writeSnapshot(
  fs: FileSystem,
  folder: string,
  anchor: Anchor,
  book: Book,
  nowMs: number,
): Promise<string> {
  const { ledgerId, sequence, crc, epoch } = anchor
  if (ledgerId === null) throw new Error('a ledger without files has no snapshot')
  const path = snapshotPath(folder, sequence)
  await replaceFile(fs, folder, path, async file => {
    const header = encodeFileHeader(SNAPSHOT_MAGIC, {
      epoch,
      ledgerId,
      sequence,
      chainCrc: crc,
      createdMs: nowMs,
    })
    await writeAll(file, header, 0)
    const chain: Chain = { sequence: 0, crc: 0, epoch }
    let position = header.length
    const write = async (payload: Buffer): Promise<void> => {
      const frame = encodeBatch([payload], chain)
      await writeAll(file, frame, position)
      position += frame.length
    }
    for (let slot = 0; slot < book.slots.length; slot += RECORDS_PER_FRAME) {
      await write(packValue(book.slots.slice(slot, slot + RECORDS_PER_FRAME).map(packRecord)))
    }
    await write(packValue(['end', book.slots.length]))
  })
  return path
}

/** Reads a snapshot back. @throws LedgerError DAMAGED: the caller passes over it when the segments reach back further */
export async function readSnapshot(
  fs: FileSystem,
  { path, sequence }: NumberedFile,
): Promise<{ book: Book; anchor: Anchor }> {
  const bytes = await readWhole(fs, path)
  const header = decodeFileHeader(path, SNAPSHOT_MAGIC, bytes)
  if ('found' in header) throw new LedgerError('DAMAGED', header)
  const damaged = (offset: number, found: string, expected: string): LedgerError =>
    new LedgerError('DAMAGED', { file: path, offset, found, expected, remedy: REMEDY_RESTORE })
  if (header.sequence !== sequence) {
    throw damaged(32, `a snapshot of sequence ${header.sequence}`, `${sequence}, as its name says`)
  }
  const book = new Book()
  let complete = false
  const chain: Chain = { sequence: 0, crc: 0, epoch: 0 }
  const fault = readFrames(bytes, FILE_HEADER_BYTES, chain, (_, start, end) => {
    const payload = unpackValue(bytes, start, end) as StoredRecord[] | ['end', number]
    if (isEnd(payload)) complete = payload[1] === book.slots.length
    else for (const stored of payload) unpackRecord(book, stored)
  })
  if (fault !== null) throw damaged(fault.offset, fault.found, fault.expected)
  if (!complete) throw damaged(bytes.length, 'the end of the file', 'the closing frame of the snapshot')
  return { book, anchor: { ledgerId: header.ledgerId, sequence, crc: header.chainCrc, epoch: header.epoch } }
}

function isEnd(payload: StoredRecord[] | ['end', number]): payload is ['end', number] {
  return payload[0] === 'end'
}
