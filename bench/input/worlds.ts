/**
 * Builds the index files to measure, the United States and the world, and keeps them. Each checkout builds with its own builder. The data
 * is in the folder POSTRIE_BENCH_DATA (GeoNames' `allCountries.zip` and `JP.zip`), or the default data.
 */
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, rmSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { openIndex, type PostalCodes } from '../../src/postal/library/node.ts'
import { ROOT_FOLDER } from '../paths.ts'
import { runCommand } from '../service.ts'

export const WORLDS = ['us', 'world'] as const
type World = (typeof WORLDS)[number]

const DATA = process.env.POSTRIE_BENCH_DATA
const DATA_FILES = DATA === undefined ? [] : ['allCountries.zip', 'JP.zip'].map(file => resolve(DATA, file))

/** Returns the path of an index. Rebuilds an index older than the builder. */
export function worldFile(world: World, checkout: string = ROOT_FOLDER): string {
  const cache = join(checkout, 'data', 'bench')
  const path = join(cache, `${dataName()}-${world}.postrie`)
  if (existsSync(path) && statSync(path).mtimeMs > compiledAt(checkout)) return path
  mkdirSync(cache, { recursive: true })
  // The builder compares with an existing index, and refuses one with fewer codes.
  rmSync(path, { force: true })
  console.error(`building the index ${world} of ${checkout}`)
  const sources = DATA_FILES.flatMap(file => ['--source', `geonames=${file}`])
  runCommand(checkout, ['build', ...sources, ...(world === 'us' ? ['--countries', 'US'] : [])], {
    INDEX_FILE: path,
  })
  return path
}

export function openWorld(): PostalCodes {
  return openIndex(worldFile('world'))
}

/** Returns `default`, or a name for the present files of POSTRIE_BENCH_DATA. */
function dataName(): string {
  if (DATA_FILES.length === 0) return 'default'
  const hash = createHash('sha256')
  for (const file of DATA_FILES) hash.update(`${file} ${statSync(file).mtimeMs}\n`)
  return hash.digest('hex').slice(0, 16)
}

function compiledAt(checkout: string): number {
  const folders = [...['build-index', 'datasets', 'src'].map(part => join('dist', part)), 'datasets'].map(
    part => join(checkout, part),
  )
  const times = folders.flatMap(folder =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' }).map(
      file => statSync(join(folder, file)).mtimeMs,
    ),
  )
  return Math.max(0, ...times)
}
