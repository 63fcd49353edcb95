/** Builds the tests' index if it is missing. Run it once before the tests. */
import { existsSync, mkdirSync, rmSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { dirname } from 'node:path'
import { buildIndex } from '../../build-index/build.ts'
import { DEFAULT_SOURCES } from '../../datasets/default-sources.ts'
import { DEFAULT_INDEX } from './default-index.ts'

if (!existsSync(DEFAULT_INDEX)) {
  rmSync(dirname(DEFAULT_INDEX), { recursive: true, force: true })
  mkdirSync(dirname(DEFAULT_INDEX), { recursive: true })
  await buildIndex({ output: DEFAULT_INDEX, sources: DEFAULT_SOURCES, threads: availableParallelism() })
}
