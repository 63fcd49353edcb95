/** Keeps the index that is served: opens it, verifies it in the background, and replaces it when its file has changed. */
import { unwatchFile, watchFile } from 'node:fs'
import type { Reload } from '../data-plane.ts'
import { IndexFileError } from '../index/index-file-error.ts'
import type { PostalIndex } from '../index/postal-index.ts'
import { openServedIndex, verifyServedIndex } from '../index/served-index.ts'
import type { Log } from '../platform/log.ts'

/** How often the index file is checked for a newer build. */
const WATCH_MS = 2000

/** `opened`: its checksums are being computed; `damaged`: one of them was wrong. */
export type IndexState = 'opened' | 'verified' | 'damaged'

export class IndexKeeper {
  readonly #path: string
  readonly #log: Log
  #index: PostalIndex
  #state: IndexState = 'opened'
  #onReplaced: (index: PostalIndex) => void = () => {}
  /** The refresh that is running, and whether the file has changed since it began. */
  #refreshing: Promise<Reload> | undefined
  #isStale = false
  #isClosed = false

  private constructor(path: string, log: Log, index: PostalIndex) {
    this.#path = path
    this.#log = log
    this.#index = index
  }

  /** Opens the index at `path`. Its checksums are verified later, so that a start does not wait for them. @throws as `openServedIndex` */
  static async open(path: string, log: Log): Promise<IndexKeeper> {
    const keeper = new IndexKeeper(path, log, await openServedIndex(path))
    keeper.#logIndex('index opened')
    void keeper.#verifyOpened(keeper.#index)
    return keeper
  }

  get index(): PostalIndex {
    return this.#index
  }

  get state(): IndexState {
    return this.#state
  }

  /**
   * Calls `onReplaced` with each index that takes the place of the previous one. That one must not be lent after the call.
   * @param intervalMs how often the file is checked
   */
  watch(onReplaced: (index: PostalIndex) => void, intervalMs = WATCH_MS): void {
    this.#onReplaced = onReplaced
    watchFile(this.#path, { interval: intervalMs, persistent: false }, this.#onChange)
  }

  /**
   * Takes over what is at the path now, unless it is the same build or damaged: then the old index stays. What goes wrong is
   * logged. Resolves when the old index has been released, with the outcome of the last attempt.
   */
  refresh(): Promise<Reload> {
    this.#isStale = true
    this.#refreshing ??= this.#refreshWhileStale().finally(() => {
      this.#refreshing = undefined
    })
    return this.#refreshing
  }

  /** Stops watching and releases the index. */
  async close(): Promise<void> {
    this.#isClosed = true
    unwatchFile(this.#path, this.#onChange)
    await this.#refreshing
    await this.#index.loans.retire()
  }

  readonly #onChange = () => void this.refresh()

  async #refreshWhileStale(): Promise<Reload> {
    let last: Pick<Reload, 'outcome' | 'problem'> = { outcome: 'same' }
    while (this.#isStale && !this.#isClosed) {
      this.#isStale = false
      try {
        last = { outcome: await this.#replace() }
      } catch (err) {
        this.#log.error(
          { err, indexFile: this.#path },
          'the new index cannot be used: the old one is still served',
        )
        last = { outcome: 'refused', problem: (err as Error).message }
      }
    }
    const { buildId, codeCount } = this.#index.file
    return { ...last, buildId, codeCount }
  }

  async #replace(): Promise<'replaced' | 'same'> {
    const next = await openServedIndex(this.#path)
    try {
      const isSameBuild = next.file.buildId === this.#index.file.buildId
      // A sound copy of the same build is the remedy for a damaged one.
      if (isSameBuild && this.#state !== 'damaged') {
        await next.loans.retire()
        return 'same'
      }
      await verifyServedIndex(next)
    } catch (error) {
      await next.loans.retire()
      throw error
    }
    const previous = this.#index
    this.#index = next
    this.#state = 'verified'
    this.#onReplaced(next)
    this.#logIndex('index replaced')
    await previous.loans.retire()
    return 'replaced'
  }

  async #verifyOpened(index: PostalIndex): Promise<void> {
    try {
      await verifyServedIndex(index)
      if (this.#index !== index || this.#isClosed) return
      this.#state = 'verified'
      this.#log.info({ indexFile: this.#path, buildId: index.file.buildId }, 'index verified')
    } catch (err) {
      if (this.#index !== index || this.#isClosed) return
      this.#state = 'damaged'
      const message = err instanceof IndexFileError ? 'the index is damaged' : 'the index cannot be verified'
      this.#log.error(
        { err, indexFile: this.#path },
        `${message}: some answers may be wrong until a sound one is in its place`,
      )
    }
  }

  #logIndex(message: string): void {
    const { codeCount, countryCount, buildId } = this.#index.file
    this.#log.info({ indexFile: this.#path, codeCount, countryCount, buildId }, message)
  }
}
