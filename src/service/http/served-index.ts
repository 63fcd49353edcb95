/** Keeps the served index: opens it, verifies it in the background, and replaces it when its file changes. */
import { unwatchFile, watchFile } from 'node:fs'
import { stat } from 'node:fs/promises'
import type { Log } from '../../platform/log.ts'
import { inTurn } from '../../platform/promises.ts'
import { IndexFileError } from '../../postal/index/index-file-error.ts'
import { openServedIndex, verifyServedIndex } from '../../postal/index/index-memory.ts'
import type { PostalIndex } from '../../postal/index/postal-index.ts'
import type { Reload, ServedFile } from '../data-plane.ts'

const WATCH_MS = 2000

export class ServedIndex implements ServedFile {
  readonly #path: string
  readonly #log: Log
  index: PostalIndex
  state: ServedFile['state'] = 'opened'
  writtenMs = 0
  problem: string | null = null
  readonly reloads: Record<Reload['outcome'], number> = { replaced: 0, same: 0, refused: 0 }
  #onReplaced: (index: PostalIndex) => void = () => {}
  readonly #inTurn = inTurn()
  /** Reload that has not begun, so it will read the present file. */
  #nextReload: Promise<Reload> | undefined
  #isClosed = false

  private constructor(path: string, log: Log, index: PostalIndex) {
    this.#path = path
    this.#log = log
    this.index = index
  }

  /** Opens the index without verifying it. @param opening the index, if it is already being opened */
  static async open(path: string, log: Log, opening = openServedIndex(path)): Promise<ServedIndex> {
    const served = new ServedIndex(path, log, await opening)
    served.writtenMs = await writtenMs(path)
    served.#logIndex('index opened')
    return served
  }

  /** Calls `onReplaced` with each new index. It must stop lending the previous one. */
  watch(onReplaced: (index: PostalIndex) => void, intervalMs = WATCH_MS): void {
    this.#onReplaced = onReplaced
    watchFile(this.#path, { interval: intervalMs, persistent: false }, this.#onChange)
    // A start may have waited for its database meanwhile.
    void writtenMs(this.#path).then(foundMs => {
      if (foundMs !== this.writtenMs) this.#onChange()
    })
  }

  /** Serves the present file, unless it is damaged or the same. Resolves when the old index is released. */
  reload(): Promise<Reload> {
    this.#nextReload ??= this.#inTurn(() => {
      this.#nextReload = undefined
      return this.#reload()
    })
    return this.#nextReload
  }

  async close(): Promise<void> {
    this.#isClosed = true
    unwatchFile(this.#path, this.#onChange)
    await this.#inTurn(() => this.index.loans.retire())
  }

  readonly #onChange = () => void this.reload()

  async #reload(): Promise<Reload> {
    let last: Pick<Reload, 'outcome' | 'problem'>
    try {
      last = { outcome: this.#isClosed ? 'same' : await this.#replace() }
      this.problem = null
    } catch (err) {
      this.#log.error(
        { err, indexFile: this.#path },
        'the new index cannot be used: the old one is still served',
      )
      this.problem = (err as Error).message
      last = { outcome: 'refused', problem: this.problem }
    }
    this.reloads[last.outcome]++
    const { buildId, codeCount } = this.index.file
    return { ...last, buildId, codeCount }
  }

  async #replace(): Promise<'replaced' | 'same'> {
    const next = await openServedIndex(this.#path)
    try {
      // Verifies the same build too, since the next start would serve this file.
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
    // Logged only when every thread answers from the new index.
    await previous.loans.retire()
    this.#logIndex('index replaced')
    return 'replaced'
  }

  /** Verifies the opened index between other work. A failure is logged, and the index stays. */
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
      this.problem = (err as Error).message
      const message = err instanceof IndexFileError ? 'the index is damaged' : 'the index cannot be verified'
      this.#log.error(
        { err, indexFile: this.#path },
        `${message}: some answers may be wrong. Put a sound index in its place`,
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
