/** The index of a fresh checkout. Building takes a minute, so it stays in `dist/test-index/` under a digest of its inputs. */
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('../../../', import.meta.url))
/** Inputs of a build: the builder, the shared formats, and the pinned packages. */
const INPUTS = [
  'dist/build-index',
  'dist/datasets',
  'dist/src/postal/format',
  'dist/src/postal/text',
  'datasets/package.json',
  'datasets/brazil-sectors.tsv',
]

/** Path of the default index. `npm test` builds it. */
export const DEFAULT_INDEX = join(ROOT, 'dist', 'test-index', `${inputsDigest()}.postrie`)

function inputsDigest(): string {
  const digest = createHash('sha256')
  for (const input of INPUTS) {
    const path = join(ROOT, input)
    const files = input.startsWith('dist') ? codeFiles(path) : [path]
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
