/**
 * postrie as those who install it get it: its tarball, unpacked where nothing of this checkout is in reach but the packages
 * that it depends on.
 */
import { spawnSync } from 'node:child_process'
import { chmodSync, cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const ROOT: string = fileURLToPath(new URL('../../../', import.meta.url))
const MODULES = join(ROOT, 'node_modules')

export interface Packed {
  /** Path of the tarball. */
  file: string
  /** Paths in it. */
  paths: string[]
}

/** Runs a program and returns its standard output. @throws Error with its output when it fails */
export function run(
  command: string,
  args: readonly string[],
  cwd: string,
  env: NodeJS.ProcessEnv = {},
): string {
  const { status, stdout, stderr } = spawnSync(command, args, {
    cwd,
    encoding: 'utf8',
    env: { PATH: process.env.PATH, HOME: process.env.HOME, npm_config_update_notifier: 'false', ...env },
    maxBuffer: 64 * 1024 * 1024,
  })
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} ended with ${status}:\n${stdout}${stderr}`)
  return stdout
}

/** Packs the package into `folder`. What its scripts would compile is there already, but for the types. */
export function pack(folder: string): Packed {
  run(process.execPath, [join(MODULES, 'typescript/bin/tsc'), '-p', 'tsconfig.types.json'], ROOT)
  const args = ['pack', '--json', '--ignore-scripts', '--pack-destination', folder]
  const [made] = JSON.parse(run('npm', args, ROOT)) as { filename: string; files: { path: string }[] }[]
  return { file: join(folder, made.filename), paths: made.files.map(({ path }) => path) }
}

/**
 * Puts the package into `folder/node_modules`, with links to the packages that it names, as npm installs them.
 * @param hasDatasets whether `@postrie/datasets` is installed as well
 */
export function unpack({ file }: Packed, folder: string, hasDatasets = true): void {
  const target = join(folder, 'node_modules', 'postrie')
  mkdirSync(target, { recursive: true })
  run('tar', ['-xzf', file, '-C', target, '--strip-components=1'], folder)
  const manifests = [join(target, 'package.json')]
  if (hasDatasets) manifests.push(join(target, 'datasets', 'package.json'))
  const names = manifests.flatMap(manifest => {
    const { dependencies, optionalDependencies } = JSON.parse(readFileSync(manifest, 'utf8'))
    return Object.keys({ ...dependencies, ...optionalDependencies })
  })
  for (const name of [...names, '@types/node']) {
    const link = join(folder, 'node_modules', name)
    mkdirSync(dirname(link), { recursive: true })
    symlinkSync(join(MODULES, name), link)
  }
  mkdirSync(join(folder, 'node_modules', '.bin'))
  // npm makes it executable as well.
  chmodSync(join(target, 'dist/bundle/cli.js'), 0o755)
  symlinkSync('../postrie/dist/bundle/cli.js', join(folder, 'node_modules', '.bin', 'postrie'))
}

/** Puts a package.json and the programs of a user that are in `test/package/app` into `folder`. */
export function makeApp(folder: string): void {
  const manifest = { name: 'app', version: '1.0.0', type: 'module', private: true }
  writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest))
  const source = join(ROOT, 'test', 'package', 'app')
  for (const name of readdirSync(source)) cpSync(join(source, name), join(folder, name.replace('.txt', '')))
}
