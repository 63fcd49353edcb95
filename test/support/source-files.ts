/** The project's own source files and what each imports, read from the source tree. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('../../../', import.meta.url))
const IMPORT =
  /^\s*(?:import|export)\b[^'"]*?from\s+'([^']+)'|\bimport\(\s*'([^']+)'|^\s*import\s+'([^']+)'/gm
const NATIVE = /\)\('([^']+)'\)/g

export interface SourceFile {
  /** From the root: `src/api/about.ts`. */
  path: string
  /** Paths from the root of the project's own files that it imports. */
  files: string[]
  /** Names of the packages that it imports or loads; Node's own modules are left out. */
  packages: string[]
}

/** Every `.ts` and `.tsx` file in those of `folders` that exist, with its imports. */
export function sourceFiles(folders: readonly string[]): SourceFile[] {
  const present = folders.filter(folder => existsSync(join(ROOT, folder)))
  return present.flatMap(folder =>
    readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
      .filter(entry => entry.isFile() && /\.tsx?$/.test(entry.name))
      .map(entry => join(entry.parentPath, entry.name))
      .filter(path => !path.includes('node_modules'))
      .map(readSource),
  )
}

function readSource(path: string): SourceFile {
  const text = readFileSync(path, 'utf8')
  const specifiers = [
    ...Array.from(text.matchAll(IMPORT), match => match[1] ?? match[2] ?? match[3]),
    ...Array.from(text.matchAll(NATIVE), match => match[1]),
  ]
  const own = specifiers.filter(specifier => specifier.startsWith('.'))
  const foreign = specifiers.filter(specifier => !/^(\.|node:)/.test(specifier))
  return {
    path: relative(ROOT, path),
    files: own.map(specifier => relative(ROOT, resolve(dirname(path), specifier))),
    packages: foreign.map(packageName),
  }
}

function packageName(specifier: string): string {
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/')
}

/** The files of one cycle of imports, in order, or undefined when there is none. */
export function findCycle(files: readonly SourceFile[]): string[] | undefined {
  const arrows = new Map(files.map(file => [file.path, file.files]))
  const done = new Set<string>()
  const visit = (node: string, path: readonly string[]): string[] | undefined => {
    if (path.includes(node)) return [...path.slice(path.indexOf(node)), node]
    if (done.has(node)) return undefined
    for (const next of arrows.get(node) ?? []) {
      const cycle = visit(next, [...path, node])
      if (cycle !== undefined) return cycle
    }
    done.add(node)
    return undefined
  }
  for (const node of arrows.keys()) {
    const cycle = visit(node, [])
    if (cycle !== undefined) return cycle
  }
  return undefined
}
