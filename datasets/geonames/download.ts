/** Downloads GeoNames' files: resumes broken downloads, and checks the length. A reader checks the CRC of what is zipped. */
import type { Stats } from 'node:fs'
import { mkdir, open, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { DiskSpaceError, expectSpace } from '../../src/platform/free-space.ts'
import { SOURCE_FILE_BYTES_MAX } from '../limits.ts'
import type { OnProgress } from '../source.ts'

export interface DownloadOptions {
  /** Maximum number of attempts. Each continues the last one. */
  attempts?: number
  /** Maximum time until the answer begins, and between two chunks. */
  stallMs?: number
  /** Doubles each time. */
  retryMs?: number
  onProgress?: OnProgress
  leaveBytes?: number
}

export interface Download {
  path: string
  url: string
  /** Day of the file, which is the date of the copy. */
  date: string
  /** True if the server has no newer file. */
  unchanged: boolean
}

/** Thrown when a download fails for good. */
export class DownloadError extends Error {}

const OFFICIAL = 'https://download.geonames.org/export/zip/'
const WORLD = 'allCountries.zip'

export interface OfficialOptions extends DownloadOptions {
  /** Countries with full codes, of CA, GB and NL. */
  full?: readonly string[]
  base?: string
}

/** Returns the folder of downloads, where operators may put GeoNames' files too. */
export function geonamesFolder(dataDir: string): string {
  return join(dataDir, 'geonames')
}

/** Downloads the world, and full codes of countries. @throws DownloadError */
export async function fetchOfficial(dataDir: string, options: OfficialOptions = {}): Promise<Download[]> {
  const { full = [], base = OFFICIAL } = options
  const files: Download[] = []
  for (const name of [WORLD, ...full.map(country => `${country}_full.csv.zip`)])
    files.push(await download(new URL(name, base).href, geonamesFolder(dataDir), options))
  return files
}

/** Returns the paths of GeoNames' files in the folder. */
export async function localFiles(dataDir: string): Promise<string[]> {
  const folder = geonamesFolder(dataDir)
  const names = await readdir(folder).catch(() => [])
  return names
    .filter(name => /\.(zip|txt)$/.test(name))
    .sort()
    .map(name => join(folder, name))
}

/**
 * Downloads the file at `url` to `folder`, unless the copy there is the newest.
 * @throws DownloadError, or DiskSpaceError when it does not fit the disk; an old copy stays as it was
 */
export async function download(
  url: string,
  folder: string,
  options: DownloadOptions = {},
): Promise<Download> {
  const { attempts = 4, stallMs = 15_000, retryMs = 500, onProgress, leaveBytes = 0 } = options
  await mkdir(folder, { recursive: true })
  const path = join(folder, basename(new URL(url).pathname))
  for (let attempt = 1; ; attempt++) {
    try {
      return await fetchOnce(url, path, stallMs, leaveBytes, onProgress)
    } catch (error) {
      if (error instanceof DownloadError) throw error
      if (error instanceof DiskSpaceError) {
        await rm(`${path}.part`, { force: true })
        throw error
      }
      if (attempt >= attempts)
        throw new DownloadError(`${url}: ${reasonOf(error)} (${attempts} attempts)`, { cause: error })
    }
    await new Promise(resolve => setTimeout(resolve, retryMs * 2 ** (attempt - 1)))
  }
}

async function fetchOnce(
  url: string,
  path: string,
  stallMs: number,
  leaveBytes: number,
  onProgress: DownloadOptions['onProgress'],
): Promise<Download> {
  const part = `${path}.part`
  const tag = await readFile(`${part}.tag`, 'utf8').catch(() => '')
  const have = tag === '' ? 0 : ((await factsOf(part))?.size ?? 0)
  const known = await factsOf(path)
  const headers: Record<string, string> = { 'accept-encoding': 'identity' }
  if (have > 0) Object.assign(headers, { range: `bytes=${have}-`, 'if-range': tag })
  else if (known !== null) headers['if-modified-since'] = known.mtime.toUTCString()
  const abort = new AbortController()
  const stalled = setTimeout(() => abort.abort(new Error(`no answer for ${stallMs} ms`)), stallMs)
  try {
    const response = await fetch(url, { headers, signal: abort.signal })
    if (response.status === 304 && known !== null)
      return { path, url, date: dayOf(known.mtime), unchanged: true }
    if (response.status !== 200 && response.status !== 206) {
      await rm(part, { force: true })
      // A server that is down may come back. A missing file does not.
      const text = `${url}: the server answers ${response.status}`
      throw response.status >= 500 || response.status === 416 ? new Error(text) : new DownloadError(text)
    }
    const start = response.status === 206 ? have : 0
    checkBytes(url, Number(response.headers.get('content-length')))
    const total = start + Number(response.headers.get('content-length') ?? Number.NaN)
    const modified = new Date(response.headers.get('last-modified') ?? Date.now())
    await writeFile(
      `${part}.tag`,
      response.headers.get('etag') ?? response.headers.get('last-modified') ?? '',
    )
    const bytes = await append(part, start, response, async received => {
      stalled.refresh()
      checkBytes(url, received)
      await expectSpace(url, part, Number.isFinite(total) ? total - received : 0, leaveBytes)
      onProgress?.('downloading', received, total)
    })
    if (Number.isFinite(total) && bytes !== total) throw new Error(`${bytes} bytes of ${total} arrived`)
    await utimes(part, modified, modified)
    await rename(part, path)
    await rm(`${part}.tag`, { force: true })
    return { path, url, date: dayOf(modified), unchanged: false }
  } finally {
    clearTimeout(stalled)
  }
}

/** @throws DownloadError: an endless answer would fill the disk */
function checkBytes(url: string, bytes: number): void {
  if (bytes > SOURCE_FILE_BYTES_MAX)
    throw new DownloadError(`${url}: more than ${SOURCE_FILE_BYTES_MAX} bytes, which no file of GeoNames has`)
}

/** Appends the body of `response` after the first `start` bytes. A broken connection loses some 100 KB. */
async function append(
  part: string,
  start: number,
  response: Response,
  onBytes: (bytes: number) => Promise<void>,
): Promise<number> {
  const file = await open(part, start > 0 ? 'a' : 'w')
  let bytes = start
  try {
    for await (const chunk of response.body ?? []) {
      await onBytes(bytes + chunk.length)
      await file.write(chunk)
      bytes += chunk.length
    }
  } finally {
    await file.close()
  }
  return bytes
}

async function factsOf(path: string): Promise<Stats | null> {
  return stat(path).catch(() => null)
}

function dayOf(date: Date): string {
  return date.toISOString().slice(0, 10)
}

function reasonOf(error: unknown): string {
  const { message, cause } = error as Error
  return cause instanceof Error ? `${message}: ${cause.message}` : message
}
