/** Downloads GeoNames' files: resumes broken downloads, and checks the length. A reader checks the CRC of what is zipped. */
import type { Stats } from 'node:fs'
import { mkdir, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { DownloadError, fetchFrom, savePieces } from '../../src/platform/download.ts'
import { SOURCE_FILE_BYTES_MAX } from '../limits.ts'
import type { OnProgress } from '../source.ts'

export interface DownloadOptions {
  /** Maximum number of attempts. Each continues the last one. */
  attempts?: number
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
  const { attempts = 4, retryMs = 500 } = options
  await mkdir(folder, { recursive: true })
  const path = join(folder, basename(new URL(url).pathname))
  for (let attempt = 1; ; attempt++) {
    try {
      return await fetchOnce(url, path, options)
    } catch (error) {
      const { status } = error as DownloadError
      const isBroken = error instanceof DownloadError && status === undefined
      if (!isBroken) await rm(`${path}.part`, { force: true })
      // A server that is down may come back. A missing file does not.
      const mayPass = isBroken || status === 416 || Number(status) >= 500
      if (!mayPass || attempt >= attempts) throw error
    }
    await new Promise(resolve => setTimeout(resolve, retryMs * 2 ** (attempt - 1)))
  }
}

async function fetchOnce(
  url: string,
  path: string,
  { stallMs, onProgress, leaveBytes = 0 }: DownloadOptions,
): Promise<Download> {
  const part = `${path}.part`
  const tag = await readFile(`${part}.tag`, 'utf8').catch(() => '')
  const have = tag === '' ? 0 : ((await factsOf(part))?.size ?? 0)
  const known = await factsOf(path)
  const headers: Record<string, string> = {}
  if (have > 0) Object.assign(headers, { range: `bytes=${have}-`, 'if-range': tag })
  else if (known !== null) headers['if-modified-since'] = known.mtime.toUTCString()
  const bytesMax = SOURCE_FILE_BYTES_MAX - have
  return fetchFrom(url, { headers, stallMs, bytesMax }, async (response, pieces) => {
    if (response.status === 304 && known !== null)
      return { path, url, date: dayOf(known.mtime), unchanged: true }
    const start = response.status === 206 ? have : 0
    const length = response.headers.get('content-length')
    const total = length === null ? undefined : start + Number(length)
    const modified = new Date(response.headers.get('last-modified') ?? Date.now())
    await writeFile(
      `${part}.tag`,
      response.headers.get('etag') ?? response.headers.get('last-modified') ?? '',
    )
    await savePieces(pieces, part, {
      what: url,
      start,
      total,
      leaveBytes: async () => leaveBytes,
      onBytes: bytes => onProgress?.('downloading', bytes, total ?? Number.NaN),
    })
    await utimes(part, modified, modified)
    await rename(part, path)
    await rm(`${part}.tag`, { force: true })
    return { path, url, date: dayOf(modified), unchanged: false }
  })
}

async function factsOf(path: string): Promise<Stats | null> {
  return stat(path).catch(() => null)
}

function dayOf(date: Date): string {
  return date.toISOString().slice(0, 10)
}
