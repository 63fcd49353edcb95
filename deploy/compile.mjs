/**
 * Compiles and bundles what the service needs, without type checks, before `npm start` and after an install. An installation
 * without TypeScript (`--omit=dev`), or whose `dist` this user may not write to, uses the `dist` that it was given. Nothing is done if no
 * source has changed.
 */
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { accessSync, constants, existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

const root = join(import.meta.dirname, '..')
const command = join(root, 'dist/bundle/cli.js')
/** Digest of the sources of the last complete compilation. */
const stamp = join(root, 'dist/.compiled')
const SOURCES = ['src', 'build-index', 'datasets', 'deploy', 'package-lock.json', 'tsconfig.json', 'tsconfig.build.json']

process.exitCode = await compile()

/** The exit code. */
async function compile() {
  const isCompiled = existsSync(command)
  if (isCompiled && !isWritable(join(root, 'dist'))) return 0
  const sources = digest()
  if (isCompiled && existsSync(stamp) && readFileSync(stamp, 'utf8') === sources) return 0
  rmSync(stamp, { force: true })
  const compiler = findCompiler()
  if (compiler !== undefined) {
    const { status } = spawnSync(process.execPath, [compiler, '-p', join(root, 'tsconfig.build.json')], { stdio: 'inherit' })
    if (status !== 0) return status ?? 1
    const { bundle } = await import('./bundle.mjs')
    const before = isCompiled ? statSync(command).mtimeMs : 0
    const code = await bundle(root)
    // Without the bundler, an older bundle stays.
    if (code === 0 && statSync(command).mtimeMs > before) writeFileSync(stamp, sources)
    return code
  }
  if (isCompiled) return 0
  console.error(
    'postrie: the sources are not compiled, and TypeScript is not installed. Install without --omit=dev, ' +
      'or bring the folder dist of a checkout in which `npm ci` has run.',
  )
  return 1
}

/** Digest of the names, sizes and times of all that is compiled. */
function digest() {
  const paths = SOURCES.map(source => join(root, source)).filter(existsSync)
  const files = paths.flatMap(path =>
    statSync(path).isDirectory() ? readdirSync(path, { recursive: true }).map(name => join(path, name)) : path,
  )
  const hash = createHash('sha256')
  for (const file of files.sort()) {
    const { size, mtimeMs } = statSync(file, { throwIfNoEntry: false }) ?? {}
    hash.update(`${file} ${size} ${mtimeMs}\n`)
  }
  return hash.digest('hex')
}

/** False on a read-only file system, or in a checkout of another user. */
function isWritable(folder) {
  try {
    accessSync(folder, constants.W_OK)
    return true
  } catch {
    return false
  }
}

/** Path of TypeScript's command, or undefined where it is not installed. */
function findCompiler() {
  try {
    return join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin/tsc')
  } catch {
    return undefined
  }
}
