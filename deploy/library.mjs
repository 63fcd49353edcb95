/**
 * Makes the package `@postrie/library`: the library and the client without the server, its builder and their dependencies.
 *
 *   node deploy/library.mjs <folder>     then `npm publish <folder>`, or `npm pack <folder>`
 */
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'

const IMPORT = /(?:from |import\(|import |\(import\.meta\.url\)\()'([^']+)'/g
const root = join(import.meta.dirname, '..')
const [target, ...others] = process.argv.slice(2)
if (target === undefined || target.startsWith('-') || others.length > 0) {
  console.error('library: a folder for the package is expected: node deploy/library.mjs <folder>')
  process.exit(target === '--help' ? 0 : 2)
}
const { name, description, version, license, author, engines, repository, exports, types, typesVersions, dependencies } = JSON.parse(
  readFileSync(join(root, 'package.json'), 'utf8'),
)

/** Files of the package, and the packages that they import. */
const files = new Set()
const packages = new Set()

/** Takes a compiled file with its types, and what both import. */
function take(file) {
  if (files.has(file)) return
  files.add(file)
  const types = file.replace(/\.js$/, '.d.ts')
  if (types !== file && existsSync(types)) take(types)
  for (const [, imported] of readFileSync(file, 'utf8').matchAll(IMPORT)) {
    if (!imported.startsWith('.')) packages.add(imported.split('/')[0])
    // Declarations name their imports as the sources do.
    else take(join(dirname(file), imported.replace(/\.tsx?$/, file.endsWith('.d.ts') ? '.d.ts' : '.js')))
  }
}

for (const each of Object.values(exports))
  for (const path of typeof each === 'string' ? [] : Object.values(each)) take(join(root, path))
for (const file of files) {
  const copy = join(target, relative(root, file))
  mkdirSync(dirname(copy), { recursive: true })
  cpSync(file, copy)
}
for (const page of ['LICENSE', 'docs/library.md', 'docs/client.md']) cpSync(join(root, page), join(target, page))
const manifest = {
  name: `@${name}/library`,
  description: `${description.replace(/\.$/, '')}: its library and its client.`,
  version,
  license,
  author,
  repository,
  engines,
  type: 'module',
  exports,
  types,
  typesVersions,
  dependencies: Object.fromEntries(Object.entries(dependencies).filter(([each]) => packages.has(each))),
}
writeFileSync(join(target, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`)
console.log(`${manifest.name} ${version} is in ${target}: ${files.size} files`)
