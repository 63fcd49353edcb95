import { execFileSync } from 'node:child_process'
import { generateKeyPairSync, type KeyObject } from 'node:crypto'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { createServer as createPlain, createServer, type RequestListener } from 'node:http'
import { createServer as createSecure } from 'node:https'
import { basename, join } from 'node:path'
import t, { type Test } from 'tap'
import { fetchIndex, fetchManifest } from '../../../src/postal/publication/fetch-index.ts'
import { MANIFEST_NAME, type Manifest } from '../../../src/postal/publication/manifest.ts'
import { publishIndex } from '../../../src/postal/publication/publish.ts'
import { namedIndex } from '../../support/fixture-index.ts'
import { listenUntilEnd } from '../../support/listening.ts'
import { command, postrie, startServer } from '../../support/processes.ts'
import { pathOf, without } from '../../support/programs.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { until } from '../../support/until.ts'

const NEVER = new AbortController().signal
const leaveBytes = async () => 0

const indexNamed = (t: Test, name: string) => namedIndex(temporaryFolder(t), name)

async function serveFolder(t: Test) {
  const folder = temporaryFolder(t)
  const state = {
    url: '',
    folder,
    /** Path of each request. */
    requests: [] as string[],
    /** Breaks off the index after its first bytes. */
    breaksOff: false,
  }
  const server = createServer((request, response) => {
    state.requests.push(request.url ?? '')
    const path = join(folder, request.url ?? '')
    if (!existsSync(path)) return void response.writeHead(404).end()
    const bytes = readFileSync(path)
    response.writeHead(200, { 'content-length': bytes.length })
    if (!state.breaksOff || !path.endsWith('.postrie')) return void response.end(bytes)
    response.write(bytes.subarray(0, 10_000), () => response.destroy())
  })
  state.url = `http://127.0.0.1:${await listenUntilEnd(t, server)}/${MANIFEST_NAME}`
  return state
}

const keys = () => generateKeyPairSync('ed25519')

async function fetchTo(path: string, url: string, publicKey: KeyObject | null = null): Promise<Manifest> {
  const source = { url, publicKey }
  const manifest = await fetchManifest(source, NEVER)
  await fetchIndex(source, manifest, path, { signal: NEVER, leaveBytes })
  return manifest
}

t.test('a published index arrives unchanged, signed or not', async t => {
  const { url, folder } = await serveFolder(t)
  const index = indexNamed(t, 'Alpha')
  const { publicKey, privateKey } = keys()
  const manifest = await publishIndex(index, folder, privateKey)
  t.same(manifest.bytes, statSync(index).size)
  const path = join(temporaryFolder(t), 'index.postrie')
  t.same(await fetchTo(path, url, publicKey), manifest)
  t.ok(readFileSync(path).equals(readFileSync(index)))
  t.same(readdirSync(join(path, '..')), ['index.postrie'], 'no part is left')
  t.same(readdirSync(folder).sort(), [`${manifest.build}.postrie`, MANIFEST_NAME].sort(), 'no draft is left')
  t.same(await fetchTo(path, url), manifest, 'a server without a key takes it as well')
})

