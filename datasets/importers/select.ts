/** Importers that `--source` options name. */
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { addTo } from '../maps.ts'
import type { Source } from '../source.ts'
import { correios } from './correios.ts'
import type { Importer, ImportFile, OnProgress } from './importer.ts'
import { openFiles } from './open-files.ts'
import { osm } from './osm.ts'
import { overture } from './overture.ts'
import * as registers from './registers.ts'

export const IMPORTERS: readonly Importer[] = [...Object.values(registers), correios, overture, osm]

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
    for (const file of 'ending' in importer ? filesIn(path, importer.ending) : [path])
      addTo(this.#files, importer, { path: file, country: named })
    return true
  }

  /** Returns the sources in the order of options. @throws Error as `openFiles` */
  async open(dataDir: string, onProgress: OnProgress = () => {}): Promise<Source[]> {
    const sources: Source[] = []
    for (const [importer, files] of this.#files)
      sources.push(await openFiles(importer, files, dataDir, onProgress))
    return sources
  }
}

/** Returns the file at `path`, or those of the folder there: publishers split the world. */
function filesIn(path: string, ending: string): string[] {
  if (!statSync(path).isDirectory()) return [path]
  const names = readdirSync(path).filter(name => name.endsWith(ending))
  if (names.length === 0) throw new Error(`${path} is a folder without files *${ending}`)
  return names.sort().map(name => join(path, name))
}
