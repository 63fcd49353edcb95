/** Keeps a server on the index published at INDEX_URL: asks for the manifest, fetches another build, has it served. */
import { DiskSpaceError } from '../platform/disk-space.ts'
import type { Log } from '../platform/log.ts'
import { counter, gauge, type Metric } from '../platform/metric.ts'
import { monotonicMs } from '../platform/time.ts'
import { fetchIndex, fetchManifest } from './fetch-index.ts'
import { type IndexSource, shownAddress } from './manifest.ts'

/** Random share of the interval, so that the nodes of a fleet ask at different moments. */
const JITTER = 0.2

interface FollowedIndex {
  source: IndexSource
  indexFile: string
  leaveBytes(): Promise<number>
  intervalMs: number
  servedBuild(): string | undefined
  reload(): Promise<{ problem?: string }>
}

export class IndexFollower {
  readonly #followed: FollowedIndex
  readonly #log: Log
  readonly #ended = new AbortController()
  #timer: NodeJS.Timeout | undefined
  #checking: Promise<void> | undefined
  #agreedMs = monotonicMs()
  #failures = 0
  /** Last failure. Logged once: the same line every minute would hide all others. */
  #problem: Error | null = null

  /** Checks at once, and then again and again until `close`. */
  constructor(followed: FollowedIndex, log: Log) {
    this.#followed = followed
    this.#log = log
    this.#checkLater(0)
  }

  /** Address, and why what is published there is not served; null: it is, or the first check has not ended. */
  get state(): { url: string; problem: string | null } {
    return { url: shownAddress(this.#followed.source.url), problem: this.#problem?.message ?? null }
  }

  metrics(): Metric[] {
    return [
      gauge(
        'postrie_index_followed_age_seconds',
        'Since the server last served what INDEX_URL names.',
        (monotonicMs() - this.#agreedMs) / 1000,
      ),
      counter('postrie_index_fetch_failures_total', 'Checks of INDEX_URL that failed.', this.#failures),
      gauge(
        'postrie_index_disk_missing_bytes',
        'Free space that the disk lacks for the published index; 0 if it fits.',
        this.#problem instanceof DiskSpaceError ? this.#problem.missingBytes : 0,
      ),
    ]
  }

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
      this.#problem = null
    } catch (error) {
      if (this.#ended.signal.aborted) return
      this.#failures++
      const before = this.#problem
      this.#problem = error as Error
      if (!isSame(before, this.#problem))
        this.#log.error(
          { err: error, url: shownAddress(source.url) },
          'the published index cannot be used: the old one is still served',
        )
    }
    if (!this.#ended.signal.aborted) this.#checkLater(intervalMs * (1 + JITTER * (Math.random() - 0.5)))
  }

  async #follow(): Promise<void> {
    const { source, indexFile, leaveBytes, servedBuild, reload } = this.#followed
    const { signal } = this.#ended
    const manifest = await fetchManifest(source, signal)
    if (manifest.build === servedBuild()) return
    this.#log.info(
      { url: shownAddress(source.url), build: manifest.build },
      'another index is published: fetching it',
    )
    await fetchIndex(source, manifest, indexFile, { signal, leaveBytes })
    const { problem } = await reload()
    if (problem !== undefined) throw new Error(problem)
  }
}

/** True for the same failure again. The free space in a message changes all the time. */
function isSame(before: Error | null, now: Error): boolean {
  if (now instanceof DiskSpaceError) return before instanceof DiskSpaceError
  return before?.message === now.message
}
