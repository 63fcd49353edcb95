/** Reads members of a zip file within bounds, and checks every byte against the directory's checksum. */
import { open } from 'node:fs/promises'
import { crc32 } from 'node:zlib'
import yauzl from 'yauzl'
import { SOURCE_FILE_BYTES_MAX } from '../limits.ts'

/** Maximum number of members. GeoNames' files have two. */
const ZIP_MEMBERS_MAX = 1000
/** Maximum ratio of unpacked to packed bytes. GeoNames' files have 8, a file of zeros 1,000. */
const ZIP_EXPANSION_MAX = 100

const DIRECTORY_ENTRY = Buffer.from('PK\x01\x02', 'latin1')

interface ZipMember {
  name: string
  /** Last change, read as UTC: the format has no time zone, and every machine must read the same day. */
  modified: Date
  /** Fails at the end when length or CRC-32 differ from the directory. */
  content: AsyncIterable<Buffer>
}

/**
 * Yields the members that `wanted` accepts. Each must be read to its end before the next.
 * @throws Error when the file is cut short, damaged, or larger than the bounds allow
 */
export async function* zipMembers(path: string, wanted: (name: string) => boolean): AsyncIterable<ZipMember> {
  try {
    const file = await yauzl.openPromise(path, { autoClose: false })
    try {
      if (file.entryCount > ZIP_MEMBERS_MAX)
        throw new BoundError(path, `${file.entryCount} members found, at most ${ZIP_MEMBERS_MAX} expected`)
      for await (const entry of file.eachEntry()) {
        await checkName(file, entry)
        if (wanted(entry.fileName))
          yield {
            name: entry.fileName,
            modified: entry.getLastModDate({ timezone: 'UTC' }),
            content: content(path, file, entry),
          }
      }
      await checkEnd(path, Number(file.readEntryCursor))
    } finally {
      file.close()
    }
  } catch (error) {
    throw damaged(path, error)
  }
}

/** A damaged name in the directory would hide a member. The name before the content shows that. */
async function checkName(file: yauzl.ZipFile, entry: yauzl.Entry): Promise<void> {
  const { fileName } = await file.readLocalFileHeaderPromise(entry)
  if (!fileName.equals(entry.fileNameRaw))
    throw new Error(`${entry.fileName} is the name in the directory, ${fileName} before the content`)
}

/** Checks that no entry follows the last one: their number may be damaged too. */
async function checkEnd(path: string, end: number): Promise<void> {
  const file = await open(path)
  try {
    const { buffer } = await file.read(Buffer.alloc(4), 0, 4, end)
    if (buffer.equals(DIRECTORY_ENTRY)) throw new Error('it has more members than its last record says')
  } finally {
    await file.close()
  }
}

async function* content(path: string, file: yauzl.ZipFile, entry: yauzl.Entry): AsyncIterable<Buffer> {
  try {
    checkSize(path, entry)
    let crc = 0
    for await (const chunk of await file.openReadStreamPromise(entry)) {
      crc = crc32(chunk, crc)
      yield chunk
    }
    // yauzl has compared the length only.
    if (crc !== entry.crc32)
      throw new Error(`${entry.fileName} has CRC-32 ${hex(crc)}, the directory says ${hex(entry.crc32)}`)
  } catch (error) {
    throw damaged(path, error)
  }
}

/** The directory claims sizes. yauzl fails when the content has more bytes. */
function checkSize(path: string, { fileName, compressedSize, uncompressedSize }: yauzl.Entry): void {
  if (uncompressedSize > SOURCE_FILE_BYTES_MAX)
    throw new BoundError(
      path,
      `${fileName} has ${uncompressedSize} bytes unpacked, at most ${SOURCE_FILE_BYTES_MAX} expected`,
    )
  if (uncompressedSize > compressedSize * ZIP_EXPANSION_MAX)
    throw new BoundError(
      path,
      `${fileName} has ${compressedSize} bytes packed and ${uncompressedSize} unpacked, ` +
        `at most ${ZIP_EXPANSION_MAX} times as many expected`,
    )
}

/** Thrown for a file that GeoNames would not offer. */
class BoundError extends Error {
  constructor(path: string, problem: string) {
    super(`${path}: ${problem}; this is not a file of GeoNames, fetch it again after deleting this copy`)
  }
}

function hex(value: number): string {
  return value.toString(16).padStart(8, '0')
}

function damaged(path: string, error: unknown): unknown {
  if ((error as NodeJS.ErrnoException).code === 'ENOENT' || error instanceof BoundError) return error
  const reason = error instanceof Error ? error.message : String(error)
  return new Error(
    `${path}: the zip file is damaged or cut short (${reason}); fetch it again after deleting this copy`,
    {
      cause: error,
    },
  )
}
