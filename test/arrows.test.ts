import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from 'tap'

/**
 * Rooms of `src` and other folders, lowest first, with the rooms, or the parts of rooms, that each may import. The
 * two seams: `billing` and `postal` know neither each other nor who uses them.
 */
const ROOMS: Readonly<Record<string, string>> = {
  platform: '',
  postal: 'platform',
  billing: 'platform',
  service: 'platform postal billing/accounts billing/money',
  console: 'platform postal billing service',
  server: 'platform postal billing service console',
  programs: 'platform postal billing service console server',
  cli: 'platform programs/cli',
  datasets: 'platform postal/format postal/text postal/limits',
  'build-index': 'platform postal/format postal/text postal/index postal/limits datasets',
  'build-index/commands':
    'platform postal/format postal/index postal/library billing/ledger programs/builder-commands datasets build-index',
  bench: 'platform postal billing service',
}

/**
 * Parts of rooms, lowest first, with the parts of the same room that each may import. A part is a folder or a file of
 * a room.
 */
const PARTS: Readonly<Record<string, string>> = {
  'platform/': '',
  'platform/settings': 'platform/',
  'postal/limits': '',
  'postal/text': 'postal/limits',
  'postal/format': 'postal/limits',
  // The index does not know who asks.
  'postal/index': 'postal/format postal/text postal/limits',
  'postal/library': 'postal/index postal/format postal/text postal/limits',
  'postal/publication': 'postal/index postal/text',
  'billing/limits': '',
  'billing/money': '',
  // The ledger does not know who charges.
  'billing/ledger': 'billing/money billing/limits',
  'billing/accounts': 'billing/ledger billing/money billing/limits',
  'billing/demo-account': 'billing/accounts',
  'billing/fleet': 'billing/accounts billing/ledger billing/money',
  'service/errors': '',
  'service/limits': '',
  'service/data-plane': '',
  'service/endpoints': 'service/errors service/limits',
  'service/openapi': 'service/endpoints service/errors service/limits',
  'service/workers': 'service/endpoints service/errors service/limits',
  'service/api': 'service/endpoints service/workers service/errors service/limits',
  'service/http':
    'service/api service/workers service/endpoints service/openapi service/data-plane service/errors service/limits',
  'console/': '',
  'console/store': '',
  'console/audit': 'console/store',
  'console/reports': 'console/',
  'console/alerts': 'console/ console/audit console/reports console/store',
  'console/session': 'console/ console/alerts console/audit console/reports console/store',
  'console/operator': 'console/ console/reports console/session',
  'console/assets': 'console/session',
  'console/layout': 'console/ console/assets console/operator console/reports console/session',
  'console/sign-in': 'console/ console/layout console/reports console/session',
  'console/payments':
    'console/ console/alerts console/audit console/layout console/operator console/reports console/session console/store',
  // What pages of customers and of operators share.
  'console/sections':
    'console/ console/alerts console/audit console/layout console/operator console/reports console/session',
  'console/pages':
    'console/ console/alerts console/assets console/audit console/layout console/operator console/payments console/reports console/sections console/session console/store',
  'console/operator-pages':
    'console/ console/audit console/layout console/operator console/payments console/reports console/sections console/session',
  // The routes, and the start.
  'console/control-app':
    'console/ console/assets console/layout console/operator-pages console/pages console/payments console/reports console/session console/sign-in console/store',
  'console/control-plane':
    'console/ console/alerts console/audit console/control-app console/operator console/reports console/session',
  server: '',
  'programs/builder-commands': '',
  'programs/client': '',
  'programs/code-source': 'programs/client',
  'programs/pipeline': 'programs/client',
  'programs/mcp': 'programs/code-source',
  'programs/cli':
    'programs/builder-commands programs/client programs/code-source programs/pipeline programs/mcp',
  cli: '',
  'build-index/': '',
  // A stage of the build knows those before it.
  'build-index/gazetteer': 'build-index/',
  'build-index/rows': 'build-index/',
  'build-index/areas': 'build-index/ build-index/rows build-index/gazetteer',
  'build-index/places': 'build-index/ build-index/rows build-index/gazetteer build-index/areas',
  'build-index/position':
    'build-index/ build-index/rows build-index/gazetteer build-index/areas build-index/places',
  'build-index/cities':
    'build-index/ build-index/rows build-index/gazetteer build-index/areas build-index/places',
  'build-index/fields':
    'build-index/ build-index/rows build-index/gazetteer build-index/areas build-index/places',
  'build-index/check': 'build-index/',
  'build-index/write': 'build-index/ build-index/rows build-index/check',
  'build-index/build':
    'build-index/ build-index/rows build-index/gazetteer build-index/areas build-index/places build-index/position build-index/cities build-index/fields build-index/check build-index/write',
}

