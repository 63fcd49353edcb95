/** Every block of code on the pages for users and operators is run or read by a test, which is named here. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { EXPECTED_CODES } from '../../datasets/reference/expected-codes.ts'
import { readyBanner } from '../../src/cli/run-server.ts'
import { rateLimitHeaders } from '../../src/http/answer-heads.ts'
import { openIndex } from '../../src/library/main.ts'
import { readConfig } from '../../src/settings/config.ts'
import { DEFAULT_INDEX } from '../support/default-index.ts'

const ROOT = fileURLToPath(new URL('../../../', import.meta.url))
const PAGES = [
  'README.md',
  'src/api/API.md',
  'src/control/README.md',
  ...readdirSync(join(ROOT, 'docs'))
    .filter(name => name.endsWith('.md'))
    .map(name => `docs/${name}`),
]
const EXAMPLES = 'test/examples.test.ts'
const README = 'test/readme.test.ts'
const HERE = 'test/operate/blocks.test.ts'

/** By page and language. `text` is a block without one. */
const CHECKED_BY: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'README.md': { sh: README, json: README, text: README },
  'src/api/API.md': {
    sh: README,
    json: 'test/contract/examples.test.ts',
    text: HERE,
  },
  'src/control/README.md': {
    sh: README,
    json: 'test/control/alerts.test.ts',
    text: HERE,
  },
  'docs/check.md': { console: EXAMPLES },
  'docs/client.md': { js: EXAMPLES },
  'docs/coming-from.md': {
    console: EXAMPLES,
    python: EXAMPLES,
    sh: 'test/openapi/generated-client.test.ts',
  },
  'docs/commands.md': { console: EXAMPLES },
  'docs/data.md': { text: HERE },
  'docs/fleet.md': { sh: 'test/fleet/document.test.ts', sql: 'test/fleet/document.test.ts' },
  'docs/library.md': { js: EXAMPLES, sh: HERE },
  'docs/mcp.md': { json: EXAMPLES },
  'docs/operating.md': { sh: 'test/operate/document.test.ts', js: 'test/operate/otlp.test.ts' },
}

interface Block {
  language: string
  text: string
}

function blocksOf(page: string): Block[] {
  const text = readFileSync(join(ROOT, page), 'utf8')
  return Array.from(text.matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm), ([, language, text]) => ({
    language: language || 'text',
    text: text.trimEnd(),
  }))
}

/** The first block of a page in a language. */
function blockOf(page: string, language: string): string {
  const found = blocksOf(page).find(block => block.language === language)
  if (found === undefined) throw new Error(`${page} has no block of ${language}`)
  return found.text
}

t.test('each block has its test', async t => {
  const languages = PAGES.map(page => [page, blocksOf(page).map(({ language }) => language)] as const)
  t.same(
    languages
      .filter(([, found]) => found.length > 0)
      .map(([page, found]) => [page, [...new Set(found)].sort()]),
    PAGES.filter(page => page in CHECKED_BY).map(page => [page, Object.keys(CHECKED_BY[page]).sort()]),
  )
})

t.test('each of these tests is there, and reads the page', async t => {
  for (const [page, checkedBy] of Object.entries(CHECKED_BY))
    for (const test of new Set(Object.values(checkedBy))) {
      const source = readFileSync(join(ROOT, test), 'utf8')
      t.ok(source.includes(page.slice(page.lastIndexOf('/') + 1)), `${test} reads ${page}`)
    }
})

t.test('the package is installed under its name', async t => {
  const { name } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
  t.equal(blockOf('docs/library.md', 'sh'), `npm install ${name}`)
})

t.test('the codes of the most populous countries, of the default index, and their shares', async t => {
  const codes = new Map(
    openIndex(DEFAULT_INDEX)
      .countries()
      .map(({ country, codes }) => [country, codes]),
  )
  const row = /([A-Z]{2}) +([\d,]+|-) *(\d+%)? +([\d,]+) *(\d+%)?/g
  const numberOf = (text: string) => Number(text.replace(',', ''))
  const shareOf = (country: string, count: number) => {
    const expected = EXPECTED_CODES[country]?.codes
    return expected && count ? `${Math.min(100, Math.floor((count / expected) * 100))}%` : undefined
  }
  const rows = [...blockOf('docs/data.md', 'text').matchAll(row)]
  t.equal(rows.length, 26)
  for (const [, country, own, share, world, worldShare] of rows) {
    const count = codes.get(country)
    t.equal(own, count?.toLocaleString('en') ?? '-', country)
    t.equal(share, shareOf(country, count ?? 0), country)
    t.equal(worldShare, shareOf(country, numberOf(world)), country)
  }
})

t.test('the headers of limits are those of one moment', async t => {
  const limits = { perMinute: 600, perHour: null, perDay: 100_000 }
  const current = { currentMinute: 6, currentHour: 0, currentDay: 898 }
  const account = { slot: 0, availableMicros: 0, limits, ...current }
  const shown = blockOf('src/api/API.md', 'text')
  const [, secondsLeft] = /t=(\d+)$/.exec(shown) ?? []
  const nowMs = Date.UTC(2026, 0, 2) - Number(secondsLeft) * 1000
  t.equal(rateLimitHeaders(limits, account, nowMs).trim().replaceAll('\r', ''), shown)
})

t.test('a start prints the address of the dashboard as the page shows it', async t => {
  const shown = blockOf('src/control/README.md', 'text')
  const [, entrance = ''] = /dashboard +(\S+)$/.exec(shown) ?? []
  t.ok(readyBanner(readConfig({}), { port: 8080, entrance }).split('\n').includes(shown))
})
