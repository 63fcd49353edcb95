/** Importers that `--source` options name. */
import { readdirSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import { addTo } from '../maps.ts'
import type { OnProgress, Source } from '../source.ts'
import { correios } from './correios.ts'
import { Gathered } from './gather.ts'
import type { Importer } from './importer.ts'
import { osm } from './osm.ts'
import { overture } from './overture.ts'
import * as registers from './registers.ts'

export const IMPORTERS: readonly Importer[] = [...Object.values(registers), correios, overture, osm]

/** File, and its country, or `''`. */
interface ImportFile {
  path: string
  country: string
}

/** Importers of `--source` options, `<kind>=<file>` or `<kind>-<country>=<file>`; one source per kind. */
export class Imports {
  readonly #files = new Map<Importer, ImportFile[]>()

  /**
   * Adds the files of `spec`; returns false if no importer is named.
   * @throws Error when the country is missing or superfluous, or a folder is empty
   */
  add(spec: string): boolean {
    const [, name = '', path = ''] = /^([a-z-]+(?:-[A-Z]{2})?)=(.+)$/.exec(spec) ?? []
    const importer = IMPORTERS.find(({ kind }) => name.replace(/-[A-Z]{2}$/, '') === kind)
    if (importer === undefined) return false
    const { kind, country } = importer
    const named = name.slice(kind.length + 1)
    if (country === '' && named === '')
      throw new Error(`${spec} lacks the country; expected ${kind}-DE=<file>, for example`)
    if (country !== '' && country !== 'any' && named !== '')
      throw new Error(`${spec} names a country; ${kind} is of ${country} alone: expected ${kind}=<file>`)
    for (const file of importer.ending === undefined ? [path] : filesIn(path, importer.ending))
      addTo(this.#files, importer, { path: file, country: country === 'any' ? named : country || named })
    return true
  }

  /** Returns the sources in the order of options. @throws Error as `openFiles` */
  async open(onProgress: OnProgress = () => {}): Promise<Source[]> {
    const sources: Source[] = []
    for (const [importer, files] of this.#files) sources.push(await openFiles(importer, files, onProgress))
    return sources
  }
}

/**
 * Reads `files` as one source. Addresses of one code and place become one row at their middle. Memory grows with
 * codes, about 300 bytes each.
 * @throws Error when a file is not what the importer expects, or has no row
 */
async function openFiles(
  importer: Importer,
  files: readonly ImportFile[],
  onProgress: OnProgress,
): Promise<Source> {
  const { kind, title, licence, attribution, url, completeness, ending } = importer
  const gathered = new Gathered(ending !== undefined)
  let bytes = 0
  for (const { path, country } of files) {
    bytes += statSync(path).size
    await importer.read(path, country, found => gathered.take(basename(path), country, found), onProgress)
  }
  const { countries, lines, leftOut, faults } = gathered
  const names = files.length === 1 ? basename(files[0].path) : `${files.length} files`
  if (countries.length === 0)
    throw new Error(
      `${files.length === 1 ? files[0].path : names}: none of ${lines} lines is a postal code of ${title}; ` +
        `first: ${faults[0] ?? 'none'}`,
    )
  const note = `${kind}: ${leftOut} of ${lines} addresses were left out: no post of their country writes such a code`
  return {
    id: kind,
    title,
    licence,
    attribution,
    url,
    date: '',
    lines,
    origin: `${names}, ${bytes} bytes`,
    countries: Object.fromEntries(countries.map(country => [country, completeness])),
    lacksCodes: completeness === 'partial',
    notes: leftOut === 0 ? [] : [note],
    badLines: faults,
    rows: country => gathered.rows(country),
  }
}

/** Returns the file at `path`, or all files of the folder there: publishers split the world. */
function filesIn(path: string, ending: string): string[] {
  if (!statSync(path).isDirectory()) return [path]
  const names = readdirSync(path).filter(name => name.endsWith(ending))
  if (names.length === 0) throw new Error(`${path} is a folder without files *${ending}`)
  return names.sort().map(name => join(path, name))
}
