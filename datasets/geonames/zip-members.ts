/** Reads the members of a zip file as streams, and vouches for every byte of them. */
import { open } from 'node:fs/promises'
import { crc32 } from 'node:zlib'
import yauzl from 'yauzl'

/** A member that claims to be larger than this is refused: GeoNames' largest has 130 MB. */
const MEMBER_BYTES_MAX = 2 * 1024 ** 3

/** What an entry of the directory begins with. */
const DIRECTORY_ENTRY = Buffer.from('PK\x01\x02', 'latin1')

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

/** A member whose name is damaged in the directory would be passed over: it stands before the content as well. */
async function checkName(file: yauzl.ZipFile, entry: yauzl.Entry): Promise<void> {
  const { fileName } = await file.readLocalFileHeaderPromise(entry)
  if (!fileName.equals(entry.fileNameRaw))
    throw new Error(`${entry.fileName} is the name in the directory, ${fileName} before the content`)
}

/** Compares the count of members, which may be damaged too, with what the directory at `end` goes on with. */
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
