/**
 * Compiles and bundles what the service needs, without type checks, before `npm start` and after an install. An installation
 * without TypeScript (`--omit=dev`), or whose `dist` this user may not write to, uses the `dist` that it was given.
 */
import { spawnSync } from 'node:child_process'
import { accessSync, constants, existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

const root = join(import.meta.dirname, '..')

process.exitCode = await compile()

/** The exit code. */
async function compile() {
  const isCompiled = existsSync(join(root, 'dist/bundle/cli.js'))
  if (isCompiled && !isWritable(join(root, 'dist'))) return 0
  const compiler = findCompiler()
  if (compiler !== undefined) {
    const { status } = spawnSync(process.execPath, [compiler, '-p', join(root, 'tsconfig.build.json')], { stdio: 'inherit' })
    if (status !== 0) return status ?? 1
    const { bundle } = await import('./bundle.mjs')
    return bundle(root)
  }
  if (isCompiled) return 0
  console.error(
    'postrie: the sources are not compiled, and TypeScript is not installed. Install without --omit=dev, ' +
      'or bring the folder dist of a checkout in which `npm ci` has run.',
  )
  return 1
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
