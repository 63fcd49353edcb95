import { spawnSync } from 'node:child_process'
import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { freePort } from '../../bench/service.ts'
import { EXPECTED_CODES } from '../../datasets/reference/expected-codes.ts'
import { openIndex } from '../../src/postal/library/node.ts'
import { packageLicences } from '../../src/programs/cli/licences.ts'
import { DEFAULT_INDEX } from '../support/default-index.ts'
import { namedIndex, writeIndex } from '../support/fixture-index.ts'
import { post } from '../support/post.ts'
import { command, commandIn, postrieJson, startServer } from '../support/processes.ts'
import { without } from '../support/programs.ts'
import { until } from '../support/until.ts'

const ROOT = fileURLToPath(new URL('../../../', import.meta.url))
const DOCUMENT = readFileSync(join(ROOT, 'docs/operating.md'), 'utf8')
const README = readFileSync(join(ROOT, 'README.md'), 'utf8')
const BLOCK = /^```sh\n([\s\S]*?)^```/gm

const commands = Array.from(DOCUMENT.matchAll(BLOCK), match => match[1].trimEnd().split('\n')).flat()

t.test('every command of docs/operating.md succeeds', { skip: without('curl') }, async t => {
  t.ok(commands.length > 8)
  const folder = t.testdir({ bin: {}, data: {} })
  const dataDir = join(folder, 'data')
  writeIndex(dataDir)
  const path = commandIn(join(folder, 'bin'))
  const server = await startServer(dataDir)
  t.teardown(() => server.stop())
  for (const command of commands) {
    const own = command
      .replaceAll('http://127.0.0.1:8080', server.api)
      .replaceAll('http://127.0.0.1:8081', server.dashboard)
    const { status, stdout, stderr } = spawnSync('bash', ['-euo', 'pipefail', '-c', own], {
      cwd: folder,
      encoding: 'utf8',
      env: { PATH: path, DATA_DIR: dataDir, PORT: '0', CONTROL_PORT: '0' },
    })
    t.equal(status, 0, command)
    if (status !== 0) t.comment(stdout, stderr)
    else t.not(stdout, '', 'it says something')
  }
})

/** Writes an index in which 90210 is the place `name`, and renames it into `dir`. */
const putIndex = (dir: string, name: string) =>
  renameSync(namedIndex(join(dir, 'next'), name, 1), join(dir, 'index.postrie'))

t.test('a command or a SIGHUP reloads the index and refuses a bad one', async t => {
  const dir = t.testdir()
  putIndex(dir, 'First')
  const server = await startServer(dir)
  t.teardown(() => server.stop())
  const city = async () =>
    JSON.parse((await post(server.api, '/api/lookup', { apiKey: server.key, zipcode: '90210' })).text).city

  t.match(await postrieJson(dir, ['reload']), { outcome: 'same', codeCount: 1 })
  putIndex(dir, 'Second')
  const replaced = await command(dir, ['reload'])
  // A slow start of the command lets the server notice the file by itself.
  t.match(replaced, {
    code: 0,
    stdout: /^The server (now serves|already served) build [0-9a-f]+ with 1 codes\.$/m,
  })
  t.equal(await city(), 'Second', 'at once')

  putIndex(dir, 'Third')
  server.child.kill('SIGHUP')
  await until(() => server.output.stderr.split('"index replaced"').length === 3)
  t.equal(await city(), 'Third', 'after a signal')

  writeFileSync(join(dir, 'index.postrie'), 'no index')
  const refused = await command(dir, ['reload'])
  t.equal(refused.code, 1)
  t.match(refused.stdout, /The server still serves build .*\. The new index cannot be used: .*expected/)
  t.equal(await city(), 'Third', 'the old one stays')
})

t.test('without a server, reload names the socket that it tried', async t => {
  const dir = t.testdir()
  t.match(await command(dir, ['reload']), {
    code: 6,
    stderr: /no server listens on .*control\.sock: set DATA_DIR/,
  })
})

/** Licences that ask for at most their text and a notice. */
const PERMISSIVE = /^(MIT|MIT-0|ISC|0BSD|BSD-[23]-Clause|Apache-2\.0|BlueOak-1\.0\.0)$/

t.test('every package in production has a permissive licence', async t => {
  const packages = packageLicences(ROOT)
  t.ok(packages.length > 50)
  t.same(
    packages.filter(({ licence }) => !PERMISSIVE.test(licence)),
    [],
  )
  t.ok(packages.some(({ name }) => name === 'uwebsockets'))
  t.notOk(
    packages.some(({ name }) => name === 'tap'),
    'packages of the tests are left out',
  )
})

t.test('the command lists packages and the sources of the index', async t => {
  const dir = t.testdir()
  const before = await command(dir, ['licences'])
  t.match(before, { code: 0, stdout: /koffi +[\d.]+ +MIT[\s\S]*There is no index at/ })
  const { packages, data } = await postrieJson(dir, ['licences'], { INDEX_FILE: DEFAULT_INDEX })
  t.same(packages, packageLicences(ROOT))
  t.ok(data.length > 15, `${data.length} sources`)
  for (const source of data) t.notOk(Object.values(source).includes(''), JSON.stringify(source))
})

