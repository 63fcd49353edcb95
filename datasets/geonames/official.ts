/** The files that GeoNames offers for download. */
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { cachedDownload, type Download, type DownloadOptions, download } from './download.ts'

const OFFICIAL = 'https://download.geonames.org/export/zip/'
const WORLD = 'allCountries.zip'

export interface OfficialOptions extends DownloadOptions {
  /** Countries whose full codes are wanted too, of CA, GB and NL. */
  full?: readonly string[]
  /** Another server that holds the same files. */
  base?: string
}

/** Folder of `dataDir` in which downloads are kept, and where an operator may put GeoNames files. */
export function geonamesFolder(dataDir: string): string {
  return join(dataDir, 'geonames')
}

/** Fetches the world, and what full codes are wanted, into the cache. @throws DownloadError when one cannot be had */
export async function fetchOfficial(dataDir: string, options: OfficialOptions = {}): Promise<Download[]> {
  const { full = [], base = OFFICIAL } = options
  const files: Download[] = []
  for (const name of [WORLD, ...full.map(country => `${country}_full.csv.zip`)])
    files.push(await download(new URL(name, base).href, geonamesFolder(dataDir), options))
  return files
}

/** Paths of the GeoNames files in the cache folder, each that was fetched checked against its checksum. */
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
