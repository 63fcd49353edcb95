/**
 * Compiles what the service needs, without type checks, before `npm start` and after an install. An installation without
 * TypeScript (`--omit=optional`) uses the `dist` that it was given.
 */
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

const root = join(import.meta.dirname, '..')

process.exitCode = compile()

/** The exit code. */
function compile() {
  const compiler = findCompiler()
  if (compiler !== undefined) {
    const { status } = spawnSync(process.execPath, [compiler, '-p', join(root, 'tsconfig.build.json')], { stdio: 'inherit' })
    return status ?? 1
  }
  if (existsSync(join(root, 'dist/src/cli.js'))) return 0
  console.error(
    'postrie: the sources are not compiled, and TypeScript is not installed. Install without --omit=optional, ' +
      'or bring the folder dist of a checkout in which `npm ci` has run.',
  )
  return 1
}

/** Path of TypeScript's command, or undefined where it is not installed. */
function findCompiler() {
  try {
    return join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin/tsc')
  } catch {
    return undefined
  }
}
