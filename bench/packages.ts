/**
 * Packages of the benchmarks and of `npm run check-data`. Each folder has its own `package.json` and `node_modules`, where imports
 * from `dist` do not find them. Their types are declared where they are used, so that the project compiles without the packages.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { BENCH_FOLDER } from './paths.ts'

/** Installs missing packages. Some are compiled. */
export function installPackages(folder = BENCH_FOLDER): void {
  const { dependencies } = readPackage(folder)
  const isInstalled = ([name, version]: [string, string]) => installedVersion(folder, name) === version
  if (Object.entries(dependencies).every(isInstalled)) return
  console.error(`Installing packages into ${folder}node_modules, about a minute …`)
  const { status } = spawnSync('npm', ['ci', '--no-audit', '--no-fund'], {
    cwd: folder,
    stdio: ['ignore', 2, 2],
  })
  if (status !== 0) throw new Error('the packages could not be installed. See the output of npm above')
}

export function loadPackage<T>(name: string, folder = BENCH_FOLDER): T {
  return createRequire(`${folder}package.json`)(name) as T
}

function installedVersion(folder: string, name: string): string | undefined {
  const path = `${folder}node_modules/${name}/`
  return existsSync(path) ? readPackage(path).version : undefined
}

function readPackage(folder: string): { version: string; dependencies: Record<string, string> } {
  return JSON.parse(readFileSync(`${folder}package.json`, 'utf8'))
}