t.test('an unsigned or changed index is refused, and the old one stays', async t => {
  const site = await serveFolder(t)
  const { publicKey, privateKey } = keys()
  const path = join(temporaryFolder(t), 'index.postrie')
  await publishIndex(indexNamed(t, 'Alpha'), site.folder, privateKey)
  await fetchTo(path, site.url, publicKey)
  const old = readFileSync(path)
  const manifest = await publishIndex(indexNamed(t, 'Beta'), site.folder, privateKey)
  const manifestFile = join(site.folder, MANIFEST_NAME)
  const indexFile = join(site.folder, `${manifest.build}.postrie`)
  const whole = readFileSync(indexFile)
  const change = (fields: object) => writeFileSync(manifestFile, JSON.stringify({ ...manifest, ...fields }))
  const refuses = async (words: RegExp, name: string) => {
    await t.rejects(fetchTo(path, site.url, publicKey), words, name)
    t.ok(readFileSync(path).equals(old), 'the old index is in its place')
    t.same(readdirSync(join(path, '..')), ['index.postrie'], 'no other file')
  }
  change({ signature: undefined })
  await refuses(/not signed by the key in INDEX_PUBLIC_KEY/, 'no signature')
  await publishIndex(indexNamed(t, 'Beta'), site.folder, keys().privateKey)
  await refuses(/not signed by the key in INDEX_PUBLIC_KEY/, 'the signature of a stranger')
  change({ sha256: 'f'.repeat(64) })
  await refuses(/not signed/, 'a checksum that was not signed')
  change({ build: '../../../../etc/passwd' })
  await refuses(/not the manifest of an index/, 'a path for a build')
  change({ bytes: 2 ** 40 })
  await refuses(/not the manifest of an index/, 'a length beyond the bound')
  writeFileSync(manifestFile, `"${'x'.repeat(100_000)}"`)
  await refuses(/more than 65536 bytes/, 'a manifest without end')
  change({})
  const damaged = Buffer.from(whole)
  damaged[damaged.length >> 1] ^= 1
  writeFileSync(indexFile, damaged)
  await refuses(/has the SHA-256/, 'a changed byte')
  writeFileSync(indexFile, Buffer.concat([whole, whole]))
  await t.rejects(fetchTo(path, site.url, publicKey), /more than \d+ bytes, the maximum/, 'a longer file')
  rmSync(indexFile)
  await t.rejects(fetchTo(path, site.url, publicKey), /answered 404, expected 200/, 'a missing file')
  t.ok(readFileSync(path).equals(old))
})

t.test("an index of another build than its manifest's is refused", async t => {
  const { url, folder } = await serveFolder(t)
  const manifest = await publishIndex(indexNamed(t, 'Alpha'), folder, null)
  const build = 'a'.repeat(32)
  renameSync(join(folder, `${manifest.build}.postrie`), join(folder, `${build}.postrie`))
  writeFileSync(join(folder, MANIFEST_NAME), JSON.stringify({ ...manifest, build }))
  const path = join(temporaryFolder(t), 'index.postrie')
  await t.rejects(fetchTo(path, url), new RegExp(`is build ${manifest.build}, expected ${build}`))
  t.notOk(existsSync(path))
})

t.test('a damaged index is not published', async t => {
  const { folder } = await serveFolder(t)
  await publishIndex(indexNamed(t, 'Alpha'), folder, null)
  const before = readFileSync(join(folder, MANIFEST_NAME))
  const index = indexNamed(t, 'Beta')
  truncateSync(index, statSync(index).size - 100)
  await t.rejects(publishIndex(index, folder, null))
  t.ok(readFileSync(join(folder, MANIFEST_NAME)).equals(before), 'the manifest is unchanged')
  t.equal(readdirSync(folder).length, 2, 'no copy is left')
})

t.test('a failed publication leaves no draft, the next removes those of the killed', async t => {
  const { folder } = await serveFolder(t)
  const index = indexNamed(t, 'Alpha')
  mkdirSync(join(folder, MANIFEST_NAME))
  await t.rejects(publishIndex(index, folder, null), 'a folder has the name of the manifest')
  const published = readdirSync(folder).filter(name => name !== MANIFEST_NAME)
  t.match(published, [/^[0-9a-f]{32}\.postrie$/], 'no draft is left')
  rmSync(join(folder, MANIFEST_NAME), { recursive: true })
  const draftOfOther = `.${MANIFEST_NAME}.${process.ppid}.part`
  for (const name of [draftOfOther, `.${MANIFEST_NAME}.999999999.part`])
    writeFileSync(join(folder, name), 'of another process')
  const { build } = await publishIndex(index, folder, null)
  t.same(readdirSync(folder).sort(), [draftOfOther, `${build}.postrie`, MANIFEST_NAME].sort())
})

const NAMES = ['Alpha', 'Beta', 'Gamma', 'Delta']

t.test('several processes may publish into one folder at the same time', async t => {
  const { url, folder } = await serveFolder(t)
  const publish = (name: string) =>
    postrie(temporaryFolder(t), ['publish', folder], { INDEX_FILE: indexNamed(t, name) })
  const ended = await Promise.all(NAMES.map(publish))
  for (const { code, stderr } of ended) t.equal(code, 0, stderr)
  t.equal(readdirSync(folder).length, NAMES.length + 1, 'all indexes, and one manifest')
  await fetchTo(join(temporaryFolder(t), 'index.postrie'), url)
})

