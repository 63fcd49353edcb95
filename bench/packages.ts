/**
 * Packages of the benchmarks. They are in `bench/node_modules`, where imports from `dist/bench` do not find them. Their types are
 * declared where they are used, so that the project compiles without the packages.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { BENCH_FOLDER } from './paths.ts'

/** Installs missing packages. One is compiled. */
export function installPackages(): void {
  const { dependencies } = readPackage(BENCH_FOLDER)
  if (Object.entries(dependencies).every(([name, version]) => installedVersion(name) === version)) return
  console.error('Installing the rivals into bench/node_modules, about a minute …')
  const { status } = spawnSync('npm', ['ci', '--no-audit', '--no-fund'], {
    cwd: BENCH_FOLDER,
    stdio: ['ignore', 2, 2],
  })
  if (status !== 0) throw new Error('the rivals could not be installed. See the output of npm above')
}

export function loadPackage<T>(name: string): T {
  return createRequire(`${BENCH_FOLDER}package.json`)(name) as T
}

function installedVersion(name: string): string | undefined {
  const folder = `${BENCH_FOLDER}node_modules/${name}/`
  return existsSync(folder) ? readPackage(folder).version : undefined
}

function readPackage(folder: string): { version: string; dependencies: Record<string, string> } {
  return JSON.parse(readFileSync(`${folder}package.json`, 'utf8'))
}
