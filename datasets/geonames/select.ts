import { DownloadError } from '../../src/platform/download.ts'
import { MEGABYTE } from '../../src/platform/memory.ts'
import { DEFAULT_SOURCES } from '../default-sources.ts'
import { IMPORTERS, Imports } from '../importers/select.ts'
import type { Source } from '../source.ts'
import { download, fetchOfficial, geonamesFolder, localFiles, type OfficialOptions } from './download.ts'
import { openGeonames } from './geonames.ts'

/** Memory that a build of the world needs. A first start with less uses the npm packages alone. */
const WORLD_BUILD_MEMORY_BYTES = 1536 * MEGABYTE

export interface Selection {
  /** In order of merit. */
  sources: readonly Source[]
  /** Choices, and missing data, for the operator. */
  messages: readonly string[]
}

/** Patience of a first start before it uses the packages alone. */
const FIRST_START: OfficialOptions = { attempts: 1, stallMs: 4000 }

const PACKAGES_ONLY =
  'The index is built from the npm packages alone: 80 countries, many of them in part. ' +
  'For the whole world run: postrie build --source geonames'

/**
 * Chooses sources for a first start: local GeoNames files, else a download, else the npm packages. Uses only the
 * packages where `memoryBytes` is too little for the world.
 */
export async function pickDefaultSources(
  dataDir: string,
  options: OfficialOptions = {},
  memoryBytes: number = Number.POSITIVE_INFINITY,
): Promise<Selection> {
  if (memoryBytes < WORLD_BUILD_MEMORY_BYTES) {
    const [found, needed] = [memoryBytes, WORLD_BUILD_MEMORY_BYTES].map(bytes => Math.floor(bytes / MEGABYTE))
    const message = `This process may use ${found} MB of memory, and building the world needs ${needed} MB.`
    return { sources: DEFAULT_SOURCES, messages: [message, PACKAGES_ONLY] }
  }
  const local = await localFiles(dataDir)
  if (local.length > 0) {
    const messages = [`GeoNames is read from ${geonamesFolder(dataDir)}.`]
    return { sources: await withGeonames(local), messages }
  }
  try {
    const files = await fetchOfficial(dataDir, { ...FIRST_START, ...options })
    const messages = files.map(({ url, date }) => `${url} of ${date} was fetched.`)
    return { sources: await withGeonames(files.map(({ path }) => path)), messages }
  } catch (error) {
    if (!(error instanceof DownloadError)) throw error
    return { sources: DEFAULT_SOURCES, messages: [`${error.message}.`, PACKAGES_ONLY] }
  }
}

/**
 * Chooses the sources that `--source` options name; none: the npm packages. `geonames` downloads the world,
 * `geonames=GB,NL` also full codes, `geonames=<file, folder or URL>` names files, and `<kind>=<file>` an importer's.
 * Offline, the old copy serves, or the other options alone.
 * @throws for an unknown option, or a missing or damaged file
 */
export async function selectSources(
  specs: readonly string[],
  dataDir: string,
  options: OfficialOptions = {},
): Promise<Selection> {
  const paths: string[] = []
  const messages: string[] = []
  const imports = new Imports()
  for (const spec of specs) {
    if (imports.add(spec)) continue
    const [matched, value = ''] = /^geonames(?:=(.*))?$/.exec(spec) ?? []
    if (matched === undefined)
      throw new Error(
        `unknown source ${spec}; expected geonames, geonames=<file, folder or URL>, or <register>=<file> with one of ` +
          IMPORTERS.map(({ kind }) => kind).join(', '),
      )
    if (isLocation(value)) paths.push(value)
    else
      try {
        for (const { path, url, date, unchanged } of await fetchSpec(value, dataDir, options)) {
          paths.push(path)
          messages.push(`${url} of ${date} ${unchanged ? 'is still the newest' : 'was fetched'}.`)
        }
      } catch (error) {
        if (!(error instanceof DownloadError)) throw error
        const cached = await localFiles(dataDir)
        paths.push(...cached.filter(path => !paths.includes(path)))
        messages.push(
          `${error.message}.`,
          cached.length > 0 ? 'The copy from before is used.' : PACKAGES_ONLY,
        )
      }
  }
  const registers = await imports.open(options.onProgress)
  const others = paths.length === 0 ? DEFAULT_SOURCES : await withGeonames(paths)
  return { sources: [...registers, ...others], messages }
}

function isLocation(value: string): boolean {
  return value !== '' && !/^https?:/.test(value) && !/^([A-Z]{2},?)+$/.test(value)
}

async function fetchSpec(value: string, dataDir: string, options: OfficialOptions) {
  if (/^https?:/.test(value)) return [await download(value, geonamesFolder(dataDir), options)]
  const full = value === '' ? options.full : value.split(',')
  return fetchOfficial(dataDir, { ...options, full })
}

async function withGeonames(paths: readonly string[]): Promise<Source[]> {
  return [await openGeonames(paths), ...DEFAULT_SOURCES]
}