t.test('a broken fetch leaves nothing, and the next one is complete', async t => {
  const site = await serveFolder(t)
  const index = indexNamed(t, 'Alpha')
  await publishIndex(index, site.folder, null)
  const path = join(temporaryFolder(t), 'index.postrie')
  const partOfOther = `${path}.${process.ppid}.part`
  for (const file of [`${path}.${process.pid}.part`, partOfOther, `${path}.999999999.part`])
    writeFileSync(file, 'of another build')
  site.breaksOff = true
  await t.rejects(fetchTo(path, site.url), /cannot be fetched/)
  t.same(readdirSync(join(path, '..')), [basename(partOfOther)], 'no part of this process or of a dead one')
  site.breaksOff = false
  await fetchTo(path, site.url)
  t.ok(readFileSync(path).equals(readFileSync(index)))
})

t.test('a fetch from a very slow publisher ends', async t => {
  const site = await serveFolder(t)
  const manifest = await publishIndex(indexNamed(t, 'Alpha'), site.folder, null)
  const trickle = createServer((_, response) => {
    response.writeHead(200, { 'content-length': manifest.bytes })
    const timer = setInterval(() => response.write('x'), 10)
    response.on('close', () => clearInterval(timer))
  })
  const url = `http://127.0.0.1:${await listenUntilEnd(t, trickle)}/${MANIFEST_NAME}`
  const path = join(temporaryFolder(t), 'index.postrie')
  const fetched = fetchIndex({ url, publicKey: null }, manifest, path, {
    signal: NEVER,
    leaveBytes,
    stallMs: 200,
  })
  await t.rejects(fetched, /cannot be fetched: less than 65536 bytes arrived in 200 ms/)
  t.same(readdirSync(join(path, '..')), [], 'no part is left')
})

t.test('a server starts from INDEX_URL without a build and takes over the next index', async t => {
  const site = await serveFolder(t)
  const { publicKey, privateKey } = keys()
  const work = temporaryFolder(t)
  writeFileSync(join(work, 'public.pem'), publicKey.export({ type: 'spki', format: 'pem' }))
  writeFileSync(join(work, 'private.pem'), privateKey.export({ type: 'pkcs8', format: 'pem' }))
  const publish = async (name: string) => {
    const { code, stderr } = await command(
      work,
      ['publish', site.folder, '--sign', join(work, 'private.pem')],
      { INDEX_FILE: indexNamed(t, name) },
    )
    t.equal(code, 0, stderr)
  }
  await publish('Alpha')
  const dir = join(work, 'served')
  const server = await startServer(dir, {
    INDEX_URL: site.url,
    INDEX_PUBLIC_KEY: join(work, 'public.pem'),
    INDEX_CHECK_SECONDS: '1',
    HTTP_THREADS: '1',
    BULK_WORKERS: '0',
  })
  t.teardown(() => server.stop())
  const city = async () => {
    const body = JSON.stringify({ zipcode: '90210', apiKey: server.key })
    const answer = await fetch(`${server.api}/api/lookup`, { method: 'POST', body })
    return ((await answer.json()) as { city?: string }).city
  }
  t.equal(await city(), 'Alpha')
  await publish('Beta')
  await until(async () => (await city()) === 'Beta')
  await publish('Alpha')
  await until(async () => (await city()) === 'Alpha')
  const draft = temporaryFolder(t)
  const { build } = await publishIndex(indexNamed(t, 'Gamma'), draft, privateKey)
  const damaged = readFileSync(join(draft, `${build}.postrie`))
  damaged[damaged.length >> 1] ^= 1
  writeFileSync(join(site.folder, `${build}.postrie`), damaged)
  renameSync(join(draft, MANIFEST_NAME), join(site.folder, MANIFEST_NAME))
  await until(() => server.output.stderr.includes('has the SHA-256'))
  site.requests.length = 0
  await until(() => site.requests.length >= 2)
  t.same(new Set(site.requests), new Set([`/${MANIFEST_NAME}`]), 'a damaged index is not fetched each time')
  writeFileSync(join(site.folder, MANIFEST_NAME), '{}')
  await until(() => server.output.stderr.includes('is not the manifest of an index'))
  t.equal(await city(), 'Alpha', 'the old one is served')
  const metrics = await (await fetch(`${server.dashboard}/metrics`)).text()
  t.match(metrics, /^postrie_index_followed_age_seconds \d/m)
})

