/** Which part may import which: arrows point down, and this test says so. */
import { readFileSync } from 'node:fs'
import t from 'tap'
import { findCycle, roomCycles, type SourceFile, sourceFiles } from './support/source-files.ts'

/**
 * What each part may import, lowest first. A part may name only parts above it in this list, which makes cycles
 * impossible. A part is a folder below `src`, a file at the top of `src`, or another top-level folder.
 */
const ARROWS: Readonly<Record<string, string>> = {
  // Leaves.
  limits: '',
  errors: '',
  money: '',
  networks: '',
  forwarded: 'networks limits',
  text: 'limits',
  format: '',
  // The shapes of requests and answers, for the code and for the document.
  openapi: 'errors limits',
  settings: 'forwarded networks limits',
  platform: 'settings',
  // The index does not know accounts, and the ledger does not know who charges.
  index: 'format text limits platform',
  library: 'index format text limits',
  client: 'library errors limits',
  pipeline: 'client index format text platform',
  mcp: 'client limits',
  ledger: 'limits platform networks',
  accounts: 'ledger text limits networks',
  // One node of many, on a database that they share.
  fleet: 'accounts ledger limits platform',
  bulk: 'index text platform errors limits',
  api: 'accounts index format text bulk openapi errors limits money networks',
  // How an index gets from where it is built to where it is served.
  publication: 'index platform limits',
  'first-start': 'accounts',
  // The seam between the process and its data plane, and the two planes.
  'data-plane': 'accounts settings index platform',
  http: 'api bulk openapi accounts index settings platform data-plane text errors limits networks forwarded',
  control:
    'fleet accounts ledger index format openapi settings data-plane first-start platform limits money networks forwarded',
  server: 'fleet publication accounts settings control data-plane first-start platform',
  cli: 'fleet publication library client pipeline mcp accounts index ledger control settings http data-plane platform limits server first-start money',
  'cli.ts': 'cli',
  // From rows to the index file.
  datasets: 'text limits',
  'build-index': 'datasets format text limits index',
  // The builder's own entry: what `src/cli` is to the server.
  'build-index/commands': 'build-index datasets index format settings platform cli',
  bench:
    'library build-index datasets fleet accounts api bulk http index format text ledger limits errors money control settings platform server',
}

/** Packages with one home, because only that place knows how to use them safely. */
const HOMES: Readonly<Record<string, RegExp>> = {
  'uWebSockets.js': /^(src\/http|bench)\//,
  koffi: /^src\/platform\//,
  pg: /^(src\/fleet|bench\/fleet)\//,
  piscina: /^(src\/(bulk|pipeline)|bench)\//,
  commander: /^(src\/cli|build-index)\//,
  hono: /^src\/control\//,
  nodemailer: /^src\/control\/alerts\//,
  '@opentelemetry/api': /^src\/http\//,
  '@modelcontextprotocol/sdk': /^src\/(mcp|cli)\//,
}

const LINES_MAX = 300
/** Files that are longer, each with its reason. */
const LONG_FILES: Readonly<Record<string, string>> = {}

const FOLDERS = ['src', 'build-index', 'datasets', 'bench']

/** `src/api/service.ts` belongs to `api`, `src/limits.ts` to `limits`; `src/cli.ts` does not belong to the folder `cli`. */
function partOf(path: string): string {
  const [top, second, third] = path.split('/')
  if (path.startsWith('build-index/commands/') || path === 'build-index/main.ts')
    return 'build-index/commands'
  if (top !== 'src') return top
  return third !== undefined || second === 'cli.ts' ? second : second.replace(/\.tsx?$/, '')
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
  ['build-index/check/compare.ts', 'build-index/check/loss.ts', 'build-index/write/verify.ts'],
  'the builder imports the reader only to verify and compare what was written',
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

/** Rows of the table of src/README.md: the names of one or more parts, and what they import. */
const table = Array.from(
  readFileSync(new URL('../../src/README.md', import.meta.url), 'utf8').matchAll(/^\| (`.*?) \|(.*?)\|/gm),
  ([, names, imports]) => ({
    names: Array.from(names.matchAll(/`([\w-]+)\/?`/g), match => match[1]),
    imports: imports.trim(),
  }),
)
const ELSEWHERE = ['cli.ts', 'datasets', 'build-index', 'build-index/commands', 'bench']
t.same(
  parts
    .filter(part => !ELSEWHERE.includes(part))
    .filter(part => !table.some(row => row.names.includes(part) && row.imports === ARROWS[part])),
  [],
  'the table of src/README.md has the same arrows',
)

t.same(roomCycles(files), [], 'folders of the same parent do not import each other in a cycle')

t.equal(findCycle(files), undefined, 'files do not import each other in a cycle')

t.same(
  files
    .filter(({ path, lines }) => lines > LINES_MAX && !(path in LONG_FILES))
    .map(({ path, lines }) => `${path}: ${lines}`),
  [],
  `no file is longer than ${LINES_MAX} lines`,
)
