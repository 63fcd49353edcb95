import { DiskSpaceError } from '../platform/disk-space.ts'
import type { Log } from '../platform/log.ts'
import { counter, gauge, type Metric } from '../platform/metric.ts'
import { monotonicMs } from '../platform/time.ts'
import { fetchIndex, fetchManifest } from './fetch-index.ts'
import { type IndexSource, shownAddress } from './manifest.ts'

/** Random share of the interval, so that nodes ask at different times. */
const JITTER = 0.2

interface FollowedIndex {
  source: IndexSource
  indexFile: string
  leaveBytes(): Promise<number>
  intervalMs: number
  servedBuild(): string | undefined
  reload(): Promise<{ problem?: string }>
}

export type IndexFollower = ReturnType<typeof followIndex>

/** Keeps a server on the index published at INDEX_URL: fetches and serves new builds, until `close`. */
export function followIndex(followed: FollowedIndex, log: Log) {
  const { source, indexFile, leaveBytes, intervalMs, servedBuild, reload } = followed
  const url = shownAddress(source.url)
  const ended = new AbortController()
  const { signal } = ended
  let timer: NodeJS.Timeout | undefined
  let checking: Promise<void> | undefined
  let agreedMs = monotonicMs()
  let failures = 0
  /** Last failure, logged once. */
  let problem: Error | null = null

  const follow = async (): Promise<void> => {
    const manifest = await fetchManifest(source, signal)
    if (manifest.build === servedBuild()) return
    log.info({ url, build: manifest.build }, 'another index is published: fetching it')
    await fetchIndex(source, manifest, indexFile, { signal, leaveBytes })
    const { problem } = await reload()
    if (problem !== undefined) throw new Error(problem)
  }

  const check = async (): Promise<void> => {
    try {
      await follow()
      agreedMs = monotonicMs()
      problem = null
    } catch (error) {
      if (signal.aborted) return
      failures++
      const isKnown = isSame(problem, error as Error)
      problem = error as Error
      if (!isKnown)
        log.error({ err: error, url }, 'the published index cannot be used: the old one is still served')
    }
    if (!signal.aborted) checkLater(intervalMs * (1 + JITTER * (Math.random() - 0.5)))
  }
  const checkLater = (ms: number): void => {
    timer = setTimeout(() => {
      checking = check()
    }, ms).unref()
  }
  checkLater(0)

  return {
    /** Address, and the reason why its index is not served; null if it is, or before the first check ends. */
    get state(): { url: string; problem: string | null } {
      return { url, problem: problem?.message ?? null }
    },
    metrics: (): Metric[] => [
      gauge(
        'postrie_index_followed_age_seconds',
        'Seconds since the server last served the index of INDEX_URL.',
        (monotonicMs() - agreedMs) / 1000,
      ),
      counter('postrie_index_fetch_failures_total', 'Checks of INDEX_URL that failed.', failures),
      gauge(
        'postrie_index_disk_missing_bytes',
        'Free space that the disk lacks for the published index; 0 if it fits.',
        problem instanceof DiskSpaceError ? problem.missingBytes : 0,
      ),
    ],
    async close(): Promise<void> {
      clearTimeout(timer)
      ended.abort()
      await checking
    },
  }
}

/** Returns true for a repeated failure. The free space in a message changes all the time. */
function isSame(before: Error | null, now: Error): boolean {
  if (now instanceof DiskSpaceError) return before instanceof DiskSpaceError
  return before?.message === now.message
}
