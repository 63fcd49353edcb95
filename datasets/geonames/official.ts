import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { cachedDownload, type Download, type DownloadOptions, download } from './download.ts'

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

/** Returns the paths of GeoNames' files in the folder, after a check of their checksums. */
export async function localFiles(dataDir: string): Promise<string[]> {
  const folder = geonamesFolder(dataDir)
  const names = await readdir(folder).catch(() => [])
  const paths = names
    .filter(name => /\.(zip|txt)$/.test(name))
    .sort()
    .map(name => join(folder, name))
  for (const path of paths) await cachedDownload(path)
  return paths
}
