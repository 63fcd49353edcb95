/**
 * The index that a fresh checkout builds, for tests that need the real data. Building takes about a minute, so it is kept in
 * `dist/test-index/`, named after a digest of its inputs. `build-default-index.ts` builds it.
 */
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('../../../', import.meta.url))
/** Inputs of a build: the builder, the formats that it shares, and the pinned packages. */
const INPUTS = [
  'dist/build-index',
  'dist/datasets',
  'dist/src/format',
  'dist/src/text',
  'datasets/package.json',
]

/** Path of the default index, which `npm test` has built. */
export const DEFAULT_INDEX = join(ROOT, 'dist', 'test-index', `${inputsDigest()}.postrie`)

function inputsDigest(): string {
  const digest = createHash('sha256')
  for (const input of INPUTS) {
    const path = join(ROOT, input)
    const files = input.endsWith('.json') ? [path] : codeFiles(path)
    for (const file of files) digest.update(readFileSync(file))
  }
  return digest.digest('hex').slice(0, 16)
}

function codeFiles(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter(name => name.endsWith('.js'))
    .sort()
    .map(name => join(folder, name))
}
