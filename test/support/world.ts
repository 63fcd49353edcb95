/** Optional world data: GeoNames' files in the folder POSTRIE_WORLD_DATA or `../shared/data/geonames`. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { DEFAULT_SOURCES } from '../../datasets/default-sources.ts'
import { openGeonames } from '../../datasets/geonames/geonames.ts'
import type { Source } from '../../datasets/source.ts'

const ROOT = fileURLToPath(new URL('../../../', import.meta.url))
const FOLDER = process.env.POSTRIE_WORLD_DATA ?? join(ROOT, '..', 'shared', 'data', 'geonames')

/** Files of a world build without the full British postcodes. */
export const WORLD_FILES: readonly string[] = ['allCountries.zip', 'JP.zip'].map(name => join(FOLDER, name))

/** Reason to skip tests of the world, or false. */
export const withoutWorld = WORLD_FILES.every(path => existsSync(path))
  ? false
  : `${FOLDER} has no world data; POSTRIE_WORLD_DATA may name a folder that has`

export async function worldSources(): Promise<Source[]> {
  return [await openGeonames(WORLD_FILES), ...DEFAULT_SOURCES]
}
