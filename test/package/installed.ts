/** Installs the tarball as a user does, where it finds only its dependencies. */
import { spawnSync } from 'node:child_process'
import { chmodSync, cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const ROOT: string = fileURLToPath(new URL('../../../', import.meta.url))
const MODULES = join(ROOT, 'node_modules')

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
    timeout: 120_000,
  })
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} ended with ${status}:\n${stdout}${stderr}`)
  return stdout
}

/** Packs the package into `folder`. Only the types are missing from the compiled files. */
export function pack(folder: string) {
  run(process.execPath, [join(MODULES, 'typescript/bin/tsc'), '-p', 'tsconfig.types.json'], ROOT)
  const args = ['pack', '--json', '--ignore-scripts', '--pack-destination', folder]
  const [packed] = JSON.parse(run('npm', args, ROOT)) as { filename: string; files: { path: string }[] }[]
  return { file: join(folder, packed.filename), paths: packed.files.map(({ path }) => path) }
}

/**
 * Unpacks the package into `folder/node_modules`, with links to its dependencies as npm installs them.
 * @param hasDatasets installs `@postrie/datasets` as well
 */
export function install({ file }: ReturnType<typeof pack>, folder: string, hasDatasets = true): void {
  const target = join(folder, 'node_modules', 'postrie')
  mkdirSync(target, { recursive: true })
  run('tar', ['-xzf', file, '-C', target, '--strip-components=1'], folder)
  const manifests = [join(target, 'package.json')]
  if (hasDatasets) manifests.push(join(target, 'datasets', 'package.json'))
  const names = manifests.flatMap(manifest => {
    const { dependencies, optionalDependencies } = JSON.parse(readFileSync(manifest, 'utf8'))
    return Object.keys({ ...dependencies, ...optionalDependencies })
  })
  if (hasDatasets) names.push('@postrie/datasets')
  for (const name of new Set([...names, '@types/node'])) {
    const link = join(folder, 'node_modules', name)
    mkdirSync(dirname(link), { recursive: true })
    symlinkSync(join(MODULES, name), link)
  }
  mkdirSync(join(folder, 'node_modules', '.bin'))
  // npm makes the command executable as well.
  chmodSync(join(target, 'dist/bundle/cli.js'), 0o755)
  symlinkSync('../postrie/dist/bundle/cli.js', join(folder, 'node_modules', '.bin', 'postrie'))
}

/** Writes a package.json and the programs of `test/package/app` into `folder`. */
export function writeApp(folder: string): void {
  const manifest = { name: 'app', version: '1.0.0', type: 'module', private: true }
  writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest))
  const source = join(ROOT, 'test', 'package', 'app')
  for (const name of readdirSync(source)) cpSync(join(source, name), join(folder, name.replace('.txt', '')))
}
