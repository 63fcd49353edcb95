/**
 * The index files to measure on: the United States, the world (119 countries and JP), and the world with every full British
 * code. They are built once from the folder that POSTRIE_BENCH_DATA names (the layout of GeoNames' export:
 * `allCountries.zip`, `GB_full.csv.zip`, `JP.zip`); without it, from the default data, which gives the first two in smaller form.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync } from 'node:fs'
import { VERSION_MAJOR, VERSION_MINOR } from '../../src/format/layout.ts'
import { openIndex } from '../../src/index/open-index.ts'
import type { PostalIndex } from '../../src/index/postal-index.ts'
import { CACHE_FOLDER, CLI_FILE } from '../paths.ts'

/** From small to large. */
export const WORLDS = ['us', 'world', 'large'] as const
export type World = (typeof WORLDS)[number]

const FOLDER = process.env.POSTRIE_BENCH_DATA

/** The index file of `world`, built when it is missing; undefined when the data at hand has no such world. */
export function worldFile(world: World): string | undefined {
  const path = `${CACHE_FOLDER}${FOLDER === undefined ? 'default-' : ''}${world}-v${VERSION_MAJOR}.${VERSION_MINOR}.postrie`
  if (existsSync(path)) return path
  const args = buildArguments(world)
  if (args === undefined) return undefined
  mkdirSync(CACHE_FOLDER, { recursive: true })
  console.error(`Building the index ${world} …`)
  const { status } = spawnSync(process.execPath, ['--max-old-space-size=8192', CLI_FILE, 'build', ...args], {
    env: { ...process.env, INDEX_FILE: path },
    stdio: ['ignore', 2, 2],
  })
  if (status !== 0) throw new Error(`the index ${world} could not be built: see the output above`)
  return path
}

/** What `postrie build` is given for `world`; undefined when the data at hand has no such world. */
export function buildArguments(world: World): string[] | undefined {
  const only = world === 'us' ? ['--countries', 'US'] : []
  if (FOLDER === undefined) return world === 'large' ? undefined : only
  const files = ['allCountries.zip', 'JP.zip']
  if (world === 'large') files.push('GB_full.csv.zip')
  return [...files.flatMap(file => ['--source', `geonames=${FOLDER}/${file}`]), ...only]
}

/** The world index, which every question but `index` uses. */
export function worldIndex(): PostalIndex {
  return openIndex(worldFile('world') as string)
}
