/** The files of the audit log: numbered, appended to, read at positions, and removed from the oldest on. */
import { constants } from 'node:fs'
import { type FileHandle, mkdir, open, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { closeAll } from '../../platform/close-all.ts'
import { AUDIT_FILE_BYTES_MAX, AUDIT_FILES_MAX, AUDIT_LINE_BYTES_MAX } from '../limits.ts'

const { O_NOFOLLOW = 0, O_CREAT, O_RDWR } = constants
const LINE_BREAK = 0x0a

interface File {
  number: number
  handle: FileHandle
  bytes: number
}

/** A place in the log: higher ones are newer. */
export type Position = number
const FILE_SPAN = 2 ** 32

export class AuditFiles {
  readonly #folder: string
  readonly #files: File[] = []
  readonly #fileBytesMax: number
  readonly #filesMax: number

  private constructor(folder: string, fileBytesMax: number, filesMax: number) {
    this.#folder = folder
    this.#fileBytesMax = fileBytesMax
    this.#filesMax = filesMax
  }

  /** @throws the system's error when the folder or a file cannot be used */
  static async open(
    folder: string,
    fileBytesMax = AUDIT_FILE_BYTES_MAX,
    filesMax = AUDIT_FILES_MAX,
  ): Promise<AuditFiles> {
    const files = new AuditFiles(folder, fileBytesMax, filesMax)
    await mkdir(folder, { recursive: true, mode: 0o700 })
    const numbers = (await readdir(folder)).flatMap(name => /^(\d{8})\.jsonl$/.exec(name)?.[1] ?? [])
    try {
      for (const number of numbers.sort()) await files.#add(Number(number))
      if (files.#files.length === 0) await files.#add(1)
      await files.#cutTail()
      return files
    } catch (error) {
      await files.close()
      throw error
    }
  }

  /** The oldest position that is still there. */
  get first(): Position {
    return this.#files[0].number * FILE_SPAN
  }

  /**
   * Appends whole lines and syncs. Returns where they begin; `removed` says whether older entries had to go.
   * @throws the system's error; nothing is appended then that a reader would see
   */
  async append(text: Buffer): Promise<{ start: Position; removed: boolean }> {
    const removed = await this.#turn()
    const file = this.#last()
    const start = file.number * FILE_SPAN + file.bytes
    // What an earlier, failed write has left is written over.
    const { bytesWritten } = await file.handle.write(text, 0, text.length, file.bytes)
    if (bytesWritten < text.length)
      throw new Error(`only ${bytesWritten} of ${text.length} bytes of the audit log were written`)
    await file.handle.datasync()
    file.bytes += text.length
    return { start, removed }
  }

  /** The line at a position, without its line break; `''` when it is gone. */
  async line(position: Position): Promise<string> {
    const file = this.#files.find(({ number }) => number === Math.floor(position / FILE_SPAN))
    if (file === undefined) return ''
    const bytes = Buffer.alloc(AUDIT_LINE_BYTES_MAX + 1)
    const { bytesRead } = await file.handle.read(bytes, 0, bytes.length, position % FILE_SPAN)
    const end = bytes.subarray(0, bytesRead).indexOf(LINE_BREAK)
    return bytes.toString('utf8', 0, end === -1 ? bytesRead : end)
  }

  /** Each file as a whole, from its first byte to its last line break, the oldest first. */
  async *contents(): AsyncGenerator<{ start: Position; bytes: Buffer }> {
    for (const file of [...this.#files]) {
      const bytes = Buffer.alloc(file.bytes)
      const { bytesRead } = await file.handle.read(bytes, 0, bytes.length, 0)
      yield { start: file.number * FILE_SPAN, bytes: bytes.subarray(0, bytesRead) }
    }
  }

  async close(): Promise<void> {
    await closeAll(...this.#files.map(file => () => file.handle.close()))
  }

  #last(): File {
    return this.#files[this.#files.length - 1]
  }

  /** Begins the next file when the last one is full. Returns whether the oldest was removed. */
  async #turn(): Promise<boolean> {
    const last = this.#last()
    if (last.bytes < this.#fileBytesMax) return false
    await this.#add(last.number + 1)
    let removed = false
    while (this.#files.length > this.#filesMax) {
      const [oldest] = this.#files.splice(0, 1)
      await oldest.handle.close()
      await rm(this.#path(oldest.number), { force: true })
      removed = true
    }
    return removed
  }

  async #add(number: number): Promise<void> {
    const handle = await open(this.#path(number), O_RDWR | O_CREAT | O_NOFOLLOW, 0o600)
    const file = { number, handle, bytes: 0 }
    this.#files.push(file)
    file.bytes = (await handle.stat()).size
  }

  /** A crash may have left the beginning of a line, which nobody has relied on. */
  async #cutTail(): Promise<void> {
    const last = this.#last()
    const bytes = Buffer.alloc(last.bytes)
    await last.handle.read(bytes, 0, bytes.length, 0)
    const end = bytes.lastIndexOf(LINE_BREAK) + 1
    if (end === last.bytes) return
    await last.handle.truncate(end)
    last.bytes = end
  }

  #path(number: number): string {
    return join(this.#folder, `${String(number).padStart(8, '0')}.jsonl`)
  }
}
