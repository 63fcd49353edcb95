/** Licences of the packages that are installed and of the data in an index. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { withIndex } from '../index/open-index.ts'
import { creditsOf, sourcesOf } from '../index/postal-index.ts'
import { installed } from './installed-package.ts'

export interface PackageLicence {
  name: string
  version: string
  licence: string
}

export interface DataLicence {
  source: string
  licence: string
  attribution: string
}

interface Manifest {
  name?: string
  version?: string
  license?: string | { type?: string }
  licenses?: { type?: string }[]
  dependencies?: Readonly<Record<string, string>>
  optionalDependencies?: Readonly<Record<string, string>>
}

const UNSTATED = 'not stated'

/**
 * The package in `root` and all that it depends on at run time, optional packages only where they are installed.
 * @throws Error when a package is missing
 */
export function packageLicences(root: string): PackageLicence[] {
  const folders = new Set<string>()
  /** By name and version: a package may be installed in several folders. */
  const found = new Map<string, PackageLicence>()
  const visit = (folder: string) => {
    if (folders.has(folder)) return
    folders.add(folder)
    const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest
    const { name = folder, version = '' } = manifest
    found.set(`${name} ${version}`, { name, version, licence: licenceOf(manifest) })
    const { dependencies = {}, optionalDependencies = {} } = manifest
    for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) {
      const next = installed(name, folder)
      if (next !== null) visit(next)
      else if (!(name in optionalDependencies))
        throw new Error(`${folder} needs the package ${name}, which is not installed: run \`npm ci\``)
    }
  }
  visit(root.replace(/\/$/, ''))
  return [...found.values()].sort((a, b) =>
    a.name < b.name ? -1 : a.name > b.name ? 1 : a.version < b.version ? -1 : 1,
  )
}

/** The sources of the index, or null when there is none. @throws IndexFileError */
export function dataLicences(indexFile: string): DataLicence[] | null {
  if (!existsSync(indexFile)) return null
  return withIndex(indexFile, index =>
    [...sourcesOf(index), ...creditsOf(index)].map(({ title, licence, attribution }) => ({
      source: title,
      licence,
      attribution,
    })),
  )
}

function licenceOf({ license, licenses = [] }: Manifest): string {
  if (typeof license === 'string') return license
  if (license?.type !== undefined) return license.type
  return licenses.map(({ type = UNSTATED }) => type).join(' OR ') || UNSTATED
}
