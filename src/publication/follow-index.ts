/** Keeps a server on the index that is published at INDEX_URL: asks for the manifest now and then, fetches another build, has it served. */
import type { Log } from '../platform/log.ts'
import { type Metric, metric } from '../platform/metric.ts'
import { monotonicMs } from '../platform/monotonic.ts'
import { fetchIndex, fetchManifest, type KnownManifest } from './fetch-index.ts'
import { type IndexSource, shownAddress } from './manifest.ts'

/** Share of the interval by which two checks differ at most, so that a fleet does not ask at the same moment. */
const JITTER = 0.2

export interface FollowedIndex {
  source: IndexSource
  /** Where the server reads its index. */
  indexFile: string
  /** Milliseconds between two checks, about. */
  intervalMs: number
  /** The build that is served at this moment. */
  servedBuild(): string | undefined
  /** Has the server take over the file at `indexFile`; says why when it refuses. */
  reload(): Promise<{ problem?: string }>
}

export class IndexFollower {
  readonly #followed: FollowedIndex
  readonly #log: Log
  readonly #ended = new AbortController()
  #known: KnownManifest | null = null
  #timer: NodeJS.Timeout | undefined
  #checking: Promise<void> | undefined
  #agreedMs = monotonicMs()
  #failures = 0
  /** What was logged last: the same failure every minute would hide everything else. */
  #lastProblem = ''

  /** Checks at once, and then again and again until `close`. */
  constructor(followed: FollowedIndex, log: Log) {
    this.#followed = followed
    this.#log = log
    this.#checkLater(0)
  }

  /** Facts for `/metrics`: an index that is no longer followed must not go unseen. */
  metrics(): Metric[] {
    return [
      metric(
        'postrie_index_followed_age_seconds',
        'Since the server last served what INDEX_URL names.',
        'gauge',
        (monotonicMs() - this.#agreedMs) / 1000,
      ),
      metric(
        'postrie_index_fetch_failures_total',
        'Checks of INDEX_URL that failed.',
        'counter',
        this.#failures,
      ),
    ]
  }

  /** Ends a fetch in progress; what has arrived is kept for the next start. */
  async close(): Promise<void> {
    clearTimeout(this.#timer)
    this.#ended.abort()
    await this.#checking
  }

  #checkLater(ms: number): void {
    this.#timer = setTimeout(() => {
      this.#checking = this.#check()
    }, ms).unref()
  }

  async #check(): Promise<void> {
    const { source, intervalMs } = this.#followed
    try {
      await this.#follow()
      this.#agreedMs = monotonicMs()
      this.#lastProblem = ''
    } catch (error) {
      if (this.#ended.signal.aborted) return
      this.#failures++
      const { message } = error as Error
      if (message !== this.#lastProblem)
        this.#log.error(
          { err: error, url: shownAddress(source.url) },
          'the published index cannot be used: the old one is still served',
        )
      this.#lastProblem = message
    }
    if (!this.#ended.signal.aborted) this.#checkLater(intervalMs * (1 + JITTER * (Math.random() - 0.5)))
  }

  async #follow(): Promise<void> {
    const { source, indexFile, servedBuild, reload } = this.#followed
    const { signal } = this.#ended
    this.#known = await fetchManifest(source, this.#known, signal)
    const { manifest } = this.#known
    if (manifest.build === servedBuild()) return
    this.#log.info(
      { url: shownAddress(source.url), build: manifest.build },
      'another index is published: fetching it',
    )
    await fetchIndex(source, manifest, indexFile, signal)
    const { problem } = await reload()
    if (problem !== undefined) throw new Error(problem)
  }
}
