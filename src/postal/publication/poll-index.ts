/** Keeps a server on the index published at INDEX_URL: asks for new builds, fetches and serves them. */
import { shownAddress } from '../../platform/download.ts'
import { DiskSpaceError } from '../../platform/free-space.ts'
import type { Log } from '../../platform/log.ts'
import { counter, gauge, type Metric } from '../../platform/metric.ts'
import { HOUR_MS, monotonicMs } from '../../platform/time.ts'
import { fetchIndex, fetchManifest } from './fetch-index.ts'
import type { Publication } from './manifest.ts'

/** Nodes ask up to this share of the interval earlier or later, so that they ask at different times. */
const JITTER = 0.1
/** Time until an index that was refused is fetched again: it may have been mended under the same checksum. */
const REFUSED_MS = HOUR_MS

interface PolledIndex {
  source: Publication
  indexFile: string
  /** Returns the bytes that must stay free on the disk of the index. */
  leaveBytes(): Promise<number>
  intervalMs: number
  servedBuild(): string
  reload(): Promise<{ problem?: string }>
}

export type IndexPolling = ReturnType<typeof pollIndex>

export function pollIndex(polled: PolledIndex, log: Log) {
  const { source, indexFile, leaveBytes, intervalMs, servedBuild, reload } = polled
  const url = shownAddress(source.url)
  const ended = new AbortController()
  const { signal } = ended
  let timer: NodeJS.Timeout | undefined
  let checking: Promise<void> | undefined
  let lastCurrentMs = monotonicMs()
  let failures = 0
  /** Last failure, logged once. */
  let problem: Error | null = null
  let refused: { sha256: string; untilMs: number; error: unknown } | null = null

  const serveNewest = async (): Promise<void> => {
    const manifest = await fetchManifest(source, signal)
    if (manifest.build === servedBuild()) return
    if (manifest.sha256 === refused?.sha256 && monotonicMs() < refused.untilMs) throw refused.error
    log.info({ url, build: manifest.build }, 'another index is published: fetching it')
    let fetched = 0
    const onBytes = (bytes: number) => {
      fetched = bytes
    }
    try {
      await fetchIndex(source, manifest, indexFile, { signal, leaveBytes, onBytes })
      const reloaded = await reload()
      if (reloaded.problem !== undefined) throw new Error(reloaded.problem)
    } catch (error) {
      // Only a whole download is too dear to repeat at every check.
      if (fetched >= manifest.bytes)
        refused = { sha256: manifest.sha256, untilMs: monotonicMs() + REFUSED_MS, error }
      throw error
    }
  }

  const check = async (): Promise<void> => {
    try {
      await serveNewest()
      lastCurrentMs = monotonicMs()
      problem = null
    } catch (error) {
      if (signal.aborted) return
      failures++
      const isKnown = isRepeated(problem, error as Error)
      problem = error as Error
      if (!isKnown)
        log.error({ err: error, url }, 'the published index cannot be used: the old one is still served')
    }
    if (!signal.aborted) checkLater(intervalMs * (1 + JITTER * (2 * Math.random() - 1)))
  }
  const checkLater = (ms: number): void => {
    timer = setTimeout(() => {
      checking = check()
    }, ms).unref()
  }
  checkLater(0)

  return {
    /** Address, and why its index is not served; null if it is served, and before the first check ends. */
    get state(): { url: string; problem: string | null } {
      return { url, problem: problem?.message ?? null }
    },
    metrics: (): Metric[] => [
      gauge(
        'postrie_index_followed_age_seconds',
        'Seconds since the server last served the index of INDEX_URL.',
        (monotonicMs() - lastCurrentMs) / 1000,
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

/** Returns true for a repeated failure. Messages of `DiskSpaceError` differ in the free space. */
function isRepeated(before: Error | null, now: Error): boolean {
  if (now instanceof DiskSpaceError) return before instanceof DiskSpaceError
  return before?.message === now.message
}
