/** `postrie licences`: the licences of every package that a service runs and of every source of its index. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Command } from 'commander'
import { readConfig } from '../../platform/settings/config.ts'
import { bold } from '../../platform/terminal.ts'
import { table } from '../../platform/text-table.ts'
import { openIndex } from '../../postal/library/node.ts'
import { addCommand, type JsonFlag, print } from './add-command.ts'
import { findPackage } from './data-packages.ts'

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url))

export function addCommands(program: Command): void {
  addCommand(program, 'licences', {
    summary: 'list the licences of the packages that the service runs and of the data in the index',
    example: 'postrie licences --json',
  }).action(({ json }: JsonFlag) => {
    const { indexFile } = readConfig(process.env)
    const packages = packageLicences(ROOT)
    const data = dataLicences(indexFile)
    print(json, { packages, data }, () =>
      [
        bold('Packages'),
        table(['package', 'version', 'licence'], packages.map(Object.values)),
        '',
        bold('Data'),
        data === null
          ? `There is no index at ${indexFile} yet.`
          : table(['source', 'licence', 'attribution'], data.map(Object.values)),
      ].join('\n'),
    )
  })
}

interface Manifest {
  name: string
  version: string
  license?: string
  dependencies?: Readonly<Record<string, string>>
  optionalDependencies?: Readonly<Record<string, string>>
}

/** Returns the package in `root` and its installed runtime dependencies. @throws Error for a missing one */
export function packageLicences(root: string): { name: string; version: string; licence: string }[] {
  const manifests = new Map<string, Manifest>()
  const visit = (folder: string) => {
    if (manifests.has(folder)) return
    const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest
    manifests.set(folder, manifest)
    const { dependencies, optionalDependencies = {} } = manifest
    for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) {
      const next = findPackage(name, folder)
      if (next !== null) visit(next)
      else if (!(name in optionalDependencies))
        throw new Error(`${folder} needs the package ${name}, which is not installed: run \`npm ci\``)
    }
  }
  visit(root.replace(/\/$/, ''))
  // A package may be installed in several folders.
  const lines = new Map(
    [...manifests.values()].map(({ name, version, license = 'not stated' }) => [
      `${name} ${version}`,
      { name, version, licence: license },
    ]),
  )
  return [...lines.keys()].sort().flatMap(line => lines.get(line) ?? [])
}

/** Returns the sources of the index; null if there is no index. @throws IndexFileError */
function dataLicences(indexFile: string): { source: string; licence: string; attribution: string }[] | null {
  if (!existsSync(indexFile)) return null
  const { sources } = openIndex(indexFile).about()
  return sources.map(({ title: source, licence, attribution }) => ({ source, licence, attribution }))
}
