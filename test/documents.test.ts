import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { ERRORS } from '../src/service/errors.ts'
import { DERIVED, derived } from './support/derived-documents.ts'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const FOLDERS = [
  '',
  ...'src src/billing/ledger src/console src/billing/accounts test/billing/accounts'.split(' '),
]
const README_LINES_MAX = 150

/** `[text](target)`, without web addresses. */
const LINK = /\[[^\]]*\]\((?!https?:)([^)\s]+)\)/g
/** A path of the project in a code span: `src/service/errors.ts`. */
const PATH = /`((?:[\w.-]+\/)+[\w.-]+\.(?:tsx?|md|json))`/g

const documents = [
  ...readdirSync(ROOT),
  ...['src', 'build-index', 'datasets', 'bench', 'test', 'docs'].flatMap(folder =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).map(name => join(folder, name)),
  ),
].filter(path => path.endsWith('.md') && !path.includes('node_modules'))

const text = (path: string) => readFileSync(join(ROOT, path), 'utf8')

/** Returns the anchor of a heading: lower case, hyphens for spaces, no punctuation. */
function anchorOf(heading: string): string {
  return heading
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replace(/\s/g, '-')
}

function anchors(path: string): string[] {
  const prose = text(path).replace(/^```[\s\S]*?^```/gm, '')
  return Array.from(prose.matchAll(/^#+ (.*)$/gm), match => anchorOf(match[1]))
}

function badLinks(path: string): string[] {
  return Array.from(text(path).matchAll(LINK), match => match[1]).filter(target => {
    const [file, anchor] = target.split('#')
    const full = file === '' ? path : join(dirname(path), file)
    if (!existsSync(join(ROOT, full))) return true
    return anchor !== undefined && !anchors(full).includes(anchor)
  })
}

function badPaths(path: string): string[] {
  return Array.from(text(path).matchAll(PATH), match => match[1]).filter(
    named => ![`${dirname(path)}/`, ...FOLDERS].some(folder => existsSync(join(ROOT, folder, named))),
  )
}

t.ok(documents.includes('README.md') && documents.includes('src/service/api/API.md'), 'documents are found')
t.same(
  documents.flatMap(path => badLinks(path).map(target => `${path}: ${target}`)),
  [],
  'links lead somewhere',
)
t.same(
  documents.flatMap(path => badPaths(path).map(named => `${path}: ${named}`)),
  [],
  'paths exist',
)
t.ok(text('README.md').split('\n').length - 1 < README_LINES_MAX, `under ${README_LINES_MAX} lines`)

const api = text('src/service/api/API.md')
t.same(
  Object.values(ERRORS)
    .map(({ status, text }) => `| ${status} | \`${text}\` |`)
    .filter(row => !api.includes(row)),
  [],
  'API.md lists every error with its status',
)

for (const page of Object.keys(DERIVED))
  t.equal(
    text(`docs/${page}`),
    await derived(page),
    `docs/${page} says what its table says: node dist/test/support/derived-documents.js writes it`,
  )
