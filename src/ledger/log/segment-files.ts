/**
 * The segment that grows, and an empty file for the next one, which is opened before it is needed: connections may have
 * taken every file descriptor by then.
 */
import { join } from 'node:path'
import { closeAll } from '../../platform/close-all.ts'
import type { FileSystem, OpenFile, OpenFolder } from '../disk/file-system.ts'
import { SPARE_NAME, segmentPath, writeAll } from '../disk/files.ts'
import { LedgerError } from '../errors.ts'
import { encodeFileHeader, FILE_HEADER_BYTES, SEGMENT_MAGIC, SEGMENT_VERSION } from './file-header.ts'
import type { Chain } from './frame.ts'
import type { LastSegment } from './walk.ts'

export interface SegmentFilesOptions {
  fs: FileSystem
  folder: string
  ledgerId: Buffer
  nowMs: () => number
}

/** Errors of a process, or a system, that has used up its file descriptors. */
const NO_DESCRIPTOR = ['EMFILE', 'ENFILE']

export class SegmentFiles {
  /** Length of the segment that grows. */
  bytes = 0
  readonly #options: SegmentFilesOptions
  readonly #folder: OpenFolder
  readonly #sparePath: string
  #current: OpenFile | null = null
  #currentPath = ''
  #spare: OpenFile | null = null
  /** What paths named when this writer took them over: each must still name the same file after every sync. */
  readonly #watched = new Map<string, string | null>()

  private constructor(options: SegmentFilesOptions, folder: OpenFolder) {
    this.#options = options
    this.#folder = folder
    this.#sparePath = join(options.folder, SPARE_NAME)
  }

  /**
   * Opens the last segment to append to it after `bytes`, or begins one after `chain`: also when the last one is of an older
   * version. What a dead process left unsynced in it is synced first: the first new frame will claim that all before it is
   * durable.
   */
  static async open(
    options: SegmentFilesOptions,
    last: LastSegment | null,
    chain: Chain,
  ): Promise<SegmentFiles> {
    const files = new SegmentFiles(options, await options.fs.openFolder(options.folder))
    try {
      if (last !== null) await files.#takeOver(last)
      if (last?.version !== SEGMENT_VERSION && !(await files.begin(chain)))
        throw new Error('no file descriptor is left for a segment')
      await files.prepare()
      return files
    } catch (error) {
      await files.close()
      throw error
    }
  }

  async #takeOver(last: LastSegment): Promise<void> {
    this.#current = await this.#options.fs.open(last.path, 'write')
    this.#currentPath = last.path
    this.bytes = last.bytes
    await this.#current.sync()
    await this.#folder.sync()
    await this.watch(last.path)
  }

  /** Adds a file that must stay where it is while the ledger is written. */
  async watch(path: string): Promise<void> {
    this.#watched.set(path, await this.#options.fs.identity(path))
  }

  /** Appends and syncs. @throws LedgerError when a file was removed or replaced meanwhile: what is in it is lost */
  async append(bytes: Uint8Array): Promise<void> {
    if (this.#current === null) throw new Error('the ledger is closed')
    await writeAll(this.#current, bytes, this.bytes)
    await this.#current.sync()
    this.bytes += bytes.length
    for (const [path, identity] of this.#watched) await this.#expectInPlace(path, identity)
  }

  /**
   * Begins the segment after `chain`. Its header is durable before the file gets its name, and the name before its first
   * frame. False, and nothing has changed, when no file descriptor is left for it: the present segment grows on.
   */
  async begin(chain: Chain): Promise<boolean> {
    // Ours from here on, so that `close` finds it should one of the next steps fail.
    this.#spare ??= await this.#createUnlessExhausted()
    const file = this.#spare
    if (file === null) return false
    const { fs, folder, ledgerId, nowMs } = this.#options
    const { sequence, crc: chainCrc, epoch } = chain
    const header = { epoch, ledgerId, sequence: sequence + 1, chainCrc, createdMs: nowMs() }
    await writeAll(file, encodeFileHeader(SEGMENT_MAGIC, header), 0)
    await file.sync()
    const path = segmentPath(folder, header.sequence)
    await fs.rename(this.#sparePath, path)
    await this.#folder.sync()
    const sealed = this.#current
    this.#watched.delete(this.#currentPath)
    this.#current = file
    this.#currentPath = path
    this.#spare = null
    this.bytes = FILE_HEADER_BYTES
    await closeAll(
      () => this.watch(path),
      () => sealed?.close(),
    )
    return true
  }

  /** Opens the file of the next segment, unless it is open. A failure is left to the moment when it is needed. */
  async prepare(): Promise<void> {
    this.#spare ??= await this.#options.fs.create(this.#sparePath).catch(() => null)
  }

  async close(): Promise<void> {
    const { fs } = this.#options
    const current = this.#current
    const spare = this.#spare
    this.#current = null
    this.#spare = null
    await closeAll(
      () => current?.close(),
      () => spare?.close(),
      // Failing to remove an empty file is not a failure to close: the next start removes it.
      () => spare && fs.remove(this.#sparePath).catch(() => {}),
      () => this.#folder.close(),
    )
  }

  async #createUnlessExhausted(): Promise<OpenFile | null> {
    try {
      return await this.#options.fs.create(this.#sparePath)
    } catch (error) {
      const { code = '' } = error as NodeJS.ErrnoException
      if (NO_DESCRIPTOR.includes(code)) return null
      throw error
    }
  }

  async #expectInPlace(path: string, identity: string | null): Promise<void> {
    const found = await this.#options.fs.identity(path)
    if (found === identity) return
    const what = found === null ? 'nothing there' : 'another file in its place'
    throw new LedgerError(
      'UNUSABLE',
      `${path} was moved, removed or replaced while the service was writing it: found ${what}. ` +
        'Nothing more is acknowledged. Put the file back, find out what changes the folder, and start again.',
    )
  }
}
