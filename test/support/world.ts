/**
 * World-scale data, where this machine has it: GeoNames' files in the folder that POSTRIE_WORLD_DATA names, or else in
 * `../shared/data/geonames`. It is not part of the project, which works without it.
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { openGeonames } from '../../datasets/geonames/geonames.ts'
import { NPM_SOURCES } from '../../datasets/npm-sources.ts'
import type { Source } from '../../datasets/source.ts'

const ROOT = fileURLToPath(new URL('../../../', import.meta.url))
const FOLDER = process.env.POSTRIE_WORLD_DATA ?? join(ROOT, '..', 'shared', 'data', 'geonames')

/** The files of a world build without the full British postcodes. */
export const WORLD_FILES: readonly string[] = ['allCountries.zip', 'JP.zip'].map(name => join(FOLDER, name))

/** Reason to skip tests of the world, or false. */
export const withoutWorld = WORLD_FILES.every(path => existsSync(path))
  ? false
  : `${FOLDER} has no world data; POSTRIE_WORLD_DATA may name a folder that has`

/** The sources of a build of the world. */
export async function worldSources(): Promise<Source[]> {
  return [await openGeonames(WORLD_FILES), ...NPM_SOURCES]
}
