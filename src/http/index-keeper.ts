/** Keeps the index that is served: opens it, verifies it in the background, and replaces it when its file has changed. */
import { unwatchFile, watchFile } from 'node:fs'
import { stat } from 'node:fs/promises'
import type { Reload } from '../data-plane.ts'
import { IndexFileError } from '../index/index-file-error.ts'
import type { PostalIndex } from '../index/postal-index.ts'
import { openServedIndex, verifyServedIndex } from '../index/served-index.ts'
import type { Log } from '../platform/log.ts'

const WATCH_MS = 2000

export class IndexKeeper {
  readonly #path: string
  readonly #log: Log
  index: PostalIndex
  /** `opened`: its checksums are being computed; `damaged`: one of them was wrong. */
  state: 'opened' | 'verified' | 'damaged' = 'opened'
  /** When its file was written, in milliseconds since 1970; 0 where that is not known. */
  writtenMs = 0
  /** Number of files that were tried in place of the index, by outcome. */
  readonly refreshes: Record<Reload['outcome'], number> = { replaced: 0, same: 0, refused: 0 }
  #onReplaced: (index: PostalIndex) => void = () => {}
  #refreshing: Promise<unknown> = Promise.resolve()
  /** A refresh that has not begun, and so will see the file as it is now. */
  #nextRefresh: Promise<Reload> | undefined
  #isClosed = false

  private constructor(path: string, log: Log, index: PostalIndex) {
    this.#path = path
    this.#log = log
    this.index = index
  }

  /** Opens the index at `path`, which `verify` verifies. @param opening the index, when somebody has begun to open it */
  static async open(path: string, log: Log, opening = openServedIndex(path)): Promise<IndexKeeper> {
    const keeper = new IndexKeeper(path, log, await opening)
    keeper.writtenMs = await writtenMs(path)
    keeper.#logIndex('index opened')
    return keeper
  }

  /** Calls `onReplaced` with each index that takes the place of the previous one, which must not be lent any more. */
  watch(onReplaced: (index: PostalIndex) => void, intervalMs = WATCH_MS): void {
    this.#onReplaced = onReplaced
    watchFile(this.#path, { interval: intervalMs, persistent: false }, this.#onChange)
  }

  /**
   * Takes over what is at the path now, unless it is the same build or damaged: then the old index stays. What goes wrong is
   * logged. Resolves when the old index has been released, with the outcome.
   */
  refresh(): Promise<Reload> {
    if (this.#nextRefresh === undefined) {
      this.#nextRefresh = this.#refreshing.then(() => {
        this.#nextRefresh = undefined
        return this.#refresh()
      })
      this.#refreshing = this.#nextRefresh
    }
    return this.#nextRefresh
  }

  async close(): Promise<void> {
    this.#isClosed = true
    unwatchFile(this.#path, this.#onChange)
    await this.#refreshing
    await this.index.loans.retire()
  }

  readonly #onChange = () => void this.refresh()

  async #refresh(): Promise<Reload> {
    let last: Pick<Reload, 'outcome' | 'problem'>
    try {
      last = { outcome: this.#isClosed ? 'same' : await this.#replace() }
    } catch (err) {
      this.#log.error(
        { err, indexFile: this.#path },
        'the new index cannot be used: the old one is still served',
      )
      last = { outcome: 'refused', problem: (err as Error).message }
    }
    this.refreshes[last.outcome]++
    const { buildId, codeCount } = this.index.file
    return { ...last, buildId, codeCount }
  }

  async #replace(): Promise<'replaced' | 'same'> {
    const next = await openServedIndex(this.#path)
    try {
      // Before anything is said of it: the next start would serve a damaged copy of the same build.
      await verifyServedIndex(next)
      const isSameBuild = next.file.buildId === this.index.file.buildId
      // A sound copy of the same build is the remedy for a damaged one.
      if (isSameBuild && this.state !== 'damaged') {
        await next.loans.retire()
        return 'same'
      }
    } catch (error) {
      await next.loans.retire()
      throw error
    }
    this.writtenMs = await writtenMs(this.#path)
    const previous = this.index
    this.index = next
    this.state = 'verified'
    this.#onReplaced(next)
    // Resolves when every thread has left it, so that what is logged is true of every answer from then on.
    await previous.loans.retire()
    this.#logIndex('index replaced')
    return 'replaced'
  }

  /**
   * Computes every checksum of the index that was opened, between other work. Meant to be called when it is served already,
   * so that a start does not wait for it. What is wrong is logged, and the index stays.
   */
  async verify(): Promise<void> {
    const index = this.index
    try {
      await verifyServedIndex(index)
      if (this.index !== index || this.#isClosed) return
      this.state = 'verified'
      this.#log.info({ indexFile: this.#path, buildId: index.file.buildId }, 'index verified')
    } catch (err) {
      if (this.index !== index || this.#isClosed) return
      this.state = 'damaged'
      const message = err instanceof IndexFileError ? 'the index is damaged' : 'the index cannot be verified'
      this.#log.error(
        { err, indexFile: this.#path },
        `${message}: some answers may be wrong until a sound one is in its place`,
      )
    }
  }

  #logIndex(message: string): void {
    const { codeCount, countryCount, buildId } = this.index.file
    this.#log.info({ indexFile: this.#path, codeCount, countryCount, buildId }, message)
  }
}

async function writtenMs(path: string): Promise<number> {
  const found = await stat(path).catch(() => undefined)
  return found?.mtimeMs ?? 0
}
