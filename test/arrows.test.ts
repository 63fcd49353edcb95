import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from 'tap'

/**
 * Allowed imports of each part, lowest first. A part may name only parts above it in this list, so cycles are impossible. A part is a
 * folder below `src`, a file at the top of `src`, or another top-level folder.
 */
const ARROWS: Readonly<Record<string, string>> = {
  platform: '',
  limits: 'platform',
  errors: '',
  money: '',
  'builder-commands': '',
  networks: '',
  forwarded: 'networks',
  text: 'limits',
  format: 'limits',
  settings: 'forwarded networks limits platform',
  // The index does not know accounts, and the ledger does not know who charges.
  index: 'format text limits platform',
  library: 'index format text limits',
  // Questions of the API, for every program that answers them.
  endpoints: 'library index format errors limits money',
  openapi: 'endpoints errors limits',
  client: 'endpoints library errors limits',
  pipeline: 'client library index format text platform',
  mcp: 'client endpoints library limits',
  ledger: 'limits money platform networks',
  accounts: 'endpoints ledger text limits money networks platform',
  // A node of a fleet on a shared database.
  fleet: 'accounts ledger limits money platform',
  batch: 'endpoints library index text platform errors limits',
  api: 'endpoints library accounts index format text batch errors limits money networks',
  // The way of an index from its builder to its server.
  publication: 'index platform limits',
  'demo-account': 'accounts',
  // The interface between the process and its data plane, and the two planes.
  'data-plane': 'accounts settings index platform',
  http: 'endpoints library api batch openapi accounts index settings platform data-plane text errors limits networks forwarded',
  control:
    'endpoints library fleet accounts ledger index format text openapi settings data-plane demo-account platform errors limits money networks forwarded',
  server: 'fleet publication accounts ledger settings control data-plane demo-account platform',
  cli: 'builder-commands endpoints fleet publication library client pipeline mcp accounts index ledger control settings http data-plane platform limits server demo-account money',
  'cli.ts': 'cli',
  // From rows to the index file.
  datasets: 'format text limits platform',
  'build-index': 'datasets format text limits index',
  // Commands of the builder.
  'build-index/commands': 'builder-commands build-index datasets index format ledger settings platform',
  bench: 'library accounts ledger fleet batch index limits money',
}

/** Packages with one home: only that part knows how to use them safely. */
const HOMES: Readonly<Record<string, RegExp>> = {
  'uWebSockets.js': /^(src\/http|bench)\//,
  koffi: /^src\/platform\//,
  pg: /^(src\/fleet|bench\/fleet)\//,
  piscina: /^(src\/(batch|pipeline)|bench)\//,
  commander: /^(src\/cli|build-index)\//,
  hono: /^src\/control\//,
  nodemailer: /^src\/control\/alerts\//,
  '@opentelemetry/api': /^src\/http\//,
  tinybench: /^bench\//,
  '@modelcontextprotocol/sdk': /^src\/(mcp|cli)\//,
}

const FOLDERS = ['src', 'build-index', 'datasets', 'bench']

/** Returns the part of a file: `src/service/api/service.ts` is in `api`, `src/platform/limits.ts` in `limits`. `src/cli.ts` is not in the folder `cli`. */
function partOf(path: string): string {
  const [top, second, third] = path.split('/')
  if (path.startsWith('build-index/commands/') || path === 'build-index/main.ts')
    return 'build-index/commands'
  if (top !== 'src') return top
  return third !== undefined || second === 'cli.ts' ? second : second.replace(/\.tsx?$/, '')
}

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const IMPORT =
  /^\s*(?:import|export)\b[^'"]*?from\s+'([^']+)'|\bimport\(\s*'([^']+)'|^\s*import\s+'([^']+)'/gm
const NATIVE = /\)\('([^']+)'\)/g

interface SourceFile {
  /** Path from the root: `src/service/api/about.ts`. */
  path: string
  /** Imported files of the project, as paths from the root. */
  files: string[]
  /** Imported packages, without Node.js's own modules. */
  packages: string[]
}

/** Returns every `.ts` and `.tsx` file in the existing `folders`, with its imports. */
function sourceFiles(folders: readonly string[]): SourceFile[] {
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

/** Returns the files of an import cycle in order, or undefined when there is none. */
function findCycle(files: readonly SourceFile[]): string[] | undefined {
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

const files = sourceFiles(FOLDERS)

const badArrows = ({ path, files }: SourceFile) => {
  const part = partOf(path)
  const allowed = ARROWS[part]
  if (allowed === undefined) return [`${path}: give its part a row in ARROWS`]
  return files
    .filter(file => partOf(file) !== part && !allowed.split(' ').includes(partOf(file)))
    .map(file => `${path} imports ${file}`)
}

t.ok(files.length > 90, 'the source files are found')
t.ok(
  files.some(({ packages }) => packages.includes('uWebSockets.js')),
  'their imports are found',
)
t.ok(
  files.some(({ packages }) => packages.includes('koffi')),
  'packages loaded by `require` are found',
)
t.same(files.flatMap(badArrows), [], 'imports follow the arrows')

t.same(
  files.flatMap(({ path, packages }) =>
    packages
      .filter(name => HOMES[name] !== undefined && !HOMES[name].test(path))
      .map(name => `${path}: ${name}`),
  ),
  [],
  'packages stay in their homes',
)

t.same(
  files
    .filter(
      ({ path, files }) => partOf(path) === 'build-index' && files.some(file => partOf(file) === 'index'),
    )
    .map(({ path }) => path),
  [
    'build-index/check/code-view.ts',
    'build-index/check/compare.ts',
    'build-index/check/loss.ts',
    'build-index/write/name-table.ts',
    'build-index/write/read-back.ts',
  ],
  'the builder imports the reader only to verify and compare what was written, and to add up names as it does',
)

const parts = Object.keys(ARROWS)
t.same(
  parts.flatMap((part, at) =>
    (ARROWS[part] ?? '')
      .split(' ')
      .filter(name => name !== '' && parts.indexOf(name) >= at)
      .map(name => `${part} may import ${name}, which is not above it`),
  ),
  [],
  'the list of arrows has no cycles',
)

t.equal(findCycle(files), undefined, 'files do not import each other in a cycle')
