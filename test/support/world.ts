/**
 * The world-scale data that lies beside the checkout, where there is any: GeoNames' files in `../shared/data/geonames`, or
 * in the folder that POSTRIE_WORLD_DATA names. None of it belongs to the project, which works without it.
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { openGeonames } from '../../datasets/geonames/geonames.ts'
import { NPM_SOURCES } from '../../datasets/registry.ts'
import type { Source } from '../../datasets/source.ts'

const ROOT = fileURLToPath(new URL('../../../', import.meta.url))
const FOLDER = process.env.POSTRIE_WORLD_DATA ?? join(ROOT, '..', 'shared', 'data', 'geonames')

/** Files of the world, its full British postcodes apart. */
export const WORLD_FILES: readonly string[] = ['allCountries.zip', 'JP.zip'].map(name => join(FOLDER, name))

/** Why tests of the world are skipped, or false. */
export const withoutWorld = WORLD_FILES.every(path => existsSync(path))
  ? false
  : `${FOLDER} has no world data; POSTRIE_WORLD_DATA may name a folder that has`

/** The sources of a build of the world. */
export async function worldSources(): Promise<Source[]> {
  return [await openGeonames(WORLD_FILES), ...NPM_SOURCES]
}