/** Packages with one home: only that part knows how to use them safely. */
const HOMES: Readonly<Record<string, RegExp>> = {
  'uWebSockets.js': /^(src\/service\/http|bench)\//,
  koffi: /^src\/platform\//,
  pg: /^src\/billing\/fleet\//,
  piscina: /^(src\/(service\/workers|programs\/pipeline)|build-index|bench)\//,
  commander: /^(src\/programs\/cli|build-index)\//,
  hono: /^src\/(console|programs\/mcp)\//,
  nodemailer: /^src\/console\/alerts\//,
  '@opentelemetry/api': /^src\/service\/http\//,
  tinybench: /^bench\//,
  '@modelcontextprotocol/server': /^src\/programs\/(mcp|cli)\//,
}

const FOLDERS = ['src', 'build-index', 'datasets', 'bench']

/**
 * Returns the part of a file: `src/service/api/hot-requests.ts` is in `service/api`, `src/platform/limits.ts` in
 * `platform/`.
 */
function partOf(path: string): string {
  const [top, room, part, below] = path.split('/')
  if (path.startsWith('build-index/commands/') || path === 'build-index/main.ts')
    return 'build-index/commands'
  if (top === 'build-index') return part === undefined ? 'build-index/' : `build-index/${room}`
  if (top !== 'src') return top
  if (part === undefined) return room.replace(/\.tsx?$/, '')
  if (below !== undefined) return `${room}/${part}`
  const file = `${room}/${part.replace(/\.tsx?$/, '')}`
  // A file without a row belongs to the ground of its room.
  return `${room}/` in PARTS && !(file in PARTS) ? `${room}/` : file
}

const roomOf = (part: string) => (part in ROOMS ? part : part.split('/')[0])

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
    packages: foreign.flatMap(specifier => /^(?:@[^/]+\/)?[^/]+/.exec(specifier) ?? []),
  }
}

const files = sourceFiles(FOLDERS)

function mayImport(from: string, to: string): boolean {
  if (from === to) return true
  const inRoom = roomOf(from) === roomOf(to) && roomOf(from) in ROOMS
  const allowed = (inRoom ? PARTS[from] : (ROOMS[roomOf(from)] ?? PARTS[from])).split(' ')
  return allowed.includes(to) || (!inRoom && allowed.includes(roomOf(to)))
}

const badArrows = ({ path, files }: SourceFile) => {
  const part = partOf(path)
  if (PARTS[part] === undefined && ROOMS[part] === undefined) return [`${path}: give its part a row in PARTS`]
  return files.filter(file => !mayImport(part, partOf(file))).map(file => `${path} imports ${file}`)
}

t.ok(files.length > 90, 'the source files are found')
const found = new Set(files.flatMap(({ packages }) => packages))
t.ok(found.has('uWebSockets.js') && found.has('koffi'), 'packages are found, also those loaded by `require`')
t.same(files.flatMap(badArrows), [], 'imports follow the arrows')

t.same(
  files
    .filter(
      ({ path, files }) =>
        !path.startsWith('src/billing/') && `${files}`.includes('src/billing/accounts/live/'),
    )
    .map(({ path }) => path),
  [],
  'the memory of charges is known to billing alone',
)

t.same(
  files.flatMap(({ path, packages }) =>
    packages
      .filter(name => HOMES[name] !== undefined && !HOMES[name].test(path))
      .map(name => `${path}: ${name}`),
  ),
  [],
  'packages stay in their homes',
)

for (const [table, rows] of Object.entries({ ROOMS, PARTS })) {
  const names = Object.keys(rows)
  const at = (name: string) => Math.max(names.indexOf(name), names.indexOf(name.split('/')[0]))
  t.same(
    names.flatMap(name =>
      rows[name]
        .split(' ')
        .filter(other => other !== '' && at(other) >= at(name))
        .map(other => `${name} may import ${other}, which is not above it`),
    ),
    [],
    `${table} has no cycles`,
  )
}
