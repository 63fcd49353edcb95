/** Appends to the numbered files of the audit log, reads them, and removes the oldest. */
import { constants } from 'node:fs'
import { appendFile, mkdir, open, readdir, readFile, rm, truncate } from 'node:fs/promises'
import { join } from 'node:path'

export const LINE_BYTES_MAX = 8 * 1024
const AUDIT_FILE_BYTES_MAX = 4 * 1024 * 1024
const AUDIT_FILES_MAX = 16

const { O_NOFOLLOW = 0, O_CREAT, O_APPEND, O_WRONLY } = constants
// The types know only names of flags.
const APPEND = (O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW) as unknown as string
const LINE_BREAK = 0x0a

interface File {
  number: number
  bytes: number
}

/** Number of a file times FILE_SPAN, plus an offset in it. */
export type Position = number

/** Content of one file, up to its last line break. */
export interface Content {
  start: Position
  bytes: Buffer
}

const FILE_SPAN = 2 ** 32

/** Opens the files of a folder. @param onFile gets the content of each, oldest first @throws the system's error */
export async function openAuditFiles(
  folder: string,
  onFile: (content: Content) => void,
  fileBytesMax = AUDIT_FILE_BYTES_MAX,
  filesMax = AUDIT_FILES_MAX,
) {
  const files: File[] = []
  const path = (number: number) => join(folder, `${String(number).padStart(8, '0')}.jsonl`)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const numbers = (await readdir(folder)).flatMap(name => /^(\d{8})\.jsonl$/.exec(name)?.[1] ?? [])
  for (const number of numbers.sort().map(Number)) {
    const text = await readFile(path(number))
    const file = { number, bytes: text.lastIndexOf(LINE_BREAK) + 1 }
    files.push(file)
    onFile({ start: number * FILE_SPAN, bytes: text.subarray(0, file.bytes) })
  }
  /** True if the last file may end in an incomplete line: after a failed write, and at first, since a crash may have left one. */
  let isTorn = numbers.length > 0
  if (numbers.length === 0) files.push({ number: 1, bytes: 0 })
  /** True if a file was removed since the last successful append. */
  let hasRemoved = false
  const last = () => files[files.length - 1]

  const makeRoom = async (): Promise<void> => {
    const { number, bytes } = last()
    // A write that failed may not have created its file.
    if (isTorn) await (bytes === 0 ? rm(path(number), { force: true }) : truncate(path(number), bytes))
    if (bytes < fileBytesMax) return
    files.push({ number: number + 1, bytes: 0 })
    for (const oldest of files.splice(0, Math.max(0, files.length - filesMax))) {
      hasRemoved = true
      await rm(path(oldest.number), { force: true })
    }
  }

  return {
    get firstPosition(): Position {
      return files[0].number * FILE_SPAN
    },
    /**
     * Appends whole lines and syncs. Returns their position; `hasRemoved` is true if files were removed since the last append.
     * @throws the system's error; readers then see none of the lines
     */
    async append(text: Buffer): Promise<{ start: Position; hasRemoved: boolean }> {
      await makeRoom()
      const file = last()
      isTorn = true
      await appendFile(path(file.number), text, { flag: APPEND, mode: 0o600, flush: true })
      isTorn = false
      const start = file.number * FILE_SPAN + file.bytes
      file.bytes += text.length
      const appended = { start, hasRemoved }
      hasRemoved = false
      return appended
    },
    /** Reads the line at a position, without its line break; `''` if its file was removed. */
    async readLine(position: Position): Promise<string> {
      const number = Math.floor(position / FILE_SPAN)
      if (files.every(file => file.number !== number)) return ''
      const handle = await open(path(number))
      try {
        const { bytesRead, buffer } = await handle.read({
          buffer: Buffer.alloc(LINE_BYTES_MAX + 1),
          position: position % FILE_SPAN,
        })
        const end = buffer.subarray(0, bytesRead).indexOf(LINE_BREAK)
        return buffer.toString('utf8', 0, end === -1 ? bytesRead : end)
      } finally {
        await handle.close()
      }
    },
    async *read(positions: readonly Position[]): AsyncGenerator<Content> {
      const numbers = new Set(positions.map(position => Math.floor(position / FILE_SPAN)))
      for (const { number, bytes } of files.filter(({ number }) => numbers.has(number)))
        yield { start: number * FILE_SPAN, bytes: (await readFile(path(number))).subarray(0, bytes) }
    },
  }
}
