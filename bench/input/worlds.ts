/**
 * Builds the measured index files once, with the builder of a checkout: the United States, and the world. The data is in the folder
 * POSTRIE_BENCH_DATA (GeoNames' `allCountries.zip` and `JP.zip`), or the default data.
 */
import { existsSync, mkdirSync, readdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { openIndex, type PostalCodes } from '../../src/library/main.ts'
import { ROOT_FOLDER } from '../paths.ts'
import { runCommand } from '../service.ts'

export const WORLDS = ['us', 'world'] as const
export type World = (typeof WORLDS)[number]

const DATA = process.env.POSTRIE_BENCH_DATA

/** Returns the path of an index. Builds it unless it is newer than the compiled builder. */
export function worldFile(world: World, checkout: string = ROOT_FOLDER): string {
  const cache = join(checkout, 'data', 'bench')
  const path = join(cache, `${DATA === undefined ? 'default-' : ''}${world}.postrie`)
  if (existsSync(path) && statSync(path).mtimeMs > compiledAt(checkout)) return path
  mkdirSync(cache, { recursive: true })
  // The builder compares with an existing index, and refuses one with fewer codes.
  rmSync(path, { force: true })
  console.error(`building the index ${world} of ${checkout}`)
  const sources =
    DATA === undefined
      ? []
      : ['allCountries.zip', 'JP.zip'].flatMap(file => ['--source', `geonames=${DATA}/${file}`])
  runCommand(checkout, ['build', ...sources, ...(world === 'us' ? ['--countries', 'US'] : [])], {
    INDEX_FILE: path,
  })
  return path
}

export function openWorld(): PostalCodes {
  return openIndex(worldFile('world'))
}

function compiledAt(checkout: string): number {
  const folders = ['build-index', 'datasets', 'src/text', 'src/format'].map(part =>
    join(checkout, 'dist', part),
  )
  const times = folders.flatMap(folder =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' }).map(
      file => statSync(join(folder, file)).mtimeMs,
    ),
  )
  return Math.max(0, ...times)
}