t.test('wrong settings and commands are refused with a reason', async t => {
  const dir = t.testdir({ 'public.pem': 'no key' })
  const check = (env: NodeJS.ProcessEnv) => command(dir, ['serve', '--check'], env)
  const clear = await check({ INDEX_URL: 'http://data.example.com/index.json' })
  t.match(clear.stderr, /INDEX_URL: found 'http:.*expected https:\/\/, or INDEX_PUBLIC_KEY/)
  const noKey = await check({ INDEX_PUBLIC_KEY: join(dir, 'public.pem') })
  t.match(noKey.stderr, /INDEX_PUBLIC_KEY: found .*expected a PEM file with an Ed25519 public key/)
  const nobody = await check({ INDEX_URL: 'http://127.0.0.1:9/index.json', PORT: '0', CONTROL_PORT: '0' })
  t.match(nobody.stderr, /127\.0\.0\.1:9\/index\.json cannot be fetched: /)
  t.equal(nobody.code, 1)
})

t.test('a web server can read files that were published under a strict umask', async t => {
  const folder = temporaryFolder(t)
  const index = indexNamed(t, 'Beverly Hills')
  chmodSync(index, 0o600)
  const mask = process.umask(0o077)
  t.teardown(() => process.umask(mask))
  await publishIndex(index, folder, null)
  const modes = readdirSync(folder).map(name => (statSync(join(folder, name)).mode & 0o777).toString(8))
  t.same(modes, ['644', '644'])
})

const MANIFEST: Manifest = { build: 'a'.repeat(32), bytes: 1, sha256: 'b'.repeat(64), codes: 1, countries: 1 }

async function serve(t: Test, answer: RequestListener, tls?: { key: Buffer; cert: Buffer }): Promise<string> {
  const server = tls === undefined ? createPlain(answer) : createSecure(tls, answer)
  return `http${tls === undefined ? '' : 's'}://127.0.0.1:${await listenUntilEnd(t, server)}`
}

const to =
  (address: string): RequestListener =>
  (_, response) =>
    response.writeHead(302, { location: address }).end()
const manifest: RequestListener = (_, response) => response.end(JSON.stringify(MANIFEST))

/** An index from an https address must never travel over http. */
t.test('an http redirect between two https ones is refused', { skip: without('openssl') }, async t => {
  const dir = t.testdir()
  const [keyFile, certFile] = [join(dir, 'key.pem'), join(dir, 'cert.pem')]
  const files = ['-keyout', keyFile, '-out', certFile, '-days', '1', '-subj', '/CN=127.0.0.1']
  const kind = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes']
  execFileSync(pathOf('openssl'), ['req', '-x509', ...kind, ...files], { stdio: 'ignore' })
  const tls = { key: readFileSync(keyFile), cert: readFileSync(certFile) }
  // The certificate of this test is self-signed.
  process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0'
  t.teardown(() => {
    delete process.env.NODE_TLS_REJECT_UNAUTHORIZED
  })
  const found = await serve(t, manifest, tls)
  const secure = await serve(t, to(`${found}/index.json`), tls)
  const clear = await serve(t, to(`${found}/index.json`))
  const through = await serve(t, to(`${clear}/index.json`), tls)
  const fetched = (url: string) => fetchManifest({ url: `${url}/index.json`, publicKey: null }, NEVER)
  t.match(await fetched(secure), MANIFEST, 'redirects within https are followed')
  await t.rejects(fetched(through), { name: 'DownloadError', message: /leads to http:.*expected https/ })
})

t.test('an endless redirect ends', async t => {
  let url = ''
  url = await serve(t, (_, response) => response.writeHead(307, { location: `${url}/again` }).end())
  const endless = fetchManifest({ url: `${url}/index.json`, publicKey: null }, NEVER)
  await t.rejects(endless, { message: /has more than 10 redirections/ })
})

t.test("messages and the log hide the signature in an index's address", async t => {
  const refusing = await serve(t, (_, response) => response.writeHead(403).end())
  const leading = await serve(t, to(`${refusing}/index.json?X-Amz-Signature=hunter2`))
  for (const url of [`${refusing}/index.json?token=hunter2`, `${leading}/index.json?token=hunter2`]) {
    const failure = await fetchManifest({ url, publicKey: null }, NEVER).catch(String)
    t.match(failure, /index\.json\?… is answered 403/)
    t.notMatch(failure, 'hunter2')
  }
})
