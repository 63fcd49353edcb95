/** Reads the members of a zip file as streams, and vouches for every byte of them. */
import { crc32 } from 'node:zlib'
import yauzl from 'yauzl'

/** A member that claims to be larger than this is refused: GeoNames' largest has 130 MB. */
const MEMBER_BYTES_MAX = 2 * 1024 ** 3

export interface ZipMember {
  name: string
  /** When it was last changed, read as UTC: the zip format knows no time zones, and no other machine may read another day. */
  modified: Date
  /** Its content. The last step fails when length or CRC-32 are not what the zip file's directory says. */
  content: AsyncIterable<Buffer>
}

/**
 * Members of the zip file at `path` that `wanted` accepts by name, one after the other; each is to be read to its end
 * before the next. @throws when the file is cut short or damaged, with its path and the remedy in the message.
 */
export async function* zipMembers(path: string, wanted: (name: string) => boolean): AsyncIterable<ZipMember> {
  try {
    const file = await yauzl.openPromise(path, { autoClose: false })
    try {
      for await (const entry of file.eachEntry())
        if (wanted(entry.fileName))
          yield {
            name: entry.fileName,
            modified: entry.getLastModDate({ timezone: 'UTC' }),
            content: content(path, file, entry),
          }
    } finally {
      file.close()
    }
  } catch (error) {
    throw damaged(path, error)
  }
}

async function* content(path: string, file: yauzl.ZipFile, entry: yauzl.Entry): AsyncIterable<Buffer> {
  try {
    yield* checked(file, entry)
  } catch (error) {
    throw damaged(path, error)
  }
}

async function* checked(file: yauzl.ZipFile, entry: yauzl.Entry): AsyncIterable<Buffer> {
  if (entry.uncompressedSize > MEMBER_BYTES_MAX)
    throw new Error(
      `${entry.fileName} claims ${entry.uncompressedSize} bytes, the limit is ${MEMBER_BYTES_MAX}`,
    )
  let crc = 0
  for await (const chunk of await file.openReadStreamPromise(entry)) {
    crc = crc32(chunk, crc)
    yield chunk
  }
  // yauzl has compared the length by now; the checksum it leaves to its caller.
  if (crc !== entry.crc32)
    throw new Error(`${entry.fileName} has CRC-32 ${hex(crc)}, the directory says ${hex(entry.crc32)}`)
}

function hex(value: number): string {
  return value.toString(16).padStart(8, '0')
}

function damaged(path: string, error: unknown): unknown {
  if ((error as NodeJS.ErrnoException).code === 'ENOENT') return error
  const reason = error instanceof Error ? error.message : String(error)
  return new Error(`${path}: the zip file is damaged or cut short (${reason}); fetch it again`, {
    cause: error,
  })
}
