/**
 * A private file of lines that says how many bytes of lines it has. A start notices what was lost. See FORMAT.md.
 *
 *     ["postrie store 1",         48,2774013186]                  64 bytes
 *     ["acct_7Q",{"email":["balance.low"],"webhook":null}]        48 bytes, which the header counts
 */
import { constants } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import { basename } from 'node:path'
import { crc32 } from 'node:zlib'
import { openPrivate, PRIVATE_MODE, readPrivate } from '../../platform/private-files.ts'
import { writeWhole } from '../../platform/replace-file.ts'

const HEADER_BYTES = 64
const HEADER = /^\["postrie store 1", *(\d+),(\d+)\] *\n$/
const EMPTY = Buffer.alloc(0)

/**
 * Opens the file at `path`, and returns its lines. The first write creates a missing file.
 * @param ifLost consequence of moving the file away, for the operator
 * @throws Error if the file is not private or damaged
 */
export async function openStoreFile(path: string, ifLost: string) {
  const whole = await readPrivate(path)
  const lines = whole === undefined ? EMPTY : linesOf(whole, path, ifLost)
  const ofName = crc32(basename(path))
  let bytes = lines.length
  let checksum = crc32(lines, ofName)
  let exists = whole !== undefined
  /** True after a failed write, which may have changed the header. */
  let isTorn = false

  async function replace(next: Buffer): Promise<void> {
    const sum = crc32(next, ofName)
    await writeWhole(path, Buffer.concat([headerOf(next.length, sum), next]), PRIVATE_MODE)
    exists = true
    written(next.length, sum)
  }

  /** Appends after the acknowledged lines, over what a failed write or a killed process left there. */
  async function appendTo(file: FileHandle, next: Buffer): Promise<void> {
    if (isTorn) await writeDurably(file, headerOf(bytes, checksum), 0)
    isTorn = true
    await writeDurably(file, next, HEADER_BYTES + bytes)
    const sum = crc32(next, checksum)
    await writeDurably(file, headerOf(bytes + next.length, sum), 0)
    written(bytes + next.length, sum)
  }

  function written(length: number, sum: number): void {
    bytes = length
    checksum = sum
    isTorn = false
  }

  const file = {
    get bytes(): number {
      return bytes
    },
    /** Replaces all lines. A crash leaves the old or the new ones. @throws the system's error */
    replace,
    /** Appends whole lines, durably. @throws the system's error; the file then has none of them */
    async append(next: Buffer): Promise<void> {
      if (!exists) return replace(next)
      const file = await openPrivate(path, constants.O_WRONLY)
      await appendTo(file, next).finally(() => file.close())
    },
    /** Returns the acknowledged lines; none if the file was removed. */
    async read(): Promise<Buffer> {
      const whole = (await readPrivate(path)) ?? EMPTY
      return whole.subarray(HEADER_BYTES, HEADER_BYTES + bytes)
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
  const [, bytesText, checksum] = HEADER.exec(whole.toString('latin1', 0, HEADER_BYTES)) ?? []
  const bytes = Number(bytesText)
  const lines = whole.subarray(HEADER_BYTES, HEADER_BYTES + bytes)
  const found =
    bytesText === undefined
      ? `${whole.length} bytes without the header of a store`
      : lines.length < bytes
        ? `${lines.length} bytes of lines; expected ${bytes}`
        : `${bytes} bytes of lines that are damaged or of another file`
  if (lines.length === bytes && crc32(lines, crc32(basename(path))) === Number(checksum)) return lines
  throw damaged(path, found, ifLost)
}

export function damaged(where: string, found: string, ifLost: string): Error {
  return new Error(
    `${where}: found ${found}. Records that were stored are lost. ` +
      `Restore it from a copy, or move it away and restart: ${ifLost}.`,
  )
}

async function writeDurably(file: FileHandle, bytes: Buffer, position: number): Promise<void> {
  for (let at = 0; at < bytes.length; )
    at += (await file.write(bytes, at, bytes.length - at, position + at)).bytesWritten
  await file.datasync()
}
