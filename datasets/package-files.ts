/**
 * Reads files of data packages by path: most packages hide theirs behind `exports` or wrap them in code. Every file
 * is checked against a checksum, because a failing disk may cut a file short that still parses.
 */
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { brotliDecompressSync } from 'node:zlib'
import type { Credit, Source } from './source.ts'

const MANIFEST = fileURLToPath(new URL('../../datasets/package.json', import.meta.url))
const require = createRequire(MANIFEST)
const { dependencies, packed } = JSON.parse(readFileSync(MANIFEST, 'utf8'))
const versions: Record<string, string> = { ...dependencies, ...packed }
/** By package and path. */
const checksums: Record<string, Record<string, string>> = JSON.parse(
  readFileSync(join(dirname(MANIFEST), 'checksums.json'), 'utf8'),
)

export function packageOrigin(name: string): string {
  return `npm ${name} ${versions[name]}`
}

type PackageCredit = Omit<Credit, 'id' | 'origin' | 'date'> & Partial<Credit>

export function packageCredit(name: string, credit: PackageCredit): Credit {
  return { id: name, origin: packageOrigin(name), date: '', ...credit }
}

/** Returns functions that read files of a package by path. */
const readersOf = (name: string) => ({
  text: (file: string) => readPackageText(name, file),
  json: <T>(file: string): T => readPackageJson(name, file),
  load: <T>(file: string): T => loadPackage(name, file),
})

export function packageSource(
  name: string,
  sourceOf: (readers: ReturnType<typeof readersOf>) => Omit<Source, keyof Credit> & PackageCredit,
): Source {
  const source = sourceOf(readersOf(name))
  const { length } = Object.keys(source.countries)
  const size = (country: string) => (country in source.countries ? packageBytes(name) / length : 0)
  return { ...packageCredit(name, source), size, ...source }
}

function packageBytes(name: string): number {
  return Object.keys(checksums[name] ?? {}).reduce(
    (sum, file) => sum + statSync(packageFile(name, file)).size,
    0,
  )
}

/**
 * Reads `file` of package `name`. SHA-256 takes 0.1 s for the largest.
 * @throws when the package is not installed, or the file differs from its checksum
 */
export function readPackageFile(name: string, file: string): Buffer {
  const path = packageFile(name, file)
  const bytes = path.endsWith('.br') ? unpack(path) : readFileSync(path)
  const expected = checksums[name]?.[file]
  const found = createHash('sha256').update(bytes).digest('hex')
  if (found !== expected)
    throw new Error(
      `${path} (${bytes.length} bytes) has the SHA-256 ${found}, ${packageOrigin(name)} has ${expected ?? 'none'}: the file is ` +
        'damaged or of another version; run npm ci, or after a change of version correct datasets/checksums.json',
    )
  return bytes
}

function unpack(path: string): Buffer {
  try {
    return brotliDecompressSync(readFileSync(path))
  } catch (error) {
    throw new Error(`${path} is damaged; restore it from the repository or from @postrie/datasets`, {
      cause: error,
    })
  }
}

export function readPackageText(name: string, file: string): string {
  return readPackageFile(name, file).toString('utf8')
}

export function readPackageJson<T>(name: string, file: string): T {
  return JSON.parse(readPackageText(name, file))
}

/** Returns the exports of `file`, which stay in memory. */
export function loadPackage<T>(name: string, file: string): T {
  readPackageFile(name, file)
  return require(packageFile(name, file))
}

/** Returns the path of `file`, wherever npm has put the package, or of its packed copy. @throws when the file is missing */
function packageFile(name: string, file: string): string {
  const folders = require.resolve.paths(name) ?? []
  const paths = [join(name, file), join('@postrie/datasets/packed', name, `${file}.br`)]
  for (const path of paths.flatMap(each => folders.map(folder => join(folder, each))))
    if (existsSync(path)) return path
  throw new Error(
    `datasets: ${file} of ${packageOrigin(name)} is missing; run npm ci in a checkout, or install @postrie/datasets next to the package postrie`,
  )
}
