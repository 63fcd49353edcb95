/** Builds the tests' index if it is missing. Run it once before the tests. */
import { existsSync, mkdirSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { runBuilder } from '../../src/programs/cli/builder.ts'
import { DEFAULT_INDEX } from './default-index.ts'

if (!existsSync(DEFAULT_INDEX)) {
  rmSync(dirname(DEFAULT_INDEX), { recursive: true, force: true })
  mkdirSync(dirname(DEFAULT_INDEX), { recursive: true })
  process.exitCode = await runBuilder(['build', '--output', DEFAULT_INDEX])
}
