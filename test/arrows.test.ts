/** Who may import whom: the arrows of the design point down, and this test says so. */
import t from 'tap'
import { findCycle, type SourceFile, sourceFiles } from './support/source-files.ts'

/** What each part may import beside itself. A part is a folder, or a file at the top of `src`. */
const ARROWS: Readonly<Record<string, string>> = {
  // Leaves: they know nothing.
  limits: '',
  errors: '',
  money: '',
  env: '',
  text: 'limits',
  format: '',
  // The index knows nothing of accounts, the ledger nothing of those who charge.
  index: 'format text limits',
  ledger: 'limits',
  accounts: 'ledger limits',
  bulk: 'index text errors limits',
  api: 'accounts index format text bulk errors limits money',
  http: 'api bulk accounts index config log data-plane errors limits',
  // The process around them.
  log: 'config',
  'dashboard-settings': 'env',
  config: 'env limits dashboard-settings',
  'data-plane': 'accounts config control index log',
  'first-start': 'accounts',
  control: 'accounts ledger index format config dashboard-settings data-plane first-start log limits money',
  server: 'accounts config control data-plane first-start log',
  'cli.ts': 'cli',
  cli: 'accounts ledger control config env http data-plane log limits server money',
  // The other way of the design: from rows to the index file.
  datasets: 'text',
  'build-index': 'datasets format text limits index',
  // The builder's own entry: what `src/cli` is to the server.
  'build-index/commands': 'build-index datasets index format config cli',
  bench:
    'build-index datasets accounts api bulk http index format text ledger limits errors money control config log server',
}

/** Packages with one home, because only that place knows how to use them safely. */
const HOMES: Readonly<Record<string, RegExp>> = {
  'uWebSockets.js': /^(src\/http|bench)\//,
  koffi: /^src\/(index\/map-file|ledger\/libc)\.ts$/,
  piscina: /^(src\/bulk|bench)\//,
  commander: /^(src\/cli|build-index)\//,
  hono: /^src\/control\//,
}

const LINES_MAX = 300
/** Files that are longer, each with its reason. */
const LONG_FILES: Readonly<Record<string, string>> = {}

const FOLDERS = ['src', 'build-index', 'datasets', 'bench']

/** `src/api/about.ts` is of `api`, `src/limits.ts` of `limits`; `src/cli.ts` is not of the folder `cli`. */
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
  'and so are their imports',
)
t.ok(
  files.some(({ packages }) => packages.includes('koffi')),
  'and what they load by `require`',
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
  ['build-index/compare.ts', 'build-index/loss.ts', 'build-index/verify.ts'],
  'the builder takes the reader only to verify and compare what was written',
)

t.equal(findCycle(files), undefined, 'no imports go round in a circle')

t.same(
  files
    .filter(({ path, lines }) => lines > LINES_MAX && !(path in LONG_FILES))
    .map(({ path, lines }) => `${path}: ${lines}`),
  [],
  `no file is longer than ${LINES_MAX} lines`,
)
