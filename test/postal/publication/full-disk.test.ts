/** An index that does not fit the ledger's disk must leave the ledger its room. */

import { createReadStream, mkdirSync, readdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer, type ServerResponse } from 'node:http'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { SEGMENT_BYTES_MAX } from '../../../src/billing/ledger/log/segment-log.ts'
import { reservedBytes } from '../../../src/billing/ledger/reserved-space.ts'
import { publishIndex } from '../../../src/postal/publication/publish.ts'
import { DEFAULT_INDEX } from '../../support/default-index.ts'
import { writeIndex } from '../../support/fixture-index.ts'
import { listenUntilEnd } from '../../support/listening.ts'
import { post, readMetric } from '../../support/post.ts'
import { command, postrie, startServer, type TestServer } from '../../support/processes.ts'
import { fillDisk, freeBytes, needsMount, smallDisk } from '../../support/small-disk.ts'
import { until } from '../../support/until.ts'

const MB = 1024 * 1024

t.setTimeout(300_000)

/** Serves a published folder. `answer` may replace the answer for the index. */
async function servePublished(t: Test, answer?: (response: ServerResponse) => void) {
  const folder = t.testdir()
  const server = createServer((request, response) => {
    const isIndex = request.url?.endsWith('.postrie') === true
    if (isIndex && answer !== undefined) return answer(response)
    createReadStream(join(folder, request.url ?? ''))
      .on('error', () => response.destroy())
      .pipe(response)
  })
  return { folder, url: `http://127.0.0.1:${await listenUntilEnd(t, server)}/index.json` }
}

/** Expects a refusal: the old index is served, no part remains, log and metrics report it, and a restart works. */
async function expectServed(t: Test, server: TestServer, dir: string, env: NodeJS.ProcessEnv, free: number) {
  const { api, dashboard, key } = server
  const lookup = () => post(api, '/api/lookup', { apiKey: key, zipcode: '90210' })
  const metric = (name: string) => readMetric(dashboard, `postrie_index_${name}`)
  await until(async () => (await metric('fetch_failures_total')) >= 2)
  t.ok((await metric('disk_missing_bytes')) > 0, 'the metrics say how much is missing')
  t.equal((await lookup()).status, 200, 'the old index is served')
  t.match(server.output.stderr, /needs [\d,]+ MB on the disk of .*, and the ledger on the same disk \d+ MB/)
  t.equal(server.output.stderr.match(/the published index cannot be used/g)?.length, 1, 'logged once')
  t.ok(Math.abs(freeBytes(dir) - free) < MB, 'nothing was written')
  t.equal(await server.stop(), 0)
  t.same(partsIn(dir), [])
  t.match(await command(dir, ['serve', '--check'], { PORT: '0', CONTROL_PORT: '0', ...env }), { code: 0 })
  const again = await startServer(dir, env)
  t.match(await post(again.api, '/api/lookup', { apiKey: key, zipcode: '90210' }), { status: 200 })
  t.equal(await again.stop('SIGKILL'), null)
}

const partsIn = (dir: string) => readdirSync(dir).filter(name => name.endsWith('.part'))

function serverOptions(dir: string, url: string) {
  const env = { INDEX_URL: url, INDEX_CHECK_SECONDS: '1', HTTP_THREADS: '1', BULK_WORKERS: '0' }
  return { env, start: () => startServer(dir, env) }
}

t.test('an index larger than the free space is refused, and the service goes on', needsMount, async t => {
  const dir = smallDisk(t, 45 * MB)
  const { folder, url } = await servePublished(t)
  const { bytes } = await publishIndex(DEFAULT_INDEX, folder, null)
  writeIndex(dir)
  fillDisk(dir, 0.7 * bytes)
  const { env, start } = serverOptions(dir, url)
  const server = await start()
  await expectServed(t, server, dir, env, freeBytes(dir))
})