/** Returns the first block of a page in a language; `''` is a block without a language. */
function blockOf(page: string, language: string): string {
  const blocks = readFileSync(join(ROOT, page), 'utf8').matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)
  const found = [...blocks].find(([, name]) => name === language)
  if (found === undefined) throw new Error(`${page} has no block of ${language}`)
  return found[2].trimEnd()
}

t.test('the page has the codes and shares of the default index', async t => {
  const codes = new Map(
    openIndex(DEFAULT_INDEX)
      .countries()
      .map(({ country, codes }) => [country, codes]),
  )
  const row = /([A-Z]{2}) +([\d,]+|-) *(\d+%)? +([\d,]+) *(\d+%)?/g
  const numberOf = (text: string) => Number(text.replaceAll(',', ''))
  const shareOf = (country: string, count: number) => {
    const expected = EXPECTED_CODES[country]?.codes
    return expected && count ? `${Math.min(100, Math.floor((count / expected) * 100))}%` : undefined
  }
  const rows = [...blockOf('docs/data.md', '').matchAll(row)]
  t.equal(rows.length, 26)
  for (const [, country, own, share, world, worldShare] of rows) {
    const count = codes.get(country)
    t.equal(own, count?.toLocaleString('en') ?? '-', country)
    t.equal(share, shareOf(country, count ?? 0), country)
    t.equal(worldShare, shareOf(country, numberOf(world)), country)
  }
  const [, ...lists] =
    /Without GeoNames, (.*?) have\s+no codes\. (.*?)\s+have\s+less than a fifth/s.exec(README) ?? []
  const thin = rows.filter(([, , own, , world]) => (numberOf(own) || 0) < numberOf(world) / 5)
  t.same(
    // Smaller countries have no row.
    lists
      .flatMap(list => list.match(/[A-Z]{2}/g) ?? [])
      .filter(each => rows.some(([, country]) => country === each))
      .sort(),
    thin.map(([, country]) => country).sort(),
  )
})

/** In an upgrade, the old server drains and the next one takes over its ports. */
const UPGRADES = Number(process.env.UPGRADES ?? 1)

const TIMEOUT_MS = 30_000 + UPGRADES * 15_000

t.test('requests in flight are answered before a server stops', { timeout: TIMEOUT_MS }, async t => {
  const dir = t.testdir()
  writeIndex(dir)
  const ports = { PORT: String(await freePort()), CONTROL_PORT: String(await freePort()) }
  let server = await startServer(dir, ports)
  t.teardown(() => server.child.kill('SIGKILL'))
  await postrieJson(dir, ['account', 'credit', 'demo', '1000', '--reference', 'upgrades'])
  const load = new Load(server.api, server.key)
  for (let upgrade = 0; upgrade < UPGRADES; upgrade++) {
    await load.more()
    t.equal(await server.stop(), 0)
    server = await startServer(dir, ports)
    await load.more()
  }
  await load.stop()
  t.same(load.failed, [])
  t.equal(await server.stop(), 0)
})

const CLIENTS = 4
const RETRY_MS = 5
/** Time limit of a request: longer than any stop or start. */
const ANSWER_MS_MAX = 15_000
/** Failures after which the server is broken. */
const FAILURES_MAX = 20

class Load {
  answered = 0
  /** Sent requests without a 200. A refused connection does not count: its request was not sent. */
  readonly failed: string[] = []
  #isRunning = true
  readonly #clients: Promise<void>[]

  /** Looks a code up at `api` with `key` until `stop`. */
  constructor(api: string, key: string) {
    const body = JSON.stringify({ apiKey: key, zipcode: '90210' })
    this.#clients = Array.from({ length: CLIENTS }, () => this.#client(`${api}/api/lookup`, body))
  }

  /** Resolves when more requests have been answered. @throws Error after the time limit of `until` */
  async more(): Promise<void> {
    const wanted = this.answered + 50
    await until(() => this.answered >= wanted || this.failed.length > 0)
  }

  async stop(): Promise<void> {
    this.#isRunning = false
    await Promise.all(this.#clients)
  }

  async #client(url: string, body: string): Promise<void> {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    while (this.#isRunning && this.failed.length < FAILURES_MAX) {
      const outcome = await ask(url, body, agent)
      if (outcome === 'refused') await new Promise(resolve => setTimeout(resolve, RETRY_MS))
      else if (outcome === '200') this.answered++
      else this.failed.push(outcome)
    }
    agent.destroy()
  }
}

/** Returns the status, `refused`, or the error of a request that may have been read. */
function ask(url: string, body: string, agent: Agent): Promise<string> {
  return new Promise(resolve => {
    const headers = { 'Content-Type': 'application/json' }
    const signal = AbortSignal.timeout(ANSWER_MS_MAX)
    const outgoing = request(url, { method: 'POST', agent, headers, signal }, answer => {
      answer.resume()
      answer.on('end', () => resolve(String(answer.statusCode)))
      answer.on('error', error => resolve(error.message))
    })
    outgoing.on('error', (error: NodeJS.ErrnoException) => {
      // A kept connection that closes before the request arrives counts as refused.
      const isLost = error.code === 'ECONNREFUSED' || (outgoing.reusedSocket && error.code === 'ECONNRESET')
      resolve(isLost ? 'refused' : `${error.code}: ${error.message}`)
    })
    outgoing.end(body)
  })
}
