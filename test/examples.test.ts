/**
 * Runs every example in docs/. A line `expression // → value` in a `js` block is compared. Lines after `$` in a
 * `console` block run in a shell. `{…}` stands for any object.
 */
import { spawn, spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import t, { type Test } from 'tap'
import { openIndex } from '../src/postal/index/open-index.ts'
import { createProgram } from '../src/programs/cli/program.ts'
import { startApp } from './support/app.ts'
import { DEFAULT_INDEX } from './support/default-index.ts'
import { commandIn, finished } from './support/processes.ts'
import { pathOf, without } from './support/programs.ts'
import { temporaryFolder } from './support/temporary-folder.ts'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const PAGES = ['check.md', 'client.md', 'coming-from.md', 'commands.md', 'library.md', 'mcp.md']
const EXPECTED = /^(.*?) \/\/ → (.*)$/gm

interface Block {
  language: string
  text: string
}

function blocksOf(page: string): Block[] {
  const text = readFileSync(join(ROOT, 'docs', page), 'utf8')
  return Array.from(text.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm), ([, language, text]) => ({
    language,
    text,
  }))
}

/** Creates a folder with `postrie` installed and an index built, as the pages assume. */
function userFolder(t: Test): string {
  const folder = temporaryFolder(t)
  for (const name of ['node_modules', 'node_modules/.bin', 'data']) mkdirSync(join(folder, name))
  symlinkSync(ROOT, join(folder, 'node_modules', 'postrie'))
  commandIn(join(folder, 'node_modules', '.bin'))
  symlinkSync(DEFAULT_INDEX, join(folder, 'data', 'index.postrie'))
  return folder
}

/** Joins the blocks of a page into one module. The module returns found and expected values, line by line. */
function moduleOf(blocks: readonly Block[]): string {
  const imports: string[] = []
  const bodies = blocks.map(({ text }) => {
    const rest = text.replace(/^import .*$/gm, line => {
      if (!imports.includes(line)) imports.push(line)
      return ''
    })
    return rest.replace(EXPECTED, (_, line: string, value: string) => {
      const expression = line.trim().replace(/^;/, '')
      return `;__seen.push([${JSON.stringify(expression)}, ${expression}, (${value})])`
    })
  })
  // A later block may declare a name again.
  const nested = bodies.reduceRight((inner, body) => `{\n${body}\n${inner}\n}`, '')
  return `${imports.join('\n')}\nexport const __seen = []\n${nested}\n`
}

const { port, baseUrl, accounts, openAccount } = await startApp(t, undefined, {
  index: openIndex(DEFAULT_INDEX),
})

t.test('JavaScript examples return their values', async t => {
  const folder = userFolder(t)
  process.chdir(folder)
  t.teardown(() => process.chdir(ROOT))
  const { fetch } = globalThis
  // A browser fetches this part.
  globalThis.fetch = withIndex(fetch, join(folder, 'data', 'index.postrie'))
  t.teardown(() => {
    globalThis.fetch = fetch
  })
  for (const page of PAGES) {
    const blocks = blocksOf(page).filter(({ language }) => language === 'js')
    if (blocks.length === 0) continue
    const { key } = await openAccount()
    const source = moduleOf(blocks)
      .replaceAll('https://postal.example.com', baseUrl)
      .replaceAll('<API_KEY>', key)
    const file = join(folder, `${page}.mjs`)
    writeFileSync(file, source)
    const { __seen } = (await import(pathToFileURL(file).href)) as { __seen: [string, unknown, unknown][] }
    t.ok(__seen.length > 3, `${page} has examples with results`)
    for (const [expression, found, expected] of __seen) t.same(found, expected, `${page}: ${expression}`)
  }
})

function withIndex(original: typeof fetch, file: string): typeof fetch {
  return async (input, init) =>
    input === '/index.postrie' ? new Response(readFileSync(file)) : original(input, init)
}

t.test('the Python example works', { skip: without('python3') }, async t => {
  const [{ text }] = blocksOf('coming-from.md').filter(({ language }) => language === 'python')
  const { id, key } = await openAccount()
  await accounts.credit({ account: id, micros: 5_000_000, kind: 'test', reference: 'python' })
  const program = text.replace('http://127.0.0.1:8080', baseUrl).replace('<API_KEY>', key)
  const { stdout, stderr } = await finished(spawn(pathOf('python3'), ['-c', program]))
  t.equal(stdout + stderr, Array.from(text.matchAll(/# → (.*)/g), ([, line]) => `${line}\n`).join(''))
})

t.test('commands print the output on the page', { skip: without('curl') }, async t => {
  const folder = userFolder(t)
  writeFileSync(
    join(folder, 'customers.csv'),
    'id,name,zip,country\n1,"Ada, Countess",SW1A 1AA,GB\n2,Grace,90210,US\n3,Edsger,00000,US\n',
  )
  for (const page of PAGES) {
    const { key } = await openAccount()
    for (const { text } of blocksOf(page).filter(({ language }) => language === 'console')) {
      for (const step of text.split(/^\$ /m).slice(1)) {
        const [command, ...lines] = step.split('\n')
        const real = command.replaceAll('127.0.0.1:8080', `127.0.0.1:${port}`).replaceAll('<API_KEY>', key)
        t.match(await shell(real, folder), patternOf(lines.join('\n')), `${page}: ${command}`)
      }
    }
  }
})

async function shell(command: string, cwd: string): Promise<string> {
  const child = spawn('sh', ['-c', `{ ${command}; } 2>&1`], {
    cwd,
    env: { PATH: `${join(cwd, 'node_modules/.bin')}:${process.env.PATH}` },
  })
  return (await finished(child)).stdout.trimEnd()
}

/** Returns a pattern of the text. `{…}` and times match anything. */
function patternOf(text: string): RegExp {
  const escaped = text.trimEnd().replace(/[.*+?^$()|[\]\\{}]/g, '\\$&')
  return new RegExp(
    `^${escaped.replaceAll('\\{…\\}', '\\{(?:[^{}]|\\{[^{}]*\\})*\\}').replace(/"0ms"/g, '"\\d+ms"')}$`,
  )
}

t.test('the pages list every option of `check` and `mcp`', async t => {
  for (const [page, name] of [
    ['check.md', 'check'],
    ['mcp.md', 'mcp'],
  ]) {
    const text = readFileSync(join(ROOT, 'docs', page), 'utf8')
    const command = (await createProgram()).commands.find(command => command.name() === name)
    for (const { long } of command?.options ?? []) t.ok(text.includes(`${long}`), `${page}: ${long}`)
  }
})

t.test('the configuration for agents starts a server', async t => {
  const [{ text }] = blocksOf('mcp.md').filter(({ language }) => language === 'json')
  const { command, args } = JSON.parse(text).mcpServers['postal-codes']
  const folder = userFolder(t)
  const { status, stdout } = spawnSync(command.replace('/opt/postrie', folder), [...args, '--help'], {
    encoding: 'utf8',
    env: { PATH: process.env.PATH, HOME: process.env.HOME },
  })
  t.equal(status, 0)
  t.match(stdout, /Usage: postrie mcp/)
})