t.test('a symbolic link does not hide that index and ledger share a disk', needsMount, async t => {
  const [disk, elsewhere] = [smallDisk(t, 8 * MB), t.testdir()]
  const link = join(disk, 'index.postrie')
  symlinkSync(writeIndex(elsewhere), link)
  t.ok((await reservedBytes(disk, link)) > 0, 'a new index takes the place of the link')
  const dataDir = join(elsewhere, 'data')
  mkdirSync(dataDir)
  mkdirSync(join(disk, 'ledger'))
  symlinkSync(join(disk, 'ledger'), join(dataDir, 'ledger'))
  t.ok((await reservedBytes(dataDir, link)) > 0, 'the ledger is where its folder leads')
  t.equal(await reservedBytes(dataDir, join(dataDir, 'index.postrie')), 0)
})

t.test("a download stops before it takes the ledger's space", needsMount, async t => {
  const dir = smallDisk(t, 2 * SEGMENT_BYTES_MAX + 64 * MB)
  // Sends 8 of its 24 MB, then waits for the test.
  let go: (response: ServerResponse) => void = () => {}
  const sent = new Promise<ServerResponse>(resolve => {
    go = resolve
  })
  const { folder, url } = await servePublished(t, response => {
    response.write(Buffer.alloc(8 * MB))
    go(response)
  })
  const claim = { build: 'a'.repeat(32), bytes: 24 * MB, sha256: 'b'.repeat(64), codes: 1, countries: 1 }
  writeFileSync(join(folder, 'index.json'), JSON.stringify(claim))
  writeIndex(dir)
  const { start } = serverOptions(dir, url)
  const server = await start()
  const response = await sent
  await until(() => partsIn(dir).some(name => statSync(join(dir, name)).size === 8 * MB))
  fillDisk(dir, 2 * SEGMENT_BYTES_MAX - MB)
  response.write(Buffer.alloc(MB))
  await until(() => /the published index cannot be used/.test(server.output.stderr))
  t.match(server.output.stderr, /needs [\d,]+ MB on the disk/)
  t.same(partsIn(dir), [], 'the part is gone')
  t.ok(freeBytes(dir) > 2 * SEGMENT_BYTES_MAX, 'its bytes are free again')
  t.match(await post(server.api, '/api/lookup', { apiKey: server.key, zipcode: '90210' }), { status: 200 })
  t.equal(await server.stop(), 0)
})

t.test('a start removes the part that a killed process left', needsMount, async t => {
  const dir = smallDisk(t, 45 * MB)
  writeIndex(dir)
  const { api, stop, key } = await startServer(dir)
  t.match(await post(api, '/api/lookup', { apiKey: key, zipcode: '90210' }), { status: 200 })
  await stop('SIGKILL')
  writeFileSync(join(dir, 'index.postrie.999999999.part'), Buffer.alloc(freeBytes(dir) - 4096))
  t.match(await command(dir, ['serve', '--check'], { PORT: '0', CONTROL_PORT: '0' }), { code: 0 })
  const again = await startServer(dir)
  t.same(partsIn(dir), [])
  t.match(await post(again.api, '/api/lookup', { apiKey: key, zipcode: '90210' }), { status: 200 })
  await again.stop()
})

t.test('a first start without room for the index downloads nothing and says so', needsMount, async t => {
  const dir = smallDisk(t, 45 * MB)
  const { folder, url } = await servePublished(t)
  await publishIndex(writeIndex(t.testdir()), folder, null)
  const { code, stderr } = await postrie(dir, ['serve'], { INDEX_URL: url, PORT: '0', CONTROL_PORT: '0' })
  t.equal(code, 6, stderr)
  t.match(stderr, /needs 1 MB on the disk of .*, and the ledger on the same disk 128 MB; \d+ MB are free/)
  t.same(readdirSync(dir), [])
})

t.test('builds, backups and publications leave room for the ledger', needsMount, async t => {
  const dir = smallDisk(t, 45 * MB)
  writeIndex(dir)
  const server = await startServer(dir)
  t.teardown(() => server.stop())
  for (const args of [['build'], ['backup', join(dir, 'copy')], ['publish', join(dir, 'published')]]) {
    const free = freeBytes(dir)
    t.match(
      await postrie(dir, args),
      { code: 6, stderr: /needs \d+ MB on the disk of .*, and the ledger on the same disk 128 MB/ },
      args[0],
    )
    t.ok(Math.abs(freeBytes(dir) - free) < MB)
  }
  mkdirSync(join(t.testdir(), 'elsewhere'))
  t.match(await command(dir, ['backup', join(t.testdirName, 'elsewhere')]), { code: 0 })
})
