import { exec } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { Command } from 'commander'
import t from 'tap'
import { addBuildCommand } from '../build-index/commands/build.ts'
import { addCoverageCommand } from '../build-index/commands/coverage.ts'
import { addDiffCommand } from '../build-index/commands/diff.ts'
import { addVerifyIndexCommand } from '../build-index/commands/verify-index.ts'
import { readConfig } from '../src/platform/settings/config.ts'
import { createProgram } from '../src/programs/cli/program.ts'
import { startApp } from './support/app.ts'
import { without } from './support/programs.ts'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const text = (path: string) => readFileSync(join(ROOT, path), 'utf8')
const PAGES = [
  ...'README.md CONTRIBUTING.md src/service/api/API.md datasets/README.md'.split(' '),
  ...readdirSync(join(ROOT, 'docs'))
    .filter(name => name.endsWith('.md'))
    .map(name => `docs/${name}`),
]

function blocks(page: string, language: string): string[] {
  const pattern = new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, 'gm')
  return Array.from(text(page).matchAll(pattern), match => match[1].trimEnd())
}

t.test('the first request gets the answer in the README', { skip: without('curl') }, async t => {
  const { baseUrl, openAccount } = await startApp(t)
  const [shown] = blocks('README.md', 'json')
  for (const page of ['README.md', 'src/service/api/API.md']) {
    const { key } = await openAccount()
    const request = blocks(page, 'sh').find(block => block.startsWith('curl'))
    const own = request?.replace('http://127.0.0.1:8080', baseUrl).replace('<API_KEY>', key)
    // `spawnSync` would block the server in this process.
    const answer = JSON.parse(await shell(`${own} --silent`))
    const expected = JSON.parse(shown.replaceAll('{…}', '{}'))
    t.same(Object.keys(answer), Object.keys(expected), page)
    t.match(answer, { city: expected.city, ST: expected.ST, balance: expected.balance }, page)
  }
})

// `npm run try-bare` runs them.
t.test('two commands at the top of the README install and test, and CI runs the same', async t => {
  const commands = blocks('README.md', 'sh').slice(0, 2)
  t.same(commands, ['npm ci && npm start', 'npm test'])
  for (const command of commands) t.ok(text('deploy/try-bare').includes(command.split(' && ')[0]))
  t.match(text('.ci/run'), /^npm test /m)
})

t.test('the sign-in settings on the page are valid', async t => {
  const lines = blocks('docs/dashboard.md', 'sh')
    .join('\n')
    .replace(/ +#.*$/gm, '')
  const env = Object.fromEntries(
    lines.split('\n').map(line => {
      const [name, value] = line.split(/=(.*)/)
      return [name, value.replaceAll('"', '').replace('…', 'x')]
    }),
  )
  const acme = { OIDC_ACME_ISSUER: 'https://acme.example', OIDC_ACME_CLIENT_ID: 'x' }
  const { dashboard } = readConfig({ ...env, ...acme, OIDC_ACME_CLIENT_SECRET: 'x' })
  t.match(dashboard.providers, [{ id: 'google' }, { id: 'acme', label: env.OIDC_ACME_LABEL }])
})

t.test('every command on a page exists with its options', async t => {
  const program = await createProgram()
  // The builder has these commands. `postrie` passes their arguments on.
  const builder = new Command('postrie')
  for (const add of [addBuildCommand, addCoverageCommand, addDiffCommand, addVerifyIndexCommand]) add(builder)
  let named = 0
  for (const page of PAGES)
    for (const line of namedCommands(page)) {
      const problem = unknownPart(line, builder) === '' ? '' : unknownPart(line, program)
      named++
      t.equal(problem, '', `${page}: ${line}`)
    }
  t.ok(named > 60)
})

t.test('every npm script and file in a command exists', async t => {
  const { scripts } = JSON.parse(text('package.json'))
  for (const page of PAGES) {
    for (const [, name] of text(page).matchAll(/npm run ([\w-]+)/g)) t.ok(name in scripts, `${page}: ${name}`)
    for (const [, file] of text(page).matchAll(/\bnode ((?:dist|deploy)\/[\w/.-]+\.m?js)/g))
      t.ok(existsSync(join(ROOT, file)), `${page}: ${file}`)
  }
})

t.test('files on the map of the source exist, with the functions named beside them', async t => {
  const named = text('src/README.md').matchAll(/`([\w-]+\/[\w./-]+\.tsx?)`(?: \(((?:`\w+`(?:, )?)+)\))?/g)
  for (const [, file, names = ''] of named) {
    const path = [join(ROOT, 'src', file), join(ROOT, file)].find(existsSync)
    t.ok(path !== undefined, file)
    for (const [, name] of names.matchAll(/`(\w+)`/g))
      t.match(readFileSync(path ?? '', 'utf8'), new RegExp(`\\b${name}\\b`), `${file}: ${name}`)
  }
})

/** Returns the lines of code that begin with `postrie`. Alternatives such as `list|create` become one line each. */
function namedCommands(page: string): string[] {
  const prose = text(page)
  const inBlocks = Array.from(prose.matchAll(/^```\w*\n([\s\S]*?)^```/gm), match => match[1])
    .join('\n')
    .split('\n')
    .flatMap(line => /^(?:\$ )?(?:npx )?(?:[A-Z_]+=\S+ )?(postrie .*)$/.exec(line)?.[1] ?? [])
  const inProse = Array.from(prose.matchAll(/`(?:npx )?(postrie [^`\n]+)`/g), match => match[1])
  return [...inBlocks, ...inProse].flatMap(alternatives).filter(line => !line.includes('<command>'))
}

/** Expands `postrie key list|cap  explained` to `postrie key list` and `postrie key cap`. */
function alternatives(line: string): string[] {
  const [command] = line.split(/ {2,}/)
  const listed = /^((?:\w+ )*)((?:[\w-]+\|)+[\w-]+)(.*)$/.exec(command)
  return listed === null ? [command] : listed[2].split('|').map(name => `${listed[1]}${name}${listed[3]}`)
}

/** Names the parts of `line` that `program` lacks, or returns ''. */
function unknownPart(line: string, program: Command): string {
  let command = program
  let options: string[] = []
  for (const word of line.split(/[\s[\]()|]+/).slice(1)) {
    const next = command.commands.find(candidate => candidate.name() === word)
    if (next !== undefined) {
      command = next
      options = command.options.flatMap(({ long, short }) => [long ?? '', short ?? ''])
    } else if (command === program) return `there is no command ${word}`
    else if (command.commands.length > 0 && /^[a-z]+$/.test(word)) return `${command.name()} has no ${word}`
    else if (/^--?[a-z]/.test(word) && word !== '--help' && !options.includes(word.split('=')[0]))
      return `${command.name()} has no ${word}`
  }
  return ''
}

async function shell(command: string): Promise<string> {
  return (await promisify(exec)(command)).stdout
}
