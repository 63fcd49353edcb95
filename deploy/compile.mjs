/**
 * Compiles and bundles what the service needs, without type checks, before `npm start` and after an install. An installation
 * without TypeScript (`--omit=dev`), or whose `dist` this user may not write to, uses the `dist` that it was given. Nothing is done if no
 * source has changed.
 */
import { spawnSync } from 'node:child_process'
import { accessSync, constants, existsSync, readdirSync, statSync, utimesSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

const root = join(import.meta.dirname, '..')
const command = join(root, 'dist/bundle/cli.js')
const SOURCES = ['src', 'build-index', 'datasets', 'deploy', 'package-lock.json', 'tsconfig.json', 'tsconfig.build.json']

process.exitCode = await compile()

/** The exit code. */
async function compile() {
  const isCompiled = existsSync(command)
  if (isCompiled && (isCurrent() || !isWritable(join(root, 'dist')))) return 0
  const started = new Date()
  const compiler = findCompiler()
  if (compiler !== undefined) {
    const { status } = spawnSync(process.execPath, [compiler, '-p', join(root, 'tsconfig.build.json')], { stdio: 'inherit' })
    if (status !== 0) return status ?? 1
    const { bundle } = await import('./bundle.mjs')
    const code = await bundle(root)
    if (code === 0) utimesSync(command, started, started)
    return code
  }
  if (isCompiled) return 0
  console.error(
    'postrie: the sources are not compiled, and TypeScript is not installed. Install without --omit=dev, ' +
      'or bring the folder dist of a checkout in which `npm ci` has run.',
  )
  return 1
}

/** True if the command is newer than everything that it is made from. */
function isCurrent() {
  const { mtimeMs } = statSync(command)
  const paths = SOURCES.map(source => join(root, source)).filter(existsSync)
  const files = paths.flatMap(path =>
    statSync(path).isDirectory() ? [path, ...readdirSync(path, { recursive: true }).map(name => join(path, name))] : path,
  )
  return files.every(file => statSync(file).mtimeMs < mtimeMs)
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
