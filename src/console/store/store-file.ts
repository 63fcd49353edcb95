/**
 * A private file of lines that says in itself how many bytes of lines it must have. Whatever was stored and is lost is noticed at the
 * next start. FORMAT.md describes the file.
 *
 *     ["postrie store 1",         48,2774013186]                  64 bytes
 *     ["acct_7Q",{"email":["balance.low"],"webhook":null}]        48 bytes, acknowledged once the header counts them
 */
import { constants } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import { basename } from 'node:path'
import { crc32 } from 'node:zlib'
import { openPrivate, readPrivate, replacePrivate } from './private-file.ts'

const HEADER_BYTES = 64
const HEADER = /^\["postrie store 1", *(\d+),(\d+)\] *\n$/

export type StoreFile = Awaited<ReturnType<typeof openStoreFile>>['file']

/**
 * Opens the file at `path`, and returns its lines. The first write creates a missing file.
 * @param ifLost consequence of moving the file away, for the operator
 * @throws Error if the file is not private or damaged
 */
export async function openStoreFile(path: string, ifLost: string) {
  const whole = await readPrivate(path)
  const lines = whole === undefined ? Buffer.alloc(0) : linesOf(whole, path, ifLost)
  let bytes = lines.length
  const ofName = crc32(basename(path))
  let checksum = crc32(lines, ofName)
  let exists = whole !== undefined
  /** True after a failed write, which may have changed the header. */
  let isTorn = false

  async function replace(next: Buffer): Promise<void> {
    const sum = crc32(next, ofName)
    await replacePrivate(path, Buffer.concat([headerOf(next.length, sum), next]))
    bytes = next.length
    checksum = sum
    exists = true
    isTorn = false
  }

  /** Appends after the acknowledged lines, over anything that a failed write or a killed process left there. */
  async function appendTo(file: FileHandle, next: Buffer): Promise<void> {
    if (isTorn) await writeDurably(file, headerOf(bytes, checksum), 0)
    isTorn = true
    await writeDurably(file, next, HEADER_BYTES + bytes)
    const sum = crc32(next, checksum)
    await writeDurably(file, headerOf(bytes + next.length, sum), 0)
    bytes += next.length
    checksum = sum
    isTorn = false
  }

  const file = {
    /** Bytes of all lines. */
    get bytes(): number {
      return bytes
    },
    /** Replaces all lines. A crash leaves the old or the new ones. @throws the system's error */
    replace,
    /** Appends whole lines. Resolves when they are durable. @throws the system's error; the file then has none of them */
    async append(next: Buffer): Promise<void> {
      if (!exists) return replace(next)
      const file = await openPrivate(path, constants.O_WRONLY)
      await appendTo(file, next).finally(() => file.close())
    },
    /** Returns up to `length` bytes of the lines from `position` on. */
    async read(position: number, length: number): Promise<Buffer> {
      const file = await openPrivate(path, constants.O_RDONLY)
      const buffer = Buffer.alloc(Math.min(length, bytes - position))
      const { bytesRead } = await file
        .read({ buffer, position: HEADER_BYTES + position })
        .finally(() => file.close())
      return buffer.subarray(0, bytesRead)
    },
  }
  return { file, lines, isNew: whole === undefined }
}

function headerOf(bytes: number, checksum: number): Buffer {
  const header = `["postrie store 1",${String(bytes).padStart(11)},${checksum}]`
  return Buffer.from(`${header.padEnd(HEADER_BYTES - 1)}\n`)
}

/** Returns the acknowledged lines. Bytes after them were never acknowledged. */
function linesOf(whole: Buffer, path: string, ifLost: string): Buffer {
  const damaged = (found: string): Error =>
    new Error(
      `${path}: found ${found}. Records that were stored are lost. ` +
        `Restore the file from a copy, or move it away and restart: ${ifLost}.`,
    )
  const [, bytesText, checksum] = HEADER.exec(whole.toString('latin1', 0, HEADER_BYTES)) ?? []
  if (bytesText === undefined) throw damaged(`${whole.length} bytes without the header of a store`)
  const bytes = Number(bytesText)
  const lines = whole.subarray(HEADER_BYTES, HEADER_BYTES + bytes)
  if (lines.length < bytes) throw damaged(`${lines.length} bytes of lines; expected ${bytes}`)
  if (crc32(lines, crc32(basename(path))) !== Number(checksum))
    throw damaged(`${bytes} bytes of lines that are damaged or of another file`)
  return lines
}

async function writeDurably(file: FileHandle, bytes: Buffer, position: number): Promise<void> {
  for (let at = 0; at < bytes.length; )
    at += (await file.write(bytes, at, bytes.length - at, position + at)).bytesWritten
  await file.datasync()
}
