/** Fetches the published index for a start that has none yet. */
import { setTimeout as sleep } from 'node:timers/promises'
import { SingleBar } from 'cli-progress'
import { INDEX_FETCH_ATTEMPTS } from '../limits.ts'
import { fetchIndex, fetchManifest } from '../publication/fetch-index.ts'
import { type IndexSource, shownAddress } from '../publication/manifest.ts'

const MEGABYTE = 1e6
const RETRY_MS = 500

/** Puts what `source` publishes at `indexFile`; each attempt continues where the last one broke off. @throws as `fetchIndex` */
export async function fetchFirstIndex(source: IndexSource, indexFile: string): Promise<void> {
  console.error(
    `There is no index at ${indexFile} yet. Fetching the one that ${shownAddress(source.url)} names.`,
  )
  for (let attempt = 1; ; attempt++) {
    try {
      return await fetchOnce(source, indexFile)
    } catch (error) {
      if (attempt === INDEX_FETCH_ATTEMPTS) throw error
      console.error(`${(error as Error).message}. Trying again.`)
    }
    await sleep(RETRY_MS * 2 ** attempt)
  }
}

async function fetchOnce(source: IndexSource, indexFile: string): Promise<void> {
  const { signal } = new AbortController()
  const { manifest } = await fetchManifest(source, null, signal)
  const bar = new SingleBar({
    format: '{bar} {value} of {total} MB',
    clearOnComplete: true,
    noTTYOutput: false,
  })
  const isShown = process.stderr.isTTY === true
  if (isShown) bar.start(Math.ceil(manifest.bytes / MEGABYTE), 0)
  try {
    await fetchIndex(source, manifest, indexFile, signal, bytes => {
      if (isShown) bar.update(Math.floor(bytes / MEGABYTE))
    })
  } finally {
    if (isShown) bar.stop()
  }
}
